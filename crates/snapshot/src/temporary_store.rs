//! A temporary copy of goldens outside the project. Proposals of another run are shown and decided about
//! there, and the project is changed once all of them are checked.

#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "a copy in a temporary folder of this program's own"
    )
)]

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use fs_err as fs;

use super::decide::{self, DecisionResult};
use super::folder::GoldenFolder;
use super::golden::{ABSENT, hash};
use super::journal::Change;
use super::review::PendingEntry;
use super::{Digest, GoldenKey, SnapshotError, Store, pending};

/// Store with copies of some of a project's goldens.
#[derive(Debug)]
pub struct TemporaryStore {
    project: GoldenFolder,
    apart: Store,
    /// Hashes of the copied files, by path below the root.
    copied: BTreeMap<Utf8PathBuf, String>,
}

/// Digests of a pending golden and of the golden that it would replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    /// Digest of the golden's files; `None` where there is none.
    pub golden: Option<Digest>,
    /// Digest of the files that would replace them.
    pub actual: Digest,
}

impl TemporaryStore {
    /// Creates a store in the folder `root`, for goldens of `project`. Nothing is written yet; [`Self::copy`]
    /// brings the goldens.
    pub fn new(project: &Store, root: &Utf8Path) -> Self {
        Self {
            project: project.folder.clone(),
            apart: project.at(root),
            copied: BTreeMap::new(),
        }
    }

    /// Returns the separate store, in which proposals are written and decided about without touching the
    /// project.
    pub fn store(&self) -> &Store {
        &self.apart
    }

    /// Copies the project's goldens of these keys, of all classes and variants: class and variant of the
    /// given keys do not count. Pending files are not copied. A key without a golden is ignored. Remembers
    /// the hash of each copied file, which [`Self::take_over`] compares.
    ///
    /// # Errors
    /// A file cannot be read or written, or is a pointer of Git LFS. Files that were copied before it stay.
    pub fn copy(&mut self, keys: &BTreeSet<GoldenKey>) -> Result<(), SnapshotError> {
        let wanted: BTreeSet<GoldenKey> = keys.iter().map(plain_key).collect();
        for (key, kind, is_pending) in self.project.files()? {
            if is_pending || !wanted.contains(&plain_key(&key)) {
                continue;
            }
            let path = self.project.path(&key, kind, false);
            // Somebody may remove the file meanwhile; then there is no golden.
            let Some(bytes) = self.project.disk.read(&path)? else {
                continue;
            };
            if runner_git::Pointer::read(&bytes).is_some() {
                return Err(SnapshotError::LfsPointer(path));
            }
            let copy = self.apart.folder.disk.root().join(&path);
            let write = || {
                copy.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(&copy, &bytes)
            };
            write().map_err(SnapshotError::io(&copy))?;
            self.copied.insert(path, hash(&bytes));
        }
        Ok(())
    }

    /// Computes the digests of both sides of a pending golden: of the golden's files that exist, and of the
    /// pending files without their marks. The golden's digest is `None` if none of its files exists.
    ///
    /// # Errors
    /// A file cannot be read. [`SnapshotError::NotPending`] if a pending file is missing or has no valid
    /// mark.
    pub fn sides(&self, entry: &PendingEntry) -> Result<Sides, SnapshotError> {
        let disk = &self.apart.folder.disk;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for file in &entry.files {
            let name = file.golden.to_string();
            before.extend(disk.read(&file.golden)?.map(|bytes| (name.clone(), bytes)));
            let marked = disk.read(&file.pending)?.unwrap_or_default();
            let (_, bytes) = pending::unmark(&marked)
                .ok_or_else(|| SnapshotError::NotPending(file.pending.clone()))?;
            after.push((name, bytes));
        }
        let digest = |files: &[(String, Vec<u8>)]| {
            Digest::from_parts(
                files
                    .iter()
                    .map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
            )
        };
        Ok(Sides {
            golden: (!before.is_empty()).then(|| digest(&before)),
            actual: digest(&after),
        })
    }

    /// Replaces the project's goldens by those of this store, all as one decision that [`Store::undo`] takes back.
    /// Files that were changed or added here are written, copied files that are gone here are removed. `done` is only
    /// recorded; it selects nothing. If nothing differs, nothing is written or recorded. Pending files of the project
    /// stay.
    ///
    /// # Errors
    /// One of the goldens that would change is another in the project than when it was copied. Then nothing
    /// is changed.
    pub fn take_over(&self, done: &DecisionResult) -> Result<(), SnapshotError> {
        let lock = self.project.lock()?;
        let mut changes = Vec::new();
        let mut stayed = BTreeSet::new();
        for (key, kind, is_pending) in self.apart.files()? {
            if is_pending {
                continue;
            }
            let path = self.apart.path(&key, kind, false);
            let Some(bytes) = self.apart.folder.disk.read(&path)? else {
                continue;
            };
            let old = self.copied.get(&path).cloned();
            stayed.insert(path.clone());
            if old.as_ref() != Some(&hash(&bytes)) {
                changes.push(Change {
                    path,
                    old: old.unwrap_or_else(|| ABSENT.to_owned()),
                    new: Some(bytes),
                    after: None,
                });
            }
        }
        let gone = self
            .copied
            .iter()
            .filter(|(path, _)| !stayed.contains(*path));
        changes.extend(gone.map(|(path, old)| Change {
            path: path.clone(),
            old: old.clone(),
            new: None,
            after: None,
        }));
        decide::commit(&self.project, &lock, &changes, done)
    }
}

/// Returns the key without class and variant.
fn plain_key(key: &GoldenKey) -> GoldenKey {
    key.without_variant().shared()
}
