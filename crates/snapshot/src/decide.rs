//! Accepts, rejects and removes goldens as one step that is done completely or not at all, and can be undone.
//! Every user interface of the review uses it.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;

use super::folder::GoldenFolder;
use super::golden::{ABSENT, hash};
use super::history::{self, Record};
use super::journal::{self, Change, DecisionKind, Lock};
use super::review::{self, PendingEntry, PendingFile, Selection};
use super::{Cause, FileKind, GoldenKey, SnapshotError, pending, prune, stale_files};

/// Decisions of a person, which are carried out as one step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// Pending goldens that replace the goldens.
    pub accept: Vec<GoldenKey>,
    /// Pending goldens that are removed; the goldens stay.
    pub reject: Vec<GoldenKey>,
    /// Goldens that are removed, with their pending files. The shared files go with the last class.
    pub remove: Vec<GoldenKey>,
    /// [`PendingEntry::version`] of what the person looked at. A proposal that changed since is refused. Keys
    /// that are missing here are decided about in any version.
    pub observed: BTreeMap<GoldenKey, String>,
}

#[derive(Debug, Default)]
pub struct DecisionResult {
    pub accepted: Vec<GoldenKey>,
    /// Causes of these pending goldens, where known.
    pub causes: BTreeMap<GoldenKey, Cause>,
    pub rejected: Vec<GoldenKey>,
    pub removed: Vec<GoldenKey>,
    /// Keys that were refused, with the reason. Their files are unchanged.
    pub refused: Vec<(GoldenKey, SnapshotError)>,
}

#[derive(Debug, Default)]
pub struct AcceptResult {
    pub accepted: Vec<GoldenKey>,
    /// Causes of these pending goldens, where known.
    pub causes: BTreeMap<GoldenKey, Cause>,
    /// Keys that were refused, with the reason. They stay pending.
    pub refused: Vec<(GoldenKey, SnapshotError)>,
}

impl AcceptResult {
    /// Groups the accepted goldens by cause, with the number of goldens of each. The causes are in order of
    /// their first golden. Goldens without a cause are left out.
    pub fn by_cause(&self) -> Vec<(&Cause, usize)> {
        let mut causes: Vec<(&Cause, usize)> = Vec::new();
        for cause in self.accepted.iter().filter_map(|key| self.causes.get(key)) {
            match causes.iter_mut().find(|(known, _)| *known == cause) {
                Some((_, count)) => *count += 1,
                None => causes.push((cause, 1)),
            }
        }
        causes
    }

    /// Describes the accepted goldens in lines: for each cause the number of goldens and the kind, then its
    /// changes, indented by four spaces. Goldens without a cause are left out.
    pub fn in_words(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (cause, count) in self.by_cause() {
            let snapshots = if count == 1 { "snapshot" } else { "snapshots" };
            lines.push(format!("{count} {snapshots}, {}:", cause.kind.as_str()));
            lines.extend(cause.changes.iter().map(|change| format!("    {change}")));
        }
        lines
    }
}

/// Carries out all decisions as one step, which [`super::Store::undo`] takes back. A key that cannot be
/// decided about is refused and does not hinder others.
///
/// # Errors
/// Nothing was done, unless the error is [`SnapshotError::Unfinished`].
pub(super) fn decide(
    folder: &GoldenFolder,
    decision: &Decision,
) -> Result<DecisionResult, SnapshotError> {
    let lock = folder.lock()?;
    decide_locked(folder, &lock, decision)
}

/// Replaces goldens by the selected pending ones in one step, which `Store::undo` takes back. One is refused, and the
/// others are accepted, if its golden changed since, if one of its files is missing, or if another class proposes other
/// bytes for the same file. The errors are in the result. A selected key that matches nothing pending is an error.
pub(super) fn accept(
    folder: &GoldenFolder,
    selection: &Selection,
) -> Result<AcceptResult, SnapshotError> {
    let lock = folder.lock()?;
    let decision = Decision {
        accept: selected_keys(folder, selection)?,
        ..Decision::default()
    };
    let done = decide_locked(folder, &lock, &decision)?;
    Ok(AcceptResult {
        accepted: done.accepted,
        causes: done.causes,
        refused: done.refused,
    })
}

