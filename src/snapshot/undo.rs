//! Taking the last decision back, whoever made it.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::history::{self, Record};
use super::journal::{self, Change, DecisionKind, Journal, Step};
use super::{GoldenKey, SnapshotError, Store};

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

impl Store {
    /// Takes back the last decision of this folder, in this process or another. `None` where there is none.
    ///
    /// What a later run proposed for the same goldens stays as it is.
    ///
    /// # Errors
    /// A golden changed since: nothing is done then.
    pub fn undo(&self) -> Result<Option<UndoneDecision>, SnapshotError> {
        let lock = self.lock()?;
        let Some((id, journal)) = history::last(&self.disk)? else {
            return Ok(None);
        };
        let DecisionKind::Decides(record) = &journal.meaning else {
            return Ok(None);
        };
        let changes = self.reverse(id, &journal)?;
        journal::commit(&self.disk, &lock, &changes, DecisionKind::Undoes(id))?;
        Ok(Some(UndoneDecision::from(record)))
    }

    fn reverse(&self, id: u64, journal: &Journal) -> Result<Vec<Change>, SnapshotError> {
        let proposed_since = self.proposed_since(journal)?;
        let mut changes = Vec::new();
        for (at, step) in journal.steps.iter().enumerate() {
            let now = self.disk.hash(&step.path)?;
            // Somebody put it back already.
            if now == step.old {
                continue;
            }
            match self.pending_key(&step.path) {
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
                new: history::kept(&self.disk, id, (at, step))?,
                after: None,
            });
        }
        Ok(changes)
    }

    /// Goldens for which something else is pending now than the decision left.
    fn proposed_since(&self, journal: &Journal) -> Result<BTreeSet<GoldenKey>, SnapshotError> {
        let mut found = BTreeSet::new();
        for Step { path, old, new, .. } in &journal.steps {
            let now = self.disk.hash(path)?;
            if let Some(key) = self.pending_key(path)
                && now != *new
                && now != *old
            {
                found.insert(key);
            }
        }
        Ok(found)
    }

    /// What a pending file is for, without class; `None` for a golden's file.
    fn pending_key(&self, path: &Utf8Path) -> Option<GoldenKey> {
        let below = path.strip_prefix(&self.folder).ok()?;
        GoldenKey::of_file(below)
            .filter(|(.., is_pending)| *is_pending)
            .map(|(key, ..)| key.shared())
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
