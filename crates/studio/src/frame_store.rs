//! Stores pictures and rows of older acts on disk.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use super::frames::{EncodedPicture, Frame, Look};
use super::{Studio, StudioError};
use runner_base::files::write_atomic;
use runner_report::html::read_screen;
use runner_run::packed_screen;
use runner_text::input_file::{MAX_PICTURE, read_regular};
use runner_text::secret::Scrubber;
use runner_tools::blocking;

/// Bytes on disk, after which the oldest pictures are removed. Chosen: some thousand acts; more would
/// surprise people with a small disk.
const MAX_DISK_BYTES: u64 = 1 << 30;

/// Pictures on disk.
#[derive(Debug, Default)]
pub(super) struct FrameStore {
    cache: Mutex<FrameCache>,
}

#[derive(Debug, Default)]
struct FrameCache {
    bytes: u64,
    /// Pictures in the order in which they were written.
    frames: VecDeque<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    seq: u64,
    media_type: &'static str,
    size: (u32, u32),
    captured_ms: u64,
    bytes: u64,
    has_picture: bool,
}

impl FrameStore {
    /// Writes a picture and its rows below `folder`. Known secrets are masked in rows, but not in the picture. A
    /// picture is not written if it may show a password, or its rows are unknown; then only its data are noted, for
    /// a grey one. The oldest are removed beyond [`MAX_DISK_BYTES`].
    fn write(&self, folder: &Utf8Path, scrubber: &Scrubber, frame: &Frame) -> std::io::Result<()> {
        fs_err::create_dir_all(folder.join("looks"))?;
        let look = frame.look();
        let mut bytes = 0;
        if let Some(look) = look {
            let packed = packed_screen(&look.screen, scrubber)?;
            write_atomic(&rows_file(folder, frame.seq), &packed)?;
            bytes += packed.len() as u64;
        }
        let has_picture =
            look.is_some_and(|look| !look.screen.nodes().any(|node| node.flags().password));
        if has_picture {
            write_atomic(&picture_file(folder, frame.seq), &frame.picture.bytes)?;
            bytes += frame.picture.bytes.len() as u64;
        }
        let entry = Entry {
            seq: frame.seq,
            media_type: frame.picture.media_type,
            size: frame.picture.size,
            captured_ms: frame.captured_ms,
            bytes,
            has_picture,
        };
        for gone in self.add(entry, MAX_DISK_BYTES) {
            // A file that cannot be removed goes with the folder.
            let _ = fs_err::remove_file(picture_file(folder, gone));
            let _ = fs_err::remove_file(rows_file(folder, gone));
        }
        Ok(())
    }

    /// Adds a written picture. Returns the numbers of the oldest, to remove, until at most `max_bytes` are left;
    /// the added one too if it alone is larger. Removes no file.
    fn add(&self, entry: Entry, max_bytes: u64) -> Vec<u64> {
        let mut cache = self.cache();
        cache.bytes += entry.bytes;
        cache.frames.push_back(entry);
        let mut gone = Vec::new();
        while cache.bytes > max_bytes
            && let Some(old) = cache.frames.pop_front()
        {
            cache.bytes -= old.bytes;
            gone.push(old.seq);
        }
        gone
    }

    /// Reads a picture from disk. If only its rows were written, the picture is grey. If the rows cannot be read,
    /// the picture has the reason. Returns [`StudioError::NoFrame`] if no picture with the number was written or it
    /// was removed, and an error if the picture's file cannot be read.
    pub(super) fn read(&self, folder: &Utf8Path, seq: u64) -> Result<Arc<Frame>, StudioError> {
        let entry = {
            let cache = self.cache();
            let found = cache.frames.iter().find(|entry| entry.seq == seq);
            found.cloned().ok_or(StudioError::NoFrame)?
        };
        let size = [entry.size.0, entry.size.1];
        let picture = if entry.has_picture {
            EncodedPicture {
                media_type: entry.media_type,
                bytes: read_regular(picture_file(folder, seq), MAX_PICTURE)
                    .map_err(std::io::Error::from)?
                    .into(),
                size: entry.size,
            }
        } else {
            super::timeline::blank(size)?
        };
        let rows = read_regular(rows_file(folder, seq), MAX_PICTURE).ok();
        let screen = rows.and_then(|packed| read_screen(&packed, size));
        let look = screen.map(|screen| Look {
            screen: Arc::new(screen),
            took: 0,
            moving: false,
        });
        let look = look.ok_or_else(|| {
            StudioError::Recorded("the elements of this picture were not kept".to_owned())
        });
        let frame = Frame::recorded(seq, picture, entry.captured_ms, look, false);
        Ok(Arc::new(frame))
    }

