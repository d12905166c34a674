//! What `--update` writes, so that it does not matter which of a run's devices comes first.
//!
//! Every device compares with what was there before the run wrote anything for another key. What a variant would get of
//! its own is not kept where a device without variant gets the same rows, before or after it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use super::check::Check;
use super::golden::{ABSENT, Golden, hash};
use super::journal::{self, Change, DecisionKind};
use super::propose::{NewFile, against, new_files};
use super::{FileKind, GoldenKey, SnapshotError, Store};

/// What a run wrote so far, by path below the root.
#[derive(Debug, Clone, Default)]
pub(super) struct RunLog(Arc<Mutex<BTreeMap<Utf8PathBuf, DecidedFile>>>);

/// A golden's file that the run decided about.
#[derive(Debug, Clone, Default)]
struct DecidedFile {
    /// What it was before the run.
    before: Option<Vec<u8>>,
    /// Hash of what it is now.
    now: String,
    /// Hash of what these keys saw; a variant's that stays shared is not there all the same.
    seen: String,
    /// Whose rows or picture this is.
    by: BTreeSet<GoldenKey>,
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

    fn get(&self, path: &Utf8Path) -> Option<DecidedFile> {
        self.files().get(path).cloned()
    }

    /// Notes what is about to be written, before it is: who reads the new file then finds here what was there.
    fn note(&self, written: Vec<(Utf8PathBuf, DecidedFile)>) -> Noted {
        let mut files = self.files();
        written
            .into_iter()
            .map(|(path, written)| (path.clone(), files.insert(path, written)))
            .collect()
    }

    /// Nothing was written.
    fn take_back(&self, noted: Noted) {
        let mut files = self.files();
        for (path, known) in noted {
            match known {
                Some(known) => files.insert(path, known),
                None => files.remove(&path),
            };
        }
    }
}

impl Store {
    /// The same, for one run on several devices.
    #[must_use]
    pub fn for_one_run(mut self) -> Self {
        self.run = Some(RunLog::default());
        self
    }

    /// All devices of the run have done the flow whose goldens lie below this folder: what was there before is not
    /// needed any more.
    pub fn forget_flow(&self, flow: &Utf8Path) {
        if let Some(run) = &self.run {
            let folder = self.folder.join(flow);
            run.files().retain(|path, _| !path.starts_with(&folder));
        }
    }

    pub(super) fn write_goldens(
        &self,
        golden: &Golden,
        check: &Check,
    ) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let files = new_files(golden, check)?;
        let lock = self.lock()?;
        let key = &golden.key;
        let (mut changes, mut noted) = (Vec::new(), Vec::new());
        for file in files {
            let seen = hash(&file.bytes);
            if key.variant().is_none() && file.golden == key.file(FileKind::Shared, false) {
                // A variant that came first found nothing to share, and wrote these rows as its own.
                for (path, variant) in self.variants_made_with(key, &seen) {
                    changes.push(taken(path.clone(), variant.now.clone()));
                    noted.push((
                        path,
                        DecidedFile {
                            now: ABSENT.to_owned(),
                            ..variant
                        },
                    ));
                }
            }
            let (change, written) = self.written_file(golden, file, seen)?;
            noted.push((change.path.clone(), written));
            changes.push(change);
        }
        let written: Vec<Utf8PathBuf> = changes
            .iter()
            .filter(|change| change.new.is_some())
            .map(|change| change.path.clone())
            .collect();
        changes.extend(self.outdated(key, &written)?);
        changes.extend(self.stale(key, &[])?);
        let done = self.run.as_ref().map(|run| run.note(noted));
        journal::commit(&self.disk, &lock, &changes, DecisionKind::Run).inspect_err(|error| {
            // What is unfinished will be done.
            if let (Some(run), Some(done)) = (&self.run, done)
                && !matches!(error, SnapshotError::Unfinished(_))
            {
                run.take_back(done);
            }
        })?;
        Ok(written)
    }

    /// What comes of one file: it is written, or a variant's stays shared.
    fn written_file(
        &self,
        golden: &Golden,
        file: NewFile,
        seen: String,
    ) -> Result<(Change, DecidedFile), SnapshotError> {
        let key = &golden.key;
        let path = self.folder.join(&file.golden);
        let is_shared = file.golden == key.file(FileKind::Shared, false);
        let mut written = match self.run.as_ref().and_then(|run| run.get(&path)) {
            Some(known) => known,
            None => DecidedFile {
                before: self.disk.read(&path)?,
                now: against(golden, &file.golden),
                seen: seen.clone(),
                by: BTreeSet::new(),
            },
        };
        if is_shared && written.seen != seen && written.by.iter().any(|by| by != key) {
            return Err(SnapshotError::OtherDevice(path));
        }
        let plain = self.path(&key.without_variant(), FileKind::Shared, false);
        let stays_shared = is_shared
            && key.variant().is_some()
            && written.before.is_none()
            && self.disk.hash(&plain)? == seen;
        let change = Change {
            path,
            old: written.now,
            new: (!stays_shared).then_some(file.bytes),
            after: None,
        };
        written.now = change.new_hash();
        written.seen = seen;
        written.by.insert(key.clone());
        Ok((change, written))
    }

    /// The variants' rows that this run made and that are the plain golden's now.
    fn variants_made_with(&self, plain: &GoldenKey, rows: &str) -> Vec<(Utf8PathBuf, DecidedFile)> {
        let Some(run) = &self.run else {
            return Vec::new();
        };
        let plain = plain.shared();
        let is_variant = |path: &Utf8Path| {
            let below = path.strip_prefix(&self.folder).ok();
            below.and_then(GoldenKey::of_file).is_some_and(|(key, ..)| {
                key.variant().is_some() && key.class().is_none() && key.without_variant() == plain
            })
        };
        run.files()
            .iter()
            .filter(|(path, file)| file.before.is_none() && file.now == rows && is_variant(path))
            .map(|(path, file)| (path.clone(), file.clone()))
            .collect()
    }
}

/// Files that were noted, and what was known of them before.
type Noted = Vec<(Utf8PathBuf, Option<DecidedFile>)>;

fn taken(path: Utf8PathBuf, now: String) -> Change {
    Change {
        path,
        old: now,
        new: None,
        after: None,
    }
}

#[cfg(test)]
mod tests;
