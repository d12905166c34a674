//! Records what the turns and devices of a run match, and refuses those that observe something else.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{DecidedChanges, Update, creation};
use crate::golden::{ABSENT, Golden};
use crate::propose::{NewFile, against};
use crate::run_log::DecidedFile;
use crate::{GoldenKey, SnapshotError};

impl Update<'_> {
    /// Records for the run that this turn matched its golden. Returns the files that a variant got as its own, below
    /// the root. Outside of a run it does nothing. Fails as [`Self::matched_files`] does.
    pub(super) fn match_goldens(&self, golden: &Golden) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        if self.run.is_none() {
            return Ok(Vec::new());
        }
        let lock = self.folder.lock()?;
        let (changes, noted) = self.matched_files(golden, &[])?;
        self.commit(&lock, &changes, noted)?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    }

    /// Returns the records of the files that this turn matched: those it was compared with, without those that it
    /// `writes`. If the run replaced one for the devices without variant, a change gives the variant the earlier
    /// bytes as its own. Nothing is written or recorded yet. Outside of a run both lists are empty.
    ///
    /// # Errors
    /// Another turn or device of this run observed something else; see [`Self::ensure_agreed`].
    pub(super) fn matched_files(
        &self,
        golden: &Golden,
        writes: &[NewFile],
    ) -> Result<DecidedChanges, SnapshotError> {
        let (mut changes, mut noted) = (Vec::new(), Vec::new());
        let Some(run) = self.run else {
            return Ok((changes, noted));
        };
        for (own, (found, version)) in &golden.compared {
            if writes.iter().any(|file| file.golden == *own) {
                continue;
            }
            let path = self.folder.join(own);
            let mut matched = self.decided(golden, own, &path, version)?;
            self.ensure_agreed(&golden.key, &path, &matched, version)?;
            if !matched.agrees_with(version) {
                matched.observed.clone_from(version);
            }
            if matched.now == ABSENT
                && self.folder.disk.hash(found)? != *version
                && let Some(bytes) = run.get(found).and_then(|replaced| replaced.before)
            {
                matched.now.clone_from(version);
                changes.push(creation(path.clone(), bytes));
            }
            matched
                .by
                .insert((golden.key.clone(), Arc::clone(&run.writer)));
            noted.push((path, matched));
        }
        Ok((changes, noted))
    }

    /// Returns the record of a file, a new one with its present bytes if the run has none. `own` is its path below the
    /// folder of goldens, `version` the hash of what is observed now. Nothing is stored in the run.
    pub(super) fn decided(
        &self,
        golden: &Golden,
        own: &Utf8Path,
        path: &Utf8Path,
        version: &str,
    ) -> Result<DecidedFile, SnapshotError> {
        Ok(match self.run.and_then(|run| run.get(path)) {
            Some(known) => known,
            None => DecidedFile {
                before: self.folder.disk.read(path)?,
                now: against(golden, own),
                observed: version.to_owned(),
                ..DecidedFile::default()
            },
        })
    }

    /// Checks that nobody else in this run observed other bytes than those of the hash `version`. This turn itself
    /// may have observed others before.
    ///
    /// # Errors
    /// [`SnapshotError::OtherDevice`] if another device wrote or matched other shared rows,
    /// [`SnapshotError::OtherTurn`] if another turn wrote or matched other bytes for the same key.
    pub(super) fn ensure_agreed(
        &self,
        key: &GoldenKey,
        path: &Utf8Path,
        known: &DecidedFile,
        version: &str,
    ) -> Result<(), SnapshotError> {
        if known.agrees_with(version) {
            return Ok(());
        }
        if known.by.iter().any(|(by, _)| by != key) {
            return Err(SnapshotError::OtherDevice(path.to_owned()));
        }
        let writer = self.run.map(|run| &run.writer);
        match known.by.iter().find(|(_, other)| Some(other) != writer) {
            Some((_, other)) => Err(SnapshotError::OtherTurn {
                path: path.to_owned(),
                writer: other.to_string(),
            }),
            None => Ok(()),
        }
    }
}
