//! Taking the last decision back, whoever made it.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::disk::Disk;
use super::folder::GoldenFolder;
use super::golden::{ABSENT, hash};
use super::history::{self, Record};
use super::journal::{self, Change, DecisionKind, Journal, Step};
use super::{GoldenKey, SnapshotError};

/// A decision that was taken back: the goldens are what they were, and what was pending waits again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndoneDecision {
    /// Keys that had been accepted.
    pub accepted: Vec<GoldenKey>,
    /// Keys that had been rejected.
    pub rejected: Vec<GoldenKey>,
    /// Keys that had been removed.
    pub removed: Vec<GoldenKey>,
}

/// Takes back the last decision of this folder, in this process or another. `None` where there is none.
///
/// What a later run proposed for the same goldens stays as it is.
///
/// # Errors
/// A golden changed since: nothing is done then.
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

fn reverse(
    folder: &GoldenFolder,
    id: u64,
    journal: &Journal,
) -> Result<Vec<Change>, SnapshotError> {
    let proposed_since = proposed_since(folder, journal)?;
    let mut changes = Vec::new();
    for (at, step) in journal.steps.iter().enumerate() {
        let now = folder.disk.hash(&step.path)?;
        // Somebody put it back already.
        if now == step.old {
            continue;
        }
        match pending_key(folder, &step.path) {
            // All of it stays as it is: files of two runs do not belong together.
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

/// Goldens for which something else is pending now than the decision left.
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

/// What a pending file is for, without class; `None` for a golden's file.
fn pending_key(folder: &GoldenFolder, path: &Utf8Path) -> Option<GoldenKey> {
    folder
        .file_at(path)
        .filter(|(.., is_pending)| *is_pending)
        .map(|(key, ..)| key.shared())
}

/// What the file of a step was.
///
/// # Errors
/// It is not there, or not what it was.
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
    fn from(record: &Record) -> Self {
        let keys = |words: &[String]| words.iter().filter_map(|word| word.parse().ok()).collect();
        Self {
            accepted: keys(&record.accepted),
            rejected: keys(&record.rejected),
            removed: keys(&record.removed),
        }
    }
}
