//! Changes several files as one step, with a lock, a journal and renames.
//!
//! Nothing is changed before the journal is in place; from then on every start completes its changes. So
//! wherever a process ends, each file is complete and either old or new. The journal of a person's decision
//! becomes its record in the history by one rename: a decision is done and can be undone, or neither.

#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "the lock of the store's own state"
    )
)]

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::disk::{Disk, staged};
use super::golden::{ABSENT, hash};
use super::history::{self, Record};
use super::name::check_below;
use super::{GoldenKey, SnapshotError};

/// Folder of the program's own files.
const STATE: &str = ".runner";
const JOURNAL: &str = ".runner/goldens.journal";
const LOCK: &str = ".runner/goldens.lock";
/// Version of the journal's format.
const SCHEMA: u32 = 2;

/// Longest wait for another process. An accept of a thousand goldens took half a minute on a busy machine,
/// most of it waiting for the disk.
const LOCK_LIMIT: Duration = Duration::from_mins(3);

/// Change of one file, which is made only while the file has its old content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// Path below the root.
    pub path: Utf8PathBuf,
    /// Hash that the file must have now.
    pub old: String,
    /// New bytes; `None` removes the file.
    pub new: Option<Vec<u8>>,
    /// File that changes together with this one. If somebody changed that one meanwhile, this one is not
    /// changed either.
    pub after: Option<Utf8PathBuf>,
}

impl Change {
    /// Returns the hash after the change, `none` if it removes the file.
    pub(super) fn new_hash(&self) -> String {
        self.new.as_deref().map_or_else(|| ABSENT.to_owned(), hash)
    }

    /// Returns the file's present hash, `none` for a missing file. Fails with
    /// [`SnapshotError::GoldenChanged`] unless it is the hash before or the hash after the change.
    pub(super) fn ensure_unchanged(&self, disk: &Disk) -> Result<String, SnapshotError> {
        let now = disk.hash(&self.path)?;
        if now == self.old || now == self.new_hash() {
            return Ok(now);
        }
        Err(SnapshotError::GoldenChanged(self.path.clone()))
    }
}

/// Meaning of a change for the history of decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DecisionKind {
    /// No decision: a run, an import or a merge wrote the files.
    #[default]
    Run,
    /// Decision that can be undone.
    Decides(Record),
    /// Undoes the decision of this number.
    Undoes(u64),
}

/// Intended changes, as they are stored on the disk.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    schema: u32,
    pub(super) meaning: DecisionKind,
    pub(super) steps: Vec<Step>,
}

/// Change of one file in a journal.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) path: Utf8PathBuf,
    pub(super) old: String,
    pub(super) new: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<Utf8PathBuf>,
}

impl Journal {
    /// Reads a journal, an unfinished one or one from the history. Returns `None` if the file does not exist. Another
    /// schema, text that is no journal, and paths outside of the root or of files that are not goldens are
    /// [`SnapshotError::BrokenJournal`]. The present contents of the files do not matter.
    pub(super) fn read(disk: &Disk, path: &Utf8Path) -> Result<Option<Self>, SnapshotError> {
        let Some(text) = disk.read(path)? else {
            return Ok(None);
        };
        let broken = |why: String| SnapshotError::BrokenJournal {
            path: disk.root().join(path),
            why,
        };
        let journal: Self =
            serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?;
        if journal.schema != SCHEMA {
            return Err(broken(format!("its schema is {}", journal.schema)));
        }
        for step in &journal.steps {
            for path in std::iter::once(&step.path).chain(&step.after) {
                check_below("path", path).map_err(|error| broken(error.to_string()))?;
                // The journal may have come with somebody's repository, so only goldens are touched.
                if GoldenKey::from_file(path).is_none() {
                    return Err(broken(format!("{path} is not a golden")));
                }
            }
        }
        Ok(Some(journal))
    }
}

/// Lock that is held while goldens or pending files are written. It is released when dropped, or when the
/// process ends.
#[derive(Debug)]
pub(super) struct Lock(
    #[expect(dead_code, reason = "the lock lives as long as the file is open")] File,
);

