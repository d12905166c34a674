//! Changing several files as one: a lock, a journal of what is intended, renames.
//!
//! Before the journal is in place nothing has happened; from then on every start rolls it forward. So wherever a process
//! ends, each file is old or new, and whole. The journal of a person's decision then becomes its record in the history,
//! by one rename: a decision is done and can be taken back, or neither.

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
const SCHEMA: u32 = 2;

/// Longest wait for another process. An accept of a thousand goldens took half a minute on a busy machine, most of it
/// waiting for the disk.
const LOCK_LIMIT: Duration = Duration::from_mins(3);

/// One file that is to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The file, below the root.
    pub path: Utf8PathBuf,
    /// Hash of what it must be now.
    pub old: String,
    /// Its new bytes; `None` takes it away.
    pub new: Option<Vec<u8>>,
    /// Another file that changes with it: where somebody changed that one meanwhile, this one stays too.
    pub after: Option<Utf8PathBuf>,
}

impl Change {
    /// Hash of what it shall be.
    pub(super) fn new_hash(&self) -> String {
        self.new.as_deref().map_or_else(|| ABSENT.to_owned(), hash)
    }

    /// Refuses where the file is neither what it was nor already what it shall be. Gives the hash of what it is.
    pub(super) fn ensure_unchanged(&self, disk: &Disk) -> Result<String, SnapshotError> {
        let now = disk.hash(&self.path)?;
        if now == self.old || now == self.new_hash() {
            return Ok(now);
        }
        Err(SnapshotError::GoldenChanged(self.path.clone()))
    }
}

/// What the changes mean to the history of decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DecisionKind {
    /// Nothing: a run wrote them.
    #[default]
    Run,
    /// A decision, which can be taken back.
    Decides(Record),
    /// The decision of this number is taken back.
    Undoes(u64),
}

/// What is intended, as it is on the disk.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    schema: u32,
    pub(super) meaning: DecisionKind,
    pub(super) steps: Vec<Step>,
}

/// One file of a journal.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) path: Utf8PathBuf,
    pub(super) old: String,
    pub(super) new: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<Utf8PathBuf>,
}

impl Journal {
    /// Reads a journal, unfinished or kept in the history.
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
                // It may have come with somebody's repository: nothing but goldens is ever touched.
                if GoldenKey::of_file(path).is_none() {
                    return Err(broken(format!("{path} is not a golden")));
                }
            }
        }
        Ok(Some(journal))
    }
}

/// Held while goldens or pending files are written; released when dropped, or when the process ends.
#[derive(Debug)]
pub(super) struct Lock(
    #[expect(dead_code, reason = "the lock lives as long as the file is open")] File,
);

