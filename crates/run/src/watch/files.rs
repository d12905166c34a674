//! Detects changed files by polling the known files.
//!
//! Polling costs a few microseconds a file and also works on shared folders and in containers, where the
//! system sends no notifications. It needs no library, and no special case for the folders that editors
//! create and rename.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use camino::Utf8PathBuf;

/// Chosen: shortest pause between two polls; below that nobody notices a difference.
const MIN_PAUSE: Duration = Duration::from_millis(30);
/// Chosen: polling takes at most this part (one in ten) of the time.
const SHARE: u32 = 10;
/// Chosen: a person would notice a longer pause.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Modification time and size of a file. None if it does not exist.
type Stamp = Option<(SystemTime, u64)>;

/// Watched files with their last known state.
#[derive(Debug, Default)]
pub struct WatchedFiles {
    stamps: BTreeMap<Utf8PathBuf, Stamp>,
    pause: Duration,
}

impl WatchedFiles {
    /// Replaces the watched files. A file that was watched keeps its last known state, so a change of it is
    /// still reported; a new one counts as unchanged in its current state.
    pub fn follow(&mut self, files: impl IntoIterator<Item = Utf8PathBuf>) {
        let mut before = std::mem::take(&mut self.stamps);
        self.stamps = files
            .into_iter()
            .map(|path| {
                let stamp = before.remove(&path).unwrap_or_else(|| stamp(&path));
                (path, stamp)
            })
            .collect();
    }

    /// Returns the files that changed, appeared or disappeared since the last call. Sets the pause before the
    /// next call to ten times as long as this took, within 0.03 to 1 s.
    pub fn changed(&mut self) -> Vec<Utf8PathBuf> {
        let began = Instant::now();
        let mut changed = Vec::new();
        for (path, before) in &mut self.stamps {
            let now = stamp(path);
            if now != *before {
                *before = now;
                changed.push(path.clone());
            }
        }
        self.pause = (began.elapsed() * SHARE).clamp(MIN_PAUSE, MAX_PAUSE);
        changed
    }

    /// Returns the pause before the next poll.
    pub fn pause(&self) -> Duration {
        self.pause.max(MIN_PAUSE)
    }
}

fn stamp(path: &Utf8PathBuf) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_once_and_so_are_going_and_coming() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().join("a.yaml")).unwrap();
        fs_err::write(&path, "one").unwrap();
        let mut files = WatchedFiles::default();
        files.follow([path.clone()]);
        assert!(files.changed().is_empty());
        fs_err::write(&path, "longer").unwrap();
        assert_eq!(files.changed(), std::slice::from_ref(&path));
        assert!(files.changed().is_empty());
        fs_err::remove_file(&path).unwrap();
        assert_eq!(files.changed(), std::slice::from_ref(&path));
        // A file that was watched before keeps its stamp.
        fs_err::write(&path, "back").unwrap();
        files.follow([path.clone()]);
        assert_eq!(files.changed(), [path]);
    }
}
