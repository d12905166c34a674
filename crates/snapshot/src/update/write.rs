//! Writes goldens, and what their variants share with them.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Update, creation};
use crate::check::Check;
use crate::golden::{ABSENT, Golden, hash};
use crate::journal::Change;
use crate::propose::{NewFile, new_files};
use crate::run_log::DecidedFile;
use crate::{FileKind, GoldenKey, SnapshotError, stale_files};

impl Update<'_> {
    /// Writes the new files of a golden in one step. Variants that shared a file keep their own copy of the old one,
    /// and those that this run made with equal rows share it from now on. In the same step the pending files for this
    /// golden are removed, and an annotated picture that is not drawn anew. Returns the paths of the files that were
    /// written, those of variants too.
    ///
    /// # Errors
    /// Another turn or device of this run observed something else, see [`Self::ensure_agreed`]; then nothing is
    /// written.
    pub(super) fn write_goldens(
        &self,
        golden: &Golden,
        check: &Check,
    ) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let files = new_files(golden, check)?;
        let lock = self.folder.lock()?;
        let key = &golden.key;
        let (mut changes, mut noted) = self.matched_files(golden, &files)?;
        for file in files {
            let observed = hash(&file.bytes);
            if key.variant().is_none() && file.golden == key.file(FileKind::Shared, false) {
                // A variant that was written first had no shared rows to use, and wrote these as its own.
                for (path, variant) in self.variants_made_with(key, &observed) {
                    changes.push(removal(path.clone(), variant.now.clone()));
                    noted.push((
                        path,
                        DecidedFile {
                            now: ABSENT.to_owned(),
                            ..variant
                        },
                    ));
                }
            }
            let (change, written) = self.written_file(golden, file, observed)?;
            for (path, variant) in self.variants_sharing(&change) {
                // It matched what is replaced now, and keeps it.
                if let Some(bytes) = self.folder.disk.read(&change.path)? {
                    let now = variant.observed.clone();
                    changes.push(creation(path.clone(), bytes));
                    noted.push((path, DecidedFile { now, ..variant }));
                }
            }
            noted.push((change.path.clone(), written));
            changes.push(change);
        }
        let written: Vec<Utf8PathBuf> = changes
            .iter()
            .filter(|change| change.new.is_some())
            .map(|change| change.path.clone())
            .collect();
        changes.extend(stale_files::outdated_picture(self.folder, key, &written)?);
        changes.extend(stale_files::stale_changes(self.folder, key, &[])?);
        self.commit(&lock, &changes, noted)?;
        Ok(written)
    }

    /// Returns the change of one file and its record. If a variant goes on sharing the plain rows, the change writes
    /// nothing. `version` is the hash of the new bytes. Nothing is written yet.
    ///
    /// # Errors
    /// Another turn or device of this run observed something else; see [`Self::ensure_agreed`].
    fn written_file(
        &self,
        golden: &Golden,
        file: NewFile,
        version: String,
    ) -> Result<(Change, DecidedFile), SnapshotError> {
        let key = &golden.key;
        let path = self.folder.join(&file.golden);
        let is_shared = file.golden == key.file(FileKind::Shared, false);
        let mut written = self.decided(golden, &file.golden, &path, &version)?;
        self.ensure_agreed(key, &path, &written, &version)?;
        let plain = self
            .folder
            .path(&key.without_variant(), FileKind::Shared, false);
        let stays_shared = is_shared
            && key.variant().is_some()
            && written.before.is_none()
            && self.folder.disk.hash(&plain)? == version;
        let change = Change {
            path,
            old: written.now,
            new: (!stays_shared).then_some(file.bytes),
            after: None,
        };
        written.now = change.new_hash();
        written.observed = version;
        let turn = self.run.map(|run| (key.clone(), Arc::clone(&run.writer)));
        written.by.extend(turn);
        Ok((change, written))
    }

    /// Returns the rows of variants of this golden that this run created and that are equal to the plain
    /// golden now; `rows` is the hash of its rows. Returns none outside of a run.
    fn variants_made_with(&self, plain: &GoldenKey, rows: &str) -> Vec<(Utf8PathBuf, DecidedFile)> {
        let Some(run) = self.run else {
            return Vec::new();
        };
        let plain = plain.shared();
        let is_variant = |path: &Utf8Path| {
            self.folder.file_at(path).is_some_and(|(key, ..)| {
                key.variant().is_some() && key.class().is_none() && key.without_variant() == plain
            })
        };
        run.files_where(|path, file| file.before.is_none() && file.now == rows && is_variant(path))
    }

    /// Returns the path that each variant's own file would have, of those variants that the run recorded as sharing
    /// the file that `change` replaces. Returns none outside of a run, and if the file stays as it is.
    fn variants_sharing(&self, change: &Change) -> Vec<(Utf8PathBuf, DecidedFile)> {
        let Some(run) = self.run.filter(|_| change.new_hash() != change.old) else {
            return Vec::new();
        };
        let shares = |path: &Utf8Path| {
            self.folder.file_at(path).is_some_and(|(key, kind, _)| {
                let plain = self.folder.path(&key.without_variant(), kind, false);
                key.variant().is_some() && plain == change.path
            })
        };
        run.files_where(|path, file| {
            file.now == ABSENT && file.observed == change.old && shares(path)
        })
    }
}

/// Returns the change that removes a file, which must have the hash `now` until then.
fn removal(path: Utf8PathBuf, now: String) -> Change {
    Change {
        path,
        old: now,
        new: None,
        after: None,
    }
}