/// Takes the lock.
pub(super) fn lock(disk: &Disk) -> Result<Lock, SnapshotError> {
    disk.make_folder(Utf8Path::new(STATE))?;
    let path = disk.root().join(LOCK);
    // A repository could bring the lock as a link: opening it would make a file elsewhere.
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
        // Asked again and again, because `lock` would wait without a limit.
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

/// Makes all changes, or none where one of the files is not what it was. The caller holds the lock and has recovered.
pub(super) fn commit(
    disk: &Disk,
    // Only who holds the lock can call this.
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
    if let Err(error) = promise(disk, changes, &journal) {
        discard(disk, changes, &journal);
        return Err(error);
    }
    finished(disk, &journal)
}

/// Does what was promised; where that cannot be done now, it is done later.
fn finished(disk: &Disk, journal: &Journal) -> Result<(), SnapshotError> {
    roll_forward(disk, journal).map_err(|error| SnapshotError::Unfinished(Box::new(error)))
}

/// All that must be on the disk before anything changes; the journal last.
fn promise(disk: &Disk, changes: &[Change], journal: &Journal) -> Result<(), SnapshotError> {
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
    // The journal gets its name only once all of what it promises is on the disk.
    let names = files.iter().chain(&made).map(Utf8PathBuf::as_path);
    disk.sync_folders(names)?;
    files.push(staged_journal.clone());
    disk.sync_files(&files)?;
    // Renamed, for half a journal would hinder every command from then on.
    disk.rename(&staged_journal, path)?;
    disk.sync_folders([path])
}

/// Nothing was promised yet: what was prepared goes, as far as it can, the promise first.
fn discard(disk: &Disk, changes: &[Change], journal: &Journal) {
    let journal_path = Utf8Path::new(JOURNAL);
    // It is in place where only the sync after its renaming failed. While it stands, it needs what was prepared.
    if disk.remove(journal_path).is_err() {
        return;
    }
    let _ = disk.sync_folders([journal_path]);
    // What cannot be removed now the next command removes.
    let _ = disk.remove(&staged(journal_path));
    for change in changes.iter().filter(|change| change.new.is_some()) {
        let _ = disk.remove(&staged(&change.path));
    }
    if let DecisionKind::Decides(record) = &journal.meaning {
        let _ = history::forget(disk, record.id);
    }
}

/// Ends what an earlier process began. Returns whether there was anything.
pub(super) fn recover(disk: &Disk, _: &Lock) -> Result<bool, SnapshotError> {
    let Some(journal) = Journal::read(disk, Utf8Path::new(JOURNAL))? else {
        let unpromised = staged(Utf8Path::new(JOURNAL));
        if disk.exists(&unpromised) {
            disk.remove(&unpromised)?;
        }
        return Ok(false);
    };
    finished(disk, &journal)?;
    Ok(true)
}

/// Whether an unfinished journal is there.
pub(super) fn is_unfinished(disk: &Disk) -> bool {
    disk.exists(Utf8Path::new(JOURNAL))
}

fn roll_forward(disk: &Disk, journal: &Journal) -> Result<(), SnapshotError> {
    let new: BTreeMap<&Utf8Path, &str> = journal
        .steps
        .iter()
        .map(|step| (step.path.as_path(), step.new.as_str()))
        .collect();
    // Pending files go only once their goldens are durable: a crash in between leaves both, never neither.
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
        // It is still there where somebody changed the file and `carry_out` left it alone.
        let staged = staged(&step.path);
        if disk.exists(&staged) {
            disk.remove(&staged)?;
        }
    }
    finish(disk, journal)
}

/// A file that somebody changed meanwhile stays as it is.
fn carry_out(disk: &Disk, step: &Step) -> Result<(), SnapshotError> {
    let now = disk.hash(&step.path)?;
    if now == step.new || now != step.old {
        return Ok(());
    }
    if step.new == ABSENT {
        return disk.remove(&step.path);
    }
    let staged = staged(&step.path);
    // Bytes that nobody accepted never become a golden.
    if disk.hash(&staged)? == step.new {
        disk.rename(&staged, &step.path)?;
    }
    Ok(())
}

/// All is done: the journal goes, or becomes the record of the decision.
fn finish(disk: &Disk, done: &Journal) -> Result<(), SnapshotError> {
    let journal = Utf8Path::new(JOURNAL);
    match &done.meaning {
        DecisionKind::Run => {
            disk.remove(journal)?;
            // Where a crash brings it back, its new files are in place and nothing is done again.
            if done.steps.iter().all(|step| step.new != ABSENT) {
                return Ok(());
            }
        }
        DecisionKind::Decides(record) => {
            let path = history::record_path(record.id);
            // Somebody may have emptied `.runner` meanwhile; what was decided is done all the same.
            if path.parent().is_some_and(|folder| disk.exists(folder)) {
                disk.rename(journal, &path)?;
                disk.sync_folders([path.as_path()])?;
            } else {
                disk.remove(journal)?;
            }
        }
        DecisionKind::Undoes(id) => {
            // The journal last: after a crash in between, the next command forgets what is left of the decision.
            history::forget(disk, *id)?;
            disk.remove(journal)?;
        }
    }
    disk.sync_folders([journal])
}

#[cfg(test)]
mod tests;