/// Takes the lock of the root, for this and other processes, and waits up to [`LOCK_LIMIT`] for it; then it fails
/// with [`SnapshotError::Locked`]. Creates the folder `.runner`. The lock ends with the returned value. A lock file
/// that is a link is refused with [`SnapshotError::Outside`].
pub(super) fn lock(disk: &Disk) -> Result<Lock, SnapshotError> {
    disk.make_folder(Utf8Path::new(STATE))?;
    let path = disk.root().join(LOCK);
    // A repository could bring the lock as a link, and opening it would create a file elsewhere.
    if path.is_symlink() {
        return Err(SnapshotError::Outside(LOCK.into()));
    }
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(SnapshotError::io(&path))?
        .into_parts()
        .0;
    let end = Instant::now() + LOCK_LIMIT;
    loop {
        // Polled, because `lock` would wait without a limit.
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::Error(error)) => return Err(SnapshotError::io(&path)(error)),
            Err(TryLockError::WouldBlock) if Instant::now() > end => {
                return Err(SnapshotError::Locked(path));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Makes all changes, or none if one of the files has neither its old nor its new content. A file that has the new
/// content already is no error. A run without changes writes nothing; a decision is recorded even without any. The
/// caller holds the lock and has called [`recover`].
///
/// # Errors
/// [`SnapshotError::GoldenChanged`] for a file with another content, or the disk's error; then nothing is changed.
/// [`SnapshotError::Unfinished`] if the journal is in place but a change failed; then the next [`recover`] completes
/// it.
pub(super) fn commit(
    disk: &Disk,
    // Only the holder of the lock can call this.
    _: &Lock,
    changes: &[Change],
    meaning: DecisionKind,
) -> Result<(), SnapshotError> {
    if changes.is_empty() && meaning == DecisionKind::Run {
        return Ok(());
    }
    let mut steps = Vec::with_capacity(changes.len());
    for change in changes {
        steps.push(Step {
            path: change.path.clone(),
            old: change.ensure_unchanged(disk)?,
            new: change.new_hash(),
            after: change.after.clone(),
        });
    }
    let journal = Journal {
        schema: SCHEMA,
        meaning,
        steps,
    };
    if let Err(error) = prepare(disk, changes, &journal) {
        discard(disk, changes, &journal);
        return Err(error);
    }
    complete(disk, &journal)
}

/// Completes the changes of a journal in place. If that fails now, the next start does it. The error is always
/// [`SnapshotError::Unfinished`].
fn complete(disk: &Disk, journal: &Journal) -> Result<(), SnapshotError> {
    roll_forward(disk, journal).map_err(|error| SnapshotError::Unfinished(Box::new(error)))
}

/// Writes everything that must be on the disk before the first change: the new bytes beside their targets, the files
/// to keep for an undo, and last the journal. After it returns, the change will be completed even after a crash.
/// After an error the caller calls [`discard`].
fn prepare(disk: &Disk, changes: &[Change], journal: &Journal) -> Result<(), SnapshotError> {
    let (path, staged_journal) = (Utf8Path::new(JOURNAL), staged(Utf8Path::new(JOURNAL)));
    let (mut files, mut made) = (Vec::new(), Vec::new());
    for change in changes {
        if let Some(bytes) = &change.new {
            let staged = staged(&change.path);
            made.extend(disk.stage(&staged, bytes)?);
            files.push(staged);
        }
    }
    if let DecisionKind::Decides(record) = &journal.meaning {
        let replaced = journal.steps.iter().enumerate();
        let replaced = replaced.filter(|(_, step)| step.old != ABSENT && step.old != step.new);
        let replaced = replaced.map(|(at, step)| (at, step.path.as_path()));
        history::keep(disk, record.id, replaced)?;
    }
    let text =
        serde_json::to_vec_pretty(journal).map_err(|error| SnapshotError::BrokenJournal {
            path: JOURNAL.into(),
            why: error.to_string(),
        })?;
    made.extend(disk.stage(&staged_journal, &text)?);
    // The journal gets its name only after everything that it refers to is on the disk.
    let names = files.iter().chain(&made).map(Utf8PathBuf::as_path);
    disk.sync_folders(names)?;
    files.push(staged_journal.clone());
    disk.sync_files(&files)?;
    // Renamed, because half a journal would stop every later command.
    disk.rename(&staged_journal, path)?;
    disk.sync_folders([path])
}

/// Removes what was prepared for a journal that did not get in place, the journal itself first. If the
/// journal cannot be removed, the rest stays, since it needs it. Errors are ignored.
fn discard(disk: &Disk, changes: &[Change], journal: &Journal) {
    let journal_path = Utf8Path::new(JOURNAL);
    // The journal is in place if only the sync after its renaming failed. As long as it is, it needs the
    // prepared files.
    if disk.remove(journal_path).is_err() {
        return;
    }
    let _ = disk.sync_folders([journal_path]);
    // The next command removes what cannot be removed now.
    let _ = disk.remove(&staged(journal_path));
    for change in changes.iter().filter(|change| change.new.is_some()) {
        let _ = disk.remove(&staged(&change.path));
    }
    if let DecisionKind::Decides(record) = &journal.meaning {
        let _ = history::forget(disk, record.id);
    }
}

/// Completes the changes that an earlier process began, and returns true if there was a journal. Without one it returns
/// false, and removes a journal that was not yet in place. Fails, and changes nothing, if the journal cannot be read. A
/// change that fails is [`SnapshotError::Unfinished`], and the journal stays.
pub(super) fn recover(disk: &Disk, _: &Lock) -> Result<bool, SnapshotError> {
    let Some(journal) = Journal::read(disk, Utf8Path::new(JOURNAL))? else {
        let unpromised = staged(Utf8Path::new(JOURNAL));
        if disk.exists(&unpromised) {
            disk.remove(&unpromised)?;
        }
        return Ok(false);
    };
    complete(disk, &journal)?;
    Ok(true)
}

/// Returns true if there is a journal: a change was interrupted, or another process makes one just now.
pub(super) fn is_unfinished(disk: &Disk) -> bool {
    disk.exists(Utf8Path::new(JOURNAL))
}

/// Makes the changes of a journal, each only if its file has the old content: goldens first, then the removal of
/// pending files whose golden is in place, and then ends the journal. It may be done again after a crash. Files with
/// another content stay as they are, without an error; their prepared bytes are removed.
fn roll_forward(disk: &Disk, journal: &Journal) -> Result<(), SnapshotError> {
    let new: BTreeMap<&Utf8Path, &str> = journal
        .steps
        .iter()
        .map(|step| (step.path.as_path(), step.new.as_str()))
        .collect();
    // Pending files are removed only after their goldens are durable, so a crash in between leaves both.
    let (first, second): (Vec<&Step>, Vec<&Step>) =
        journal.steps.iter().partition(|step| step.after.is_none());
    let paths = |steps: &[&'_ Step]| -> Vec<Utf8PathBuf> {
        steps.iter().map(|step| step.path.clone()).collect()
    };
    for step in &first {
        carry_out(disk, step)?;
    }
    disk.sync_folders(paths(&first).iter().map(Utf8PathBuf::as_path))?;
    for step in &second {
        let held = match &step.after {
            Some(after) => new.get(after.as_path()) == Some(&disk.hash(after)?.as_str()),
            None => true,
        };
        if held {
            carry_out(disk, step)?;
        }
    }
    disk.sync_folders(paths(&second).iter().map(Utf8PathBuf::as_path))?;
    for step in journal.steps.iter().filter(|step| step.new != ABSENT) {
        // The new bytes are still there if somebody changed the file and `carry_out` did not touch it.
        let staged = staged(&step.path);
        if disk.exists(&staged) {
            disk.remove(&staged)?;
        }
    }
    finish(disk, journal)
}

/// Makes the change of one step. A file that has neither its old nor its new content stays as it is, and so does a file
/// whose prepared bytes are missing or not those of the journal. None of this is an error.
fn carry_out(disk: &Disk, step: &Step) -> Result<(), SnapshotError> {
    let now = disk.hash(&step.path)?;
    if now == step.new || now != step.old {
        return Ok(());
    }
    if step.new == ABSENT {
        return disk.remove(&step.path);
    }
    let staged = staged(&step.path);
    // Only the bytes that were accepted may become a golden.
    if disk.hash(&staged)? == step.new {
        disk.rename(&staged, &step.path)?;
    }
    Ok(())
}

/// Removes the journal of completed changes, or makes it the record of the decision. If the decision's folder is gone
/// meanwhile, the decision stays valid but cannot be undone. An undone decision is removed with its journal.
fn finish(disk: &Disk, done: &Journal) -> Result<(), SnapshotError> {
    let journal = Utf8Path::new(JOURNAL);
    match &done.meaning {
        DecisionKind::Run => {
            disk.remove(journal)?;
            // If a crash brings the journal back, its new files are in place and nothing is done again.
            if done.steps.iter().all(|step| step.new != ABSENT) {
                return Ok(());
            }
        }
        DecisionKind::Decides(record) => {
            let path = history::record_path(record.id);
            // Somebody may have emptied `.runner` meanwhile. The decision is valid all the same.
            if path.parent().is_some_and(|folder| disk.exists(folder)) {
                disk.rename(journal, &path)?;
                disk.sync_folders([path.as_path()])?;
            } else {
                disk.remove(journal)?;
            }
        }
        DecisionKind::Undoes(id) => {
            // The journal last: after a crash in between, the next command removes the rest of the decision.
            history::forget(disk, *id)?;
            disk.remove(journal)?;
        }
    }
    disk.sync_folders([journal])
}

#[cfg(test)]
mod tests;