/// Removes the selected pending goldens; the goldens stay. Returns the keys that were removed; refused ones are not
/// reported. A file that several classes proposed stays for the classes that are not selected. A selected key that
/// matches nothing pending is an error.
pub(super) fn reject(
    folder: &GoldenFolder,
    selection: &Selection,
) -> Result<Vec<GoldenKey>, SnapshotError> {
    let lock = folder.lock()?;
    let decision = Decision {
        reject: selected_keys(folder, selection)?,
        ..Decision::default()
    };
    Ok(decide_locked(folder, &lock, &decision)?.rejected)
}

/// Removes goldens and their pending files, as one decision. The shared files go with the last class. A key
/// without class stands for all classes. Refused keys are in the result.
pub(super) fn remove(
    folder: &GoldenFolder,
    keys: &[GoldenKey],
) -> Result<DecisionResult, SnapshotError> {
    decide(
        folder,
        &Decision {
            remove: keys.to_vec(),
            ..Decision::default()
        },
    )
}

fn selected_keys(
    folder: &GoldenFolder,
    selection: &Selection,
) -> Result<Vec<GoldenKey>, SnapshotError> {
    let entries = review::selected(folder, selection)?;
    Ok(entries.into_iter().map(|entry| entry.key).collect())
}

/// Removes files that an interrupted process left, then carries out a decision: accepted keys first, then rejected,
/// then removed ones. A key that is refused does not stop the others. After an error no golden has changed, except for
/// [`SnapshotError::Unfinished`]: then the next holder of the lock completes the decision. The caller holds the lock.
fn decide_locked(
    folder: &GoldenFolder,
    lock: &Lock,
    decision: &Decision,
) -> Result<DecisionResult, SnapshotError> {
    sweep(folder)?;
    let mut draft = Draft::new(folder)?;
    for key in &decision.accept {
        draft.accept(key, decision.observed.get(key));
    }
    draft.reject(&decision.reject, &decision.observed)?;
    draft.remove(&decision.remove)?;
    let Draft { changes, done, .. } = draft;
    let changes: Vec<Change> = changes.into_values().collect();
    commit(folder, lock, &changes, &done)?;
    Ok(done)
}

/// Writes the changes of a decision together with its record for the history, and removes the oldest
/// decisions beyond the limits. Without changes there is no record.
pub(super) fn commit(
    folder: &GoldenFolder,
    lock: &Lock,
    changes: &[Change],
    done: &DecisionResult,
) -> Result<(), SnapshotError> {
    // No record is kept, since undoing it would change nothing.
    if changes.is_empty() {
        return Ok(());
    }
    let words = |keys: &[GoldenKey]| keys.iter().map(ToString::to_string).collect();
    let record = Record {
        id: history::next(&folder.disk)?,
        accepted: words(&done.accepted),
        rejected: words(&done.rejected),
        removed: words(&done.removed),
    };
    journal::commit(&folder.disk, lock, changes, DecisionKind::Decides(record))?;
    // The decision is valid even if older ones cannot be removed now.
    let _ = history::tidy(&folder.disk);
    Ok(())
}

/// Removes files of a process that ended before its journal was in place, and the oldest decisions beyond the limits.
fn sweep(folder: &GoldenFolder) -> Result<(), SnapshotError> {
    for path in folder.leftovers()? {
        folder.disk.remove(&path)?;
    }
    history::tidy(&folder.disk)
}

/// Decision while its changes are gathered. The changes of each key are all included or none.
struct Draft<'a> {
    folder: &'a GoldenFolder,
    pending: BTreeMap<GoldenKey, PendingEntry>,
    changes: BTreeMap<Utf8PathBuf, Change>,
    done: DecisionResult,
}

impl<'a> Draft<'a> {
    /// Creates a draft without changes; reads all that is pending.
    fn new(folder: &'a GoldenFolder) -> Result<Self, SnapshotError> {
        let pending = review::all(folder)?;
        Ok(Self {
            folder,
            pending: pending
                .into_iter()
                .map(|entry| (entry.key.clone(), entry))
                .collect(),
            changes: BTreeMap::new(),
            done: DecisionResult::default(),
        })
    }

