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

/// Recorder of an attempt's video. Dropping it ends the recording and removes the pieces that are written.
pub(crate) struct VideoRecorder {
    ending: CancellationToken,
    is_wanted: Arc<AtomicBool>,
    stored: StoredPieces,
    work: Option<JoinHandle<()>>,
    reporter: Reporter,
    folder: ArtifactFolder,
}

impl Drop for VideoRecorder {
    /// Ends the recording, also one whose end was being waited for, and removes the pieces that nobody took.
    fn drop(&mut self) {
        // A piece that is being fetched is not written any more.
        self.is_wanted.store(false, Ordering::Relaxed);
        if let Some(work) = self.work.take() {
            work.abort();
        }
        let left = std::mem::take(&mut *lock(&self.stored));
        for piece in &left {
            // Not by its number: the flow may have stored a file of that name before.
            let name = piece.file.path.file_name().unwrap_or_default();
            if let Err(error) = fs_err::remove_file(self.folder.path().join(name)) {
                let why = format!("a video that is not kept could not be removed: {error}");
                self.reporter.warn(why);
            }
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
    /// false. If the last one does not come in time, warns and goes on without it. Dropped before its end, it
    /// keeps nothing.
    pub(crate) async fn finish(mut self, is_wanted: bool) -> Vec<VideoPiece> {
        self.is_wanted.store(is_wanted, Ordering::Relaxed);
        self.ending.cancel();
        // It stays a field: whoever gives up waiting drops it with the recorder.
        if let Some(work) = &mut self.work {
            let ended = tokio::time::timeout(FINALISE_LIMIT + FETCH_LIMIT, work).await;
            if ended.is_err() {
                let why = "the end of the video could not be fetched in time";
                self.reporter.warn(why);
            }
        }
        if is_wanted {
            std::mem::take(&mut *lock(&self.stored))
        } else {
            Vec::new()
        }
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
        // Held while the piece is written, so that a dropped recorder either removes it or keeps it from being written.
        let mut stored = lock(&self.stored);
        if self.is_wanted.load(Ordering::Relaxed) {
            let name = name(stored.len() + 1);
            let file: Artifact = self.folder.write(ArtifactKind::Video, &name, &video)?;
            stored.push(VideoPiece { at_ms, file });
        }
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

    /// Returns a recorder in a folder, which has written one piece and waits for the next without end. Needs a
    /// runtime.
    fn recorder(base: &Utf8Path) -> VideoRecorder {
        let (sink, _events) = channel();
        let emitter = Emitter::new(sink, Scrubber::default());
        let case = CaseId {
            flow: "a.yaml".into(),
            case: None,
            repeat: None,
        };
        let id = case.attempt("virtual", 1);
        let names = ArtifactNames::default();
        let folder = ArtifactFolder::new(base, &names, &id, Scrubber::default());
        let file = folder.write(ArtifactKind::Video, &name(1), b"one").unwrap();
        VideoRecorder {
            ending: CancellationToken::new(),
            is_wanted: Arc::new(AtomicBool::new(true)),
            stored: Arc::new(Mutex::new(vec![VideoPiece { at_ms: 0, file }])),
            work: Some(tokio::spawn(std::future::pending())),
            reporter: Reporter::new(&emitter, id),
            folder,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_last_piece_that_does_not_come_loses_none_before_it() {
        for is_wanted in [true, false] {
            let temporary = tempfile::tempdir().unwrap();
            let recorder = recorder(Utf8Path::from_path(temporary.path()).unwrap());
            let stored = lock(&recorder.stored).clone();
            let file = recorder.folder.path().join(name(1));
            let kept = recorder.finish(is_wanted).await;
            assert_eq!(kept, if is_wanted { stored } else { Vec::new() });
            assert_eq!(file.exists(), is_wanted);
        }
    }

    /// The device is gone, or the run was interrupted.
    #[tokio::test(start_paused = true)]
    async fn a_recorder_that_is_given_up_leaves_no_piece() {
        for is_finishing in [true, false] {
            let temporary = tempfile::tempdir().unwrap();
            let recorder = recorder(Utf8Path::from_path(temporary.path()).unwrap());
            let file = recorder.folder.path().join(name(1));
            assert!(file.exists());
            if is_finishing {
                let given_up = tokio::time::timeout(MIN_PIECE, recorder.finish(true)).await;
                assert_eq!(given_up.ok(), None);
            } else {
                drop(recorder);
            }
            assert!(!file.exists(), "{is_finishing}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_video_that_is_not_wanted_takes_no_file_of_the_flow_with_it() {
        let temporary = tempfile::tempdir().unwrap();
        let recorder = recorder(Utf8Path::from_path(temporary.path()).unwrap());
        let folder = recorder.folder.clone();
        // The flow's own file has the name that a piece would have by its number.
        let own = folder.path().join(name(1));
        let piece = VideoPiece {
            at_ms: 0,
            file: folder
                .write(ArtifactKind::Video, &name(1), b"piece")
                .unwrap(),
        };
        let stored = folder.path().join(piece.file.path.file_name().unwrap());
        *lock(&recorder.stored) = vec![piece];
        assert_ne!(own, stored);
        drop(recorder);
        assert!(own.exists() && !stored.exists());
    }
}
