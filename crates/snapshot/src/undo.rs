//! Undoes the last decision, of whatever process.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::disk::Disk;
use super::folder::GoldenFolder;
use super::golden::{ABSENT, hash};
use super::history::{self, Record};
use super::journal::{self, Change, DecisionKind, Journal, Step};
use super::{GoldenKey, SnapshotError};

/// Decision that was undone: the goldens are what they were, and what was pending is pending again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndoneDecision {
    pub accepted: Vec<GoldenKey>,
    pub rejected: Vec<GoldenKey>,
    pub removed: Vec<GoldenKey>,
}

/// Undoes the last decision in this folder, of this process or another, and removes it from the history. Returns `None`
/// if there is none. Files that are already as before it are no error. Pending files that a later run proposed for the
/// same goldens stay.
///
/// # Errors
/// [`SnapshotError::UndoRefused`] if a golden changed since, [`SnapshotError::NotStored`] if a file that was kept for
/// this is missing or changed; then nothing is done. [`SnapshotError::Unfinished`] if the rest is done at the next
/// start.
pub(super) fn undo(folder: &GoldenFolder) -> Result<Option<UndoneDecision>, SnapshotError> {
    let lock = folder.lock()?;
    let Some(id) = history::last(&folder.disk)? else {
        return Ok(None);
    };
    let Some(journal) = Journal::read(&folder.disk, &history::record_path(id))? else {
        return Ok(None);
    };
    let DecisionKind::Decides(record) = &journal.meaning else {
        return Ok(None);
    };
    let changes = reverse(folder, id, &journal)?;
    journal::commit(&folder.disk, &lock, &changes, DecisionKind::Undoes(id))?;
    Ok(Some(UndoneDecision::from(record)))
}

/// Returns the changes that bring back the files as before the decision. Files that are so already, and pending ones of
/// a later proposal, are left alone. Fails with [`SnapshotError::UndoRefused`] if a golden has changed since, and with
/// [`SnapshotError::NotStored`] if a kept file is missing or changed. Writes nothing.
fn reverse(
    folder: &GoldenFolder,
    id: u64,
    journal: &Journal,
) -> Result<Vec<Change>, SnapshotError> {
    let proposed_since = proposed_since(folder, journal)?;
    let mut changes = Vec::new();
    for (at, step) in journal.steps.iter().enumerate() {
        let now = folder.disk.hash(&step.path)?;
        // Somebody restored the file already.
        if now == step.old {
            continue;
        }
        match pending_key(folder, &step.path) {
            // All files of this golden stay, since files of two runs do not belong together.
            Some(key) if proposed_since.contains(&key) => continue,
            None if now != step.new => {
                return Err(SnapshotError::UndoRefused(step.path.clone()));
            }
            _ => {}
        }
        changes.push(Change {
            path: step.path.clone(),
            old: now,
            new: stored_bytes(&folder.disk, id, (at, step))?,
            after: None,
        });
    }
    Ok(changes)
}

/// Returns the goldens, without class, for which something else is pending now than before the decision and
/// after it. Files that are gone count too.
fn proposed_since(
    folder: &GoldenFolder,
    journal: &Journal,
) -> Result<BTreeSet<GoldenKey>, SnapshotError> {
    let mut found = BTreeSet::new();
    for Step { path, old, new, .. } in &journal.steps {
        let now = folder.disk.hash(path)?;
        if let Some(key) = pending_key(folder, path)
            && now != *new
            && now != *old
        {
            found.insert(key);
        }
    }
    Ok(found)
}

/// Returns the key without class of a pending file; `None` for a golden's file.
fn pending_key(folder: &GoldenFolder, path: &Utf8Path) -> Option<GoldenKey> {
    folder
        .file_at(path)
        .filter(|(.., is_pending)| *is_pending)
        .map(|(key, ..)| key.shared())
}

/// Returns the bytes of a step's file before the decision; `None` if it did not exist. `at` is the step's
/// number, counted from 0.
///
/// # Errors
/// [`SnapshotError::NotStored`] if the kept file is missing or was changed.
fn stored_bytes(
    disk: &Disk,
    id: u64,
    (at, step): (usize, &Step),
) -> Result<Option<Vec<u8>>, SnapshotError> {
    if step.old == ABSENT {
        return Ok(None);
    }
    let path = history::stored_path(id, at);
    match disk.read(&path)? {
        Some(bytes) if hash(&bytes) == step.old => Ok(Some(bytes)),
        _ => Err(SnapshotError::NotStored {
            path: step.path.clone(),
            stored: path,
        }),
    }
}

impl From<&Record> for UndoneDecision {
    /// Reads the keys of a record; words that are no keys are left out.
    fn from(record: &Record) -> Self {
        let keys = |words: &[String]| words.iter().filter_map(|word| word.parse().ok()).collect();
        Self {
            accepted: keys(&record.accepted),
            rejected: keys(&record.rejected),
            removed: keys(&record.removed),
        }
    }
}