    /// Returns the pending golden of a key. Fails with [`SnapshotError::Gone`] if there is none, and with
    /// [`SnapshotError::LookAgain`] if it is not the `observed` version. `None` fits any version.
    fn entry(
        &self,
        key: &GoldenKey,
        observed: Option<&String>,
    ) -> Result<&PendingEntry, SnapshotError> {
        let entry = self
            .pending
            .get(key)
            .ok_or_else(|| SnapshotError::Gone(key.to_string()))?;
        match observed {
            Some(observed_text) if *observed_text != entry.version => {
                Err(SnapshotError::LookAgain(key.to_string()))
            }
            _ => Ok(entry),
        }
    }

    /// Accepts a golden: adds its changes to the draft, and the key with its cause to the result. If one of its changes
    /// fails, none is added, and the key is refused with the error. Writes nothing.
    fn accept(&mut self, key: &GoldenKey, observed: Option<&String>) {
        let changes = self
            .entry(key, observed)
            .and_then(|entry| Ok((self.accepted_changes(entry)?, entry.cause.clone())));
        match changes {
            Ok((changes, cause)) => {
                self.add(changes);
                let causes = &mut self.done.causes;
                causes.extend(cause.map(|cause| (key.clone(), cause)));
                self.done.accepted.push(key.clone());
            }
            Err(error) => self.done.refused.push((key.clone(), error)),
        }
    }

    /// Adds changes; one of a file replaces an earlier one.
    fn add(&mut self, changes: Vec<Change>) {
        let named = changes
            .into_iter()
            .map(|change| (change.path.clone(), change));
        self.changes.extend(named);
    }

    /// Returns the changes of accepting a golden: its files get their proposed bytes, pending ones and an outdated
    /// picture go. Shared rows that a variant would only repeat are not written. Fails if a file is missing or is not
    /// the one that the run proposed, if its golden changed since, or if a class that was accepted earlier in this
    /// decision proposes other bytes for the same file.
    fn accepted_changes(&self, entry: &PendingEntry) -> Result<Vec<Change>, SnapshotError> {
        self.ensure_whole(entry)?;
        let mut changes = Vec::new();
        for file in &entry.files {
            let [put, take] = self.accepted_file(file)?;
            let version = entry.parts.get(&file.part());
            if version.is_some_and(|version| put.new_hash() != *version) {
                return Err(SnapshotError::NotWhole(file.pending.clone()));
            }
            if file.shared && self.is_as_without_variant(&entry.key, &put)? {
                changes.push(Change {
                    // No golden is written here, and a file that depended on one would stay.
                    after: None,
                    ..take
                });
                continue;
            }
            let rival = self.changes.get(&put.path);
            if rival.is_some_and(|rival| rival.new != put.new) {
                return Err(SnapshotError::Rival(put.path));
            }
            changes.extend([put, take]);
        }
        let written: Vec<Utf8PathBuf> = entry.files.iter().map(|it| it.golden.clone()).collect();
        changes.extend(stale_files::outdated_picture(
            self.folder,
            &entry.key,
            &written,
        )?);
        Ok(changes)
    }

    /// Checks that all files are there that the run proposed together. In place of a pending file that is gone the
    /// golden may have its bytes, since other classes accept the shared rows too; for a variant so may the golden
    /// without variant.
    ///
    /// # Errors
    /// [`SnapshotError::NotWhole`].
    fn ensure_whole(&self, entry: &PendingEntry) -> Result<(), SnapshotError> {
        let (disk, key) = (&self.folder.disk, &entry.key);
        for (kind, version) in &entry.parts {
            if entry.files.iter().any(|file| file.part() == *kind) {
                continue;
            }
            let mut now = disk.hash(&self.folder.path(key, *kind, false))?;
            if now == ABSENT {
                let plain = key.without_variant();
                now = disk.hash(&self.folder.path(&plain, *kind, false))?;
            }
            if now != *version {
                let (of, kind) = match kind {
                    FileKind::Shared => (key.shared(), FileKind::Rows),
                    kind => (key.clone(), *kind),
                };
                return Err(SnapshotError::NotWhole(self.folder.path(&of, kind, true)));
            }
        }
        Ok(())
    }

