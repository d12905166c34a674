//! Changing several goldens as one: a lock, a journal of what is intended, renames.
//!
//! Before the journal is in place nothing has happened; from then on every start rolls it forward. So wherever a process
//! ends, each golden is old or new, and whole.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::SnapshotError;
use super::disk::{Disk, staged};
use super::golden::{ABSENT, hash};
use super::name::check_below;

/// Folder of the program's own files.
const STATE: &str = ".runner";
const JOURNAL: &str = ".runner/goldens.journal";
const LOCK: &str = ".runner/goldens.lock";

/// Longest wait for another process; an accept of hundreds of goldens takes a second or two.
const LOCK_LIMIT: Duration = Duration::from_secs(20);

/// One golden's file that is to be replaced.
#[derive(Debug, Clone)]
pub(super) struct Replacement {
    /// The golden, below the root.
    pub golden: Utf8PathBuf,
    /// Its new bytes.
    pub bytes: Vec<u8>,
    /// Hash of the golden these bytes are meant to replace.
    pub against: String,
    /// Pending file that goes away with it, below the root, and its hash.
    pub pending: Option<(Utf8PathBuf, String)>,
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

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    schema: u32,
    steps: Vec<Step>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Step {
    golden: Utf8PathBuf,
    old: String,
    new: String,
    pending: Option<(Utf8PathBuf, String)>,
}

/// Replaces all goldens, or none where one of them is not what it was. The caller holds the lock and has recovered.
pub(super) fn commit(disk: &Disk, _: &Lock, changes: &[Replacement]) -> Result<(), SnapshotError> {
    if changes.is_empty() {
        return Ok(());
    }
    for change in changes {
        ensure_unchanged(disk, change)?;
    }
    let mut steps = Vec::with_capacity(changes.len());
    for change in changes {
        let staged = staged(&change.golden);
        if let Err(error) = disk.write(&staged, &change.bytes) {
            discard(disk, changes);
            return Err(error);
        }
        steps.push(Step {
            golden: change.golden.clone(),
            old: change.against.clone(),
            new: hash(&change.bytes),
            pending: change.pending.clone(),
        });
    }
    let journal = Journal { schema: 1, steps };
    let text =
        serde_json::to_vec_pretty(&journal).map_err(|error| SnapshotError::BrokenJournal {
            path: JOURNAL.into(),
            why: error.to_string(),
        })?;
    disk.replace(Utf8Path::new(JOURNAL), &text)?;
    roll_forward(disk, &journal)
}

/// Refuses where the golden is neither what it was nor already what it shall be.
pub(super) fn ensure_unchanged(disk: &Disk, change: &Replacement) -> Result<(), SnapshotError> {
    let now = disk.hash(&change.golden)?;
    if now == change.against || now == hash(&change.bytes) {
        return Ok(());
    }
    Err(SnapshotError::GoldenChanged(change.golden.clone()))
}

/// Nothing was promised yet: what was staged goes, as far as it can.
fn discard(disk: &Disk, changes: &[Replacement]) {
    for change in changes {
        let _ = disk.remove(&staged(&change.golden));
    }
}

/// Ends what an earlier process began. Returns whether there was anything.
pub(super) fn recover(disk: &Disk, _: &Lock) -> Result<bool, SnapshotError> {
    let path = Utf8Path::new(JOURNAL);
    let Some(text) = disk.read(path)? else {
        return Ok(false);
    };
    let broken = |why: String| SnapshotError::BrokenJournal {
        path: disk.root().join(path),
        why,
    };
    let journal: Journal =
        serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?;
    for step in &journal.steps {
        let pending = step.pending.as_ref().map(|(path, _)| path.as_path());
        for path in std::iter::once(step.golden.as_path()).chain(pending) {
            check_below("path", path).map_err(|error| broken(error.to_string()))?;
        }
    }
    roll_forward(disk, &journal)?;
    Ok(true)
}

/// Whether an unfinished journal is there.
pub(super) fn is_unfinished(disk: &Disk) -> bool {
    disk.root().join(JOURNAL).as_std_path().exists()
}

fn roll_forward(disk: &Disk, journal: &Journal) -> Result<(), SnapshotError> {
    for step in &journal.steps {
        let staged = staged(&step.golden);
        let now = disk.hash(&step.golden)?;
        if now == step.old && now != step.new && disk.hash(&staged)? == step.new {
            disk.rename(&staged, &step.golden)?;
        }
    }
    for step in &journal.steps {
        let staged = staged(&step.golden);
        if disk.hash(&staged)? != ABSENT {
            disk.remove(&staged)?;
        }
        // A golden that somebody changed meanwhile stays as it is, and so does what was pending for it.
        if let Some((pending, is)) = &step.pending
            && disk.hash(&step.golden)? == step.new
            && disk.hash(pending)? == *is
        {
            disk.remove(pending)?;
        }
    }
    disk.remove(Utf8Path::new(JOURNAL))
}
