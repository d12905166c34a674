//! Records the video of an attempt in pieces: phones end a recording after three minutes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::artifacts::ArtifactFolder;
use crate::reporter::Reporter;
use runner_device::record::{FINALISE_LIMIT, Recording};
use runner_device::{Device, DeviceError};
use runner_event::{Artifact, ArtifactKind, VideoPiece};

/// Chosen: a piece that ends by itself sooner was ended by something else on the device.
const MIN_PIECE: Duration = Duration::from_secs(2);
/// Chosen: short pieces in a row after which the video is given up.
const MAX_SHORT_PIECES: usize = 5;
/// Chosen: time to fetch the last piece over a slow connection.
const FETCH_LIMIT: Duration = Duration::from_mins(2);

/// Pieces whose files are written, in order. Shared, so that they are there also if the task that records is
/// given up.
type StoredPieces = Arc<Mutex<Vec<VideoPiece>>>;

/// Recorder of an attempt's video. Dropping it ends the recording and keeps nothing.
pub(crate) struct VideoRecorder {
    ending: CancellationToken,
    is_wanted: Arc<AtomicBool>,
    stored: StoredPieces,
    work: Option<JoinHandle<()>>,
    reporter: Reporter,
    folder: ArtifactFolder,
}

impl Drop for VideoRecorder {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            work.abort();
        }
    }
}

/// Task that records one piece after the other.
struct Pieces {
    device: Arc<dyn Device>,
    reporter: Reporter,
    folder: ArtifactFolder,
    began_ms: u64,
    ending: CancellationToken,
    is_wanted: Arc<AtomicBool>,
    stored: StoredPieces,
}

impl VideoRecorder {
    /// Starts, and returns once the device records. If it cannot, that is reported and the result is `None`.
    /// Further pieces follow in the background, as devices limit a video's length.
    pub(crate) async fn start(
        device: Arc<dyn Device>,
        reporter: &Reporter,
        folder: &ArtifactFolder,
        began_ms: u64,
    ) -> Option<Self> {
        let (ending, is_wanted) = (CancellationToken::new(), Arc::new(AtomicBool::new(true)));
        let stored = StoredPieces::default();
        let pieces = Pieces {
            device,
            reporter: reporter.clone(),
            folder: folder.clone(),
            began_ms,
            ending: ending.clone(),
            is_wanted: Arc::clone(&is_wanted),
            stored: Arc::clone(&stored),
        };
        let first = pieces.begin().await?;
        Some(Self {
            ending,
            is_wanted,
            stored,
            work: Some(tokio::spawn(pieces.go_on(first))),
            reporter: reporter.clone(),
            folder: folder.clone(),
        })
    }

    /// Ends the recording. Returns the pieces in order, or removes them and returns none if `is_wanted` is
    /// false. If the last one does not come in time, warns and goes on without it.
    pub(crate) async fn finish(mut self, is_wanted: bool) -> Vec<VideoPiece> {
        self.is_wanted.store(is_wanted, Ordering::Relaxed);
        self.ending.cancel();
        let Some(mut work) = self.work.take() else {
            return Vec::new();
        };
        let ended = tokio::time::timeout(FINALISE_LIMIT + FETCH_LIMIT, &mut work).await;
        if ended.is_err() {
            work.abort();
            self.warn("the end of the video could not be fetched in time");
        }
        let pieces = std::mem::take(&mut *lock(&self.stored));
        if is_wanted {
            return pieces;
        }
        for piece in &pieces {
            // Not by its number: the flow may have stored a file of that name before.
            let name = piece.file.path.file_name().unwrap_or_default();
            if let Err(error) = fs_err::remove_file(self.folder.path().join(name)) {
                self.warn(&format!(
                    "the video of a flow that passed could not be removed: {error}"
                ));
            }
        }
        Vec::new()
    }

    fn warn(&self, why: &str) {
        self.reporter.warn(why);
    }
}

fn lock(stored: &StoredPieces) -> MutexGuard<'_, Vec<VideoPiece>> {
    stored.lock().unwrap_or_else(PoisonError::into_inner)
}

fn name(number: usize) -> String {
    format!("video-{number}.mp4")
}

impl Pieces {
    fn now(&self) -> u64 {
        self.reporter.elapsed_ms().saturating_sub(self.began_ms)
    }

    /// Starts the recording of a piece. Returns it with its beginning since the attempt's. A failure is a warning
    /// and `None`.
    async fn begin(&self) -> Option<(u64, Recording)> {
        let at_ms = self.now();
        match Recording::start(self.device.as_ref()).await {
            Ok(recording) => Some((at_ms, recording)),
            Err(error) => {
                self.warn(&error);
                None
            }
        }
    }