    /// Returns true if a variant without rows of its own would get exactly the rows that it shares with
    /// devices without variant, as they are after this decision. Then it goes on sharing them. Returns false
    /// for a key without variant.
    fn is_as_without_variant(&self, key: &GoldenKey, put: &Change) -> Result<bool, SnapshotError> {
        if key.variant().is_none() || put.old != ABSENT {
            return Ok(false);
        }
        let plain = key.without_variant().shared();
        let plain = self.folder.path(&plain, FileKind::Rows, false);
        Ok(match self.changes.get(&plain) {
            Some(change) => change.new == put.new,
            None => self.folder.disk.read(&plain)? == put.new,
        })
    }

    /// Returns the two changes of accepting a file: the golden gets its bytes without the mark, and the
    /// pending file is removed after that.
    ///
    /// # Errors
    /// The pending file is missing or has no valid mark, or the golden is neither the one it was compared
    /// with nor the new one.
    fn accepted_file(&self, file: &PendingFile) -> Result<[Change; 2], SnapshotError> {
        let disk = &self.folder.disk;
        let marked = disk.read(&file.pending)?.unwrap_or_default();
        let (mark, bytes) = pending::unmark(&marked)
            .ok_or_else(|| SnapshotError::NotPending(file.pending.clone()))?;
        let put = Change {
            path: file.golden.clone(),
            old: mark.against,
            new: Some(bytes),
            after: None,
        };
        // `journal::commit` checks again, but would refuse the whole decision; here only this key is refused.
        put.ensure_unchanged(disk)?;
        let take = Change {
            path: file.pending.clone(),
            old: hash(&marked),
            new: None,
            after: Some(file.golden.clone()),
        };
        Ok([put, take])
    }

    /// Rejects pending goldens. A file that several classes proposed stays for the others, and one that is accepted for
    /// another class in this decision is left to that. A key that is not pending, or whose files are not those that
    /// were `observed`, is refused and does not stop the others.
    fn reject(
        &mut self,
        keys: &[GoldenKey],
        observed: &BTreeMap<GoldenKey, String>,
    ) -> Result<(), SnapshotError> {
        let mut files: BTreeMap<Utf8PathBuf, BTreeSet<String>> = BTreeMap::new();
        for key in keys {
            match self.entry(key, observed.get(key)) {
                Ok(entry) => {
                    for file in &entry.files {
                        let by = files.entry(file.pending.clone()).or_default();
                        by.extend(key.class().map(ToString::to_string));
                    }
                    self.done.rejected.push(key.clone());
                }
                Err(error) => self.done.refused.push((key.clone(), error)),
            }
        }
        for (path, by) in files {
            // A file that is accepted for another class is removed by that.
            if !self.changes.contains_key(&path) {
                let change = stale_files::withdraw(self.folder, &path, &by)?;
                self.add(change.into_iter().collect());
            }
        }
        Ok(())
    }

    /// Removes goldens with their pending files. A key that has no files, or is accepted in the same decision, is
    /// refused and does not stop the others.
    fn remove(&mut self, keys: &[GoldenKey]) -> Result<(), SnapshotError> {
        let files = self.folder.files()?;
        for key in keys {
            let goes = prune::files_of(&files, key, keys);
            if goes.is_empty() {
                let gone = SnapshotError::Gone(key.to_string());
                self.done.refused.push((key.clone(), gone));
                continue;
            }
            let mut changes = Vec::new();
            for path in goes
                .iter()
                .map(|(of, kind, is_pending)| self.folder.path(of, *kind, *is_pending))
            {
                changes.extend(self.folder.removal(&path)?);
            }
            let is_accepted = |change: &Change| {
                let other = self.changes.get(&change.path);
                other.is_some_and(|other| other.new.is_some())
            };
            if changes.iter().any(is_accepted) {
                let error = SnapshotError::Name {
                    what: "decision about",
                    given: key.to_string(),
                    why: "it is to be accepted and removed at once",
                };
                self.done.refused.push((key.clone(), error));
                continue;
            }
            self.add(changes);
            self.done.removed.push(key.clone());
        }
        Ok(())
    }
}
