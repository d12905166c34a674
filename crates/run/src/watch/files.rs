//! What changed on disk: the known files are asked in turn.
//!
//! Asking costs a few microseconds a file and works where no news of files comes, as on shared folders and in containers.
//! No library is needed for it, and none has to learn of the folders that editors make and rename.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use camino::Utf8PathBuf;

/// The shortest pause between two questions.
const PAUSE: Duration = Duration::from_millis(30);
/// Asking takes at most one part in so many of the time.
const SHARE: u32 = 10;
/// A pause longer than this would be felt.
const LONGEST: Duration = Duration::from_secs(1);

/// When a file was written, and its size; none of one that is not there.
type Stamp = Option<(SystemTime, u64)>;

/// Files and how they were when they were last asked.
#[derive(Debug, Default)]
pub struct WatchedFiles {
    stamps: BTreeMap<Utf8PathBuf, Stamp>,
    pause: Duration,
}

impl WatchedFiles {
    /// Watches these, and no others any more. One that is new counts as it is now.
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

    /// Files that are not as they were when this was last asked.
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
        self.pause = (began.elapsed() * SHARE).clamp(PAUSE, LONGEST);
        changed
    }

    /// How long to wait before asking again.
    pub fn pause(&self) -> Duration {
        self.pause.max(PAUSE)
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
        // What was asked before keeps its stamp.
        fs_err::write(&path, "back").unwrap();
        files.follow([path.clone()]);
        assert_eq!(files.changed(), [path]);
    }
}