    /// Records piece after piece, and keeps each, until the video ends, a piece cannot be kept or begun, or five in a
    /// row last less than 2 s.
    async fn go_on(self, first: (u64, Recording)) {
        let mut next = Some(first);
        let mut short = 0;
        while let Some((at_ms, mut recording)) = next.take() {
            let began = Instant::now();
            let ending = self.ending.clone();
            let ended = recording.ended();
            // Once the flow is over it does not matter whether the piece ended by itself.
            let _ = ending.run_until_cancelled(ended).await;
            if let Err(why) = self.keep(at_ms, recording).await {
                self.warn(&why);
                break;
            }
            short = if began.elapsed() < MIN_PIECE {
                short + 1
            } else {
                0
            };
            if ending.is_cancelled() || short == MAX_SHORT_PIECES {
                break;
            }
            next = self.begin().await;
        }
    }

    /// Ends a piece, and fetches it if videos are still wanted. `at_ms` is its beginning. Its file on the device is
    /// removed in any case. An error if it does not end in time, or cannot be fetched or written.
    async fn keep(
        &self,
        at_ms: u64,
        mut recording: Recording,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let device = Arc::clone(&self.device);
        let device = device.as_ref();
        let retained = if self.is_wanted.load(Ordering::Relaxed) {
            match recording.stop(device, FINALISE_LIMIT).await {
                Ok(()) => recording.fetch(device).await.map(Some),
                Err(error) => Err(error),
            }
        } else {
            Ok(None)
        };
        // A file that stays on the device does no harm.
        let _ = recording.discard(device).await;
        let kept: Result<Option<Vec<u8>>, DeviceError> = retained;
        let Some(video) = kept? else {
            return Ok(());
        };
        let name = name(lock(&self.stored).len() + 1);
        let file: Artifact = self.folder.write(ArtifactKind::Video, &name, &video)?;
        lock(&self.stored).push(VideoPiece { at_ms, file });
        Ok(())
    }

    fn warn(&self, why: &(impl std::fmt::Display + ?Sized)) {
        let why = format!("the video ends here: {why}");
        self.reporter.warn(why);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use camino::Utf8Path;

    use super::*;
    use crate::artifacts::ArtifactNames;
    use crate::emit::Emitter;
    use runner_event::CaseId;
    use runner_text::secret::Scrubber;

    /// Returns the folder of an attempt in a temporary one, and its reporter, which reports to nobody.
    fn attempt(temporary: &tempfile::TempDir) -> (ArtifactFolder, Reporter) {
        let (sink, _) = channel();
        let emitter = Emitter::new(sink, Scrubber::default());
        let case = CaseId {
            flow: "a.yaml".into(),
            case: None,
            repeat: None,
        };
        let id = case.attempt("virtual", 1);
        let base = Utf8Path::from_path(temporary.path()).unwrap();
        let names = ArtifactNames::default();
        let folder = ArtifactFolder::new(base, &names, &id, Scrubber::default());
        (folder, Reporter::new(&emitter, id))
    }

    #[tokio::test(start_paused = true)]
    async fn a_video_that_is_not_wanted_takes_no_file_of_the_flow_with_it() {
        let temporary = tempfile::tempdir().unwrap();
        let (folder, reporter) = attempt(&temporary);
        let write = |bytes: &[u8]| folder.write(ArtifactKind::Video, &name(1), bytes).unwrap();
        let own = write(b"of the flow");
        let piece = VideoPiece {
            at_ms: 0,
            file: write(b"piece"),
        };
        let kept =
            [own.path.clone(), piece.file.path.clone()].map(|path| temporary.path().join(path));
        let recorder = VideoRecorder {
            ending: CancellationToken::new(),
            is_wanted: Arc::new(AtomicBool::new(true)),
            stored: Arc::new(Mutex::new(vec![piece])),
            work: Some(tokio::spawn(std::future::ready(()))),
            reporter,
            folder,
        };
        assert_eq!(recorder.finish(false).await, Vec::new());
        assert_eq!(kept.map(|path| path.exists()), [true, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_last_piece_that_does_not_come_loses_none_before_it() {
        let temporary = tempfile::tempdir().unwrap();
        let (folder, reporter) = attempt(&temporary);
        let file = folder.write(ArtifactKind::Video, &name(1), b"one").unwrap();
        let stored = vec![VideoPiece { at_ms: 0, file }];
        for (is_wanted, kept) in [(true, stored.clone()), (false, Vec::new())] {
            let recorder = VideoRecorder {
                ending: CancellationToken::new(),
                is_wanted: Arc::new(AtomicBool::new(true)),
                stored: Arc::new(Mutex::new(stored.clone())),
                work: Some(tokio::spawn(std::future::pending())),
                reporter: reporter.clone(),
                folder: folder.clone(),
            };
            assert_eq!(recorder.finish(is_wanted).await, kept);
            assert_eq!(folder.path().join(name(1)).exists(), is_wanted);
        }
    }
}
