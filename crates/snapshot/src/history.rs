//! Stores what it takes to undo decisions: for each its journal, and the files that it replaced or removed.
//!
//! Decision 7 is in `.runner/undo/7/decision.json`, and the former file of its step 0 beside it in `0`. A
//! folder without `decision.json` belongs to a decision that was never made, and is removed.

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::SnapshotError;
use super::disk::Disk;

const FOLDER: &str = ".runner/undo";
const RECORD: &str = "decision.json";

/// Number of decisions that can be undone. Chosen: far more than anybody takes back.
const MAX_DECISIONS: usize = 100;

/// Largest total size in bytes of the kept files. The last decision can be undone whatever its size. Chosen:
/// some hundred pictures of phones.
const MAX_KEPT_BYTES: u64 = 256 * 1024 * 1024;

/// Keys that a decision is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Number of the decision; later ones have higher numbers.
    pub id: u64,
    pub accepted: Vec<String>,
    pub rejected: Vec<String>,
    pub removed: Vec<String>,
}

fn folder(id: u64) -> Utf8PathBuf {
    Utf8Path::new(FOLDER).join(id.to_string())
}

/// Returns the path of a decision's record.
pub(super) fn record_path(id: u64) -> Utf8PathBuf {
    folder(id).join(RECORD)
}

pub(super) fn stored_path(id: u64, step: usize) -> Utf8PathBuf {
    folder(id).join(step.to_string())
}

/// Keeps the bytes of the files that are about to be replaced or removed, each under the number of its step, in the
/// folder of decision `id`. They stay where they are; each gets a second name or is copied. A missing file is kept as
/// an empty one. Returns after the folders are synced.
pub(super) fn keep<'a>(
    disk: &Disk,
    id: u64,
    files: impl IntoIterator<Item = (usize, &'a Utf8Path)>,
) -> Result<(), SnapshotError> {
    disk.make_folder(&folder(id))?;
    for (at, path) in files {
        disk.keep(path, &stored_path(id, at))?;
    }
    disk.sync_folders([record_path(id).as_path()])
}

/// Removes a decision with the files kept for it. Its record goes first, so that it is complete or does not exist.
/// One that does not exist is not an error.
pub(super) fn forget(disk: &Disk, id: u64) -> Result<(), SnapshotError> {
    let record = record_path(id);
    if disk.exists(&record) {
        disk.remove(&record)?;
        disk.sync_folders([record.as_path()])?;
    }
    disk.remove_folder(&folder(id))
}

/// Returns the number of the last decision that has a record; `None` if there is none.
pub(super) fn last(disk: &Disk) -> Result<Option<u64>, SnapshotError> {
    let mut ids = decisions(disk)?.into_iter();
    Ok(ids.rfind(|id| disk.exists(&record_path(*id))))
}

/// Returns the number for the next decision: one more than that of the last folder, or 1.
pub(super) fn next(disk: &Disk) -> Result<u64, SnapshotError> {
    Ok(decisions(disk)?.last().map_or(1, |last| last + 1))
}

/// Keeps the newest decisions, up to [`MAX_DECISIONS`] and [`MAX_KEPT_BYTES`] together, and removes all that are
/// older, and folders without a record. The last decision stays whatever its size. The caller holds the lock, and no
/// journal is unfinished.
pub(super) fn tidy(disk: &Disk) -> Result<(), SnapshotError> {
    let mut bytes = 0;
    let mut stored = 0;
    for id in decisions(disk)?.into_iter().rev() {
        let is_decided = disk.exists(&record_path(id));
        if is_decided {
            bytes += size(disk, id);
        }
        if is_decided && (stored == 0 || (stored < MAX_DECISIONS && bytes <= MAX_KEPT_BYTES)) {
            stored += 1;
        } else {
            forget(disk, id)?;
        }
    }
    Ok(())
}

/// Returns the numbers of all folders in rising order, also of those without a record. Other names are
/// ignored. Returns none if the history does not exist.
fn decisions(disk: &Disk) -> Result<Vec<u64>, SnapshotError> {
    let path = disk.root().join(FOLDER);
    let entries = match path.read_dir_utf8() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(SnapshotError::io(FOLDER))?,
    };
    let mut ids: Vec<u64> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().parse().ok())
        // The next decision needs a higher number.
        .filter(|id| *id < u64::MAX)
        .collect();
    ids.sort_unstable();
    Ok(ids)
}

/// Returns the size in bytes of all files of a decision, its record included. What cannot be read counts as 0.
fn size(disk: &Disk, id: u64) -> u64 {
    walkdir::WalkDir::new(disk.root().join(folder(id)))
        .into_iter()
        .filter_map(Result::ok)
        .filter_map(|entry| entry.metadata().ok())
        .filter(std::fs::Metadata::is_file)
        .map(|file| file.len())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(disk: &Disk, id: u64, bytes: usize) {
        disk.write(&stored_path(id, 0), &vec![b'x'; bytes]).unwrap();
        disk.write(&record_path(id), b"{}").unwrap();
    }

    #[test]
    fn the_history_is_bounded_and_the_oldest_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(Utf8Path::from_path(folder.path()).unwrap());
        for id in 1..=MAX_DECISIONS as u64 + 3 {
            decided(&disk, id, 10);
        }
        // A decision that was interrupted before its record was written.
        disk.write(&stored_path(500, 0), b"x").unwrap();
        tidy(&disk).unwrap();
        let ids = decisions(&disk).unwrap();
        assert_eq!(ids.len(), MAX_DECISIONS);
        assert_eq!(
            (ids[0], ids[MAX_DECISIONS - 1]),
            (4, MAX_DECISIONS as u64 + 3)
        );
        let large = usize::try_from(MAX_KEPT_BYTES).unwrap() + 1;
        let file = std::fs::File::create(disk.root().join(stored_path(103, 0))).unwrap();
        file.set_len(large as u64).unwrap();
        tidy(&disk).unwrap();
        assert_eq!(decisions(&disk).unwrap(), [103], "the last one stays");
        decided(&disk, 104, 10);
        tidy(&disk).unwrap();
        assert_eq!(decisions(&disk).unwrap(), [104]);
        decided(&disk, u64::MAX, 10);
        assert_eq!(next(&disk).unwrap(), 105);
    }
}