    fn cache(&self) -> MutexGuard<'_, FrameCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn picture_file(folder: &Utf8Path, seq: u64) -> Utf8PathBuf {
    folder.join(format!("looks/{seq}.picture"))
}

fn rows_file(folder: &Utf8Path, seq: u64) -> Utf8PathBuf {
    folder.join(format!("looks/{seq}.xml.gz"))
}

impl Studio {
    /// Writes some of the pictures that leave memory, a few with each call, and waits until they are written.
    /// Without a folder, or if the disk takes none, they are lost.
    pub(super) async fn store_frames(self: &Arc<Self>) {
        let leaving = self.frames().leaving();
        if leaving.is_empty() {
            return;
        }
        let studio = Arc::clone(self);
        let frames = leaving.clone();
        let written = blocking(move || {
            let Some(folder) = &studio.folder else {
                return;
            };
            for frame in &frames {
                let scrubber = &studio.workspace.scrubber;
                if studio
                    .frame_store
                    .write(folder.path(), scrubber, frame)
                    .is_err()
                {
                    break;
                }
            }
        });
        // It leaves memory in any case.
        let _ = written.await;
        self.frames().mark_written(&leaving);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_screen::{DisplayContext, Screen};

    fn frame(seq: u64, nodes: &str) -> Frame {
        let picture = EncodedPicture {
            media_type: "image/png",
            bytes: vec![seq as u8; 10].into(),
            size: (100, 200),
        };
        let frame = Frame::new(seq, picture);
        let dump = format!("<hierarchy rotation=\"0\">{nodes}</hierarchy>");
        let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
        frame.read(Look {
            screen: Arc::new(screen),
            took: 1,
            moving: false,
        });
        frame
    }

    #[test]
    fn what_was_written_is_read_again_and_the_oldest_goes() {
        let guard = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(guard.path()).unwrap();
        let spill = FrameStore::default();
        let scrubber = Scrubber::default();
        let save = r#"<node class="android.widget.Button" text="Save" bounds="[0,0][9,9]"/>"#;
        let secret =
            r#"<node class="android.widget.EditText" password="true" bounds="[0,0][9,9]"/>"#;
        spill.write(folder, &scrubber, &frame(3, save)).unwrap();
        spill.write(folder, &scrubber, &frame(4, secret)).unwrap();
        let again = spill.read(folder, 3).unwrap();
        assert_eq!((&again.picture.bytes[..], again.seq), (&[3; 10][..], 3));
        assert_eq!(again.known().unwrap().screen.len(), 1);
        let hidden = spill.read(folder, 4).unwrap();
        assert!(!picture_file(folder, 4).exists(), "a password may be on it");
        assert_eq!(hidden.known().unwrap().screen.len(), 1);
        assert!(spill.read(folder, 5).is_err());
        let entry = Entry {
            bytes: 90,
            ..spill.cache().frames[0].clone()
        };
        let gone = spill.add(Entry { seq: 5, ..entry }, 95);
        assert_eq!(gone, [3, 4]);
        // A damaged file still has a picture, and says why it has no elements.
        spill.write(folder, &scrubber, &frame(6, save)).unwrap();
        fs_err::write(rows_file(folder, 6), "no gzip").unwrap();
        assert!(spill.read(folder, 6).unwrap().known().is_err());
    }
}
