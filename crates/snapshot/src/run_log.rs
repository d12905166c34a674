//! What a run wrote, where several devices take part in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use super::GoldenKey;

/// What a run wrote so far, by path below the root.
#[derive(Debug, Clone, Default)]
pub(super) struct RunLog(Arc<Mutex<BTreeMap<Utf8PathBuf, DecidedFile>>>);

/// A golden's file that the run decided about.
#[derive(Debug, Clone, Default)]
pub(super) struct DecidedFile {
    /// What it was before the run.
    pub before: Option<Vec<u8>>,
    /// Hash of what it is now.
    pub now: String,
    /// Hash of what these keys saw; a variant's that stays shared is not there all the same.
    pub observed: String,
    /// Whose rows or picture this is.
    pub by: BTreeSet<GoldenKey>,
}

impl RunLog {
    fn files(&self) -> MutexGuard<'_, BTreeMap<Utf8PathBuf, DecidedFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the device of `key` compares with, where the file held `now` when it was read just before. What it wrote
    /// itself counts: it may try a flow again.
    pub(super) fn before(
        &self,
        path: &Utf8Path,
        key: &GoldenKey,
        now: Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        match self.files().get(path) {
            Some(written) if !written.by.contains(key) => written.before.clone(),
            _ => now,
        }
    }

    pub(super) fn get(&self, path: &Utf8Path) -> Option<DecidedFile> {
        self.files().get(path).cloned()
    }

    /// Notes what is about to be written, before it is: who reads the new file then finds here what was there.
    pub(super) fn note(&self, written: Vec<(Utf8PathBuf, DecidedFile)>) -> Noted {
        let mut files = self.files();
        written
            .into_iter()
            .map(|(path, written)| (path.clone(), files.insert(path, written)))
            .collect()
    }

    /// Nothing was written.
    pub(super) fn take_back(&self, noted: Noted) {
        let mut files = self.files();
        for (path, known) in noted {
            match known {
                Some(known) => files.insert(path, known),
                None => files.remove(&path),
            };
        }
    }

    /// What was there before is not needed any more, of the files below a folder.
    pub(super) fn forget(&self, folder: &Utf8Path) {
        self.files().retain(|path, _| !path.starts_with(folder));
    }

    /// Files of which this holds.
    pub(super) fn files_that(
        &self,
        holds: impl Fn(&Utf8Path, &DecidedFile) -> bool,
    ) -> Vec<(Utf8PathBuf, DecidedFile)> {
        self.files()
            .iter()
            .filter(|(path, file)| holds(path, file))
            .map(|(path, file)| (path.clone(), file.clone()))
            .collect()
    }
}

/// Files that were noted, and what was known of them before.
pub(super) type Noted = Vec<(Utf8PathBuf, Option<DecidedFile>)>;
