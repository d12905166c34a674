//! Writes goldens as `--update` says, so that the order of a run's devices does not matter.
//!
//! Every device compares with what was there before the run wrote anything for another key. Rows of a variant
//! are not written if a device without variant has the same rows, whether it comes before or after.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::check::{Check, Verdict};
use super::folder::{GoldenFolder, files};
use super::golden::{ABSENT, Golden, hash};
use super::journal::{self, Change, DecisionKind, Lock};
use super::propose::{self, NewFile, against, new_files};
use super::run_log::{DecidedFile, RunLog};
use super::{FileKind, GoldenKey, SnapshotError, numbered_rows, stale_files};

/// Mode of `--update`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateMode {
    /// Changed and new goldens become pending for a review; the test fails.
    #[default]
    Pending,
    /// Only artifacts are written; the test fails. It is the default where `CI` is set.
    None,
    /// Goldens that do not exist yet are written and pass.
    New,
    /// Goldens that differ are written and pass.
    Changed,
    /// New and changed goldens are written and pass.
    All,
}

impl UpdateMode {
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::None,
        Self::New,
        Self::Changed,
        Self::All,
    ];

    /// Returns the name as people write it after `--update`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::None => "none",
            Self::New => "new",
            Self::Changed => "changed",
            Self::All => "all",
        }
    }
}

/// Result of an update.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateResult {
    /// True if the check passed, or its goldens were written.
    pub passes: bool,
    /// Paths of written goldens, below the root.
    pub written: Vec<Utf8PathBuf>,
    /// Paths of written pending files, below the root.
    pub pending: Vec<Utf8PathBuf>,
    /// Turn of this run that proposes another screen for this golden. Its proposal stays, and none is written.
    pub other_turn: Option<String>,
}

/// File to rewrite: its path below the root, its old and its new bytes.
type RowRewrite = (Utf8PathBuf, [Vec<u8>; 2]);

/// Changes, and the records of files that the run decided about.
type DecidedChanges = (Vec<Change>, Vec<(Utf8PathBuf, DecidedFile)>);

/// Writer of the results of checks.
pub(super) struct Update<'a> {
    pub folder: &'a GoldenFolder,
    pub run: Option<&'a RunLog>,
}

impl Update<'_> {
    /// Writes the result of a check as the update mode says. Goldens or pending files are written, and a step
    /// whose goldens are written passes. Stale pending files of a step that passes are removed, but not those
    /// that another turn of the run wrote, which no turn replaces either. If the mask is too large, nothing is
    /// written in any mode, and the step fails. A missing picture of a golden that passes counts as new.
    pub(super) fn apply(
        &self,
        mode: UpdateMode,
        golden: &Golden,
        check: &Check,
    ) -> Result<UpdateResult, SnapshotError> {
        let is_missing = check.proposal.rewrite.only_missing;
        let (new, changed) = match check.verdict {
            // Nothing becomes pending either: if accepted, it would be a golden that compares hardly
            // anything.
            Verdict::MaskTooLarge(_) => return Ok(UpdateResult::default()),
            Verdict::New => (true, false),
            Verdict::Passed => (is_missing, false),
            Verdict::Differs | Verdict::MaskChanged => (false, true),
        };
        let write = match mode {
            UpdateMode::Pending | UpdateMode::None => false,
            UpdateMode::New => new,
            UpdateMode::Changed => changed,
            UpdateMode::All => new || changed,
        };
        let may_change = matches!(mode, UpdateMode::Changed | UpdateMode::All);
        let mut applied = UpdateResult {
            passes: check.passed() || write,
            ..UpdateResult::default()
        };
        if write {
            applied.written = self.write_goldens(golden, check)?;
        } else if applied.passes {
            if self.withdraw_proposal(&golden.key) {
                stale_files::remove_stale_pending(self.folder, &golden.key)?;
            }
            if may_change {
                applied.written = self.match_goldens(golden)?;
            }
        } else if mode == UpdateMode::Pending {
            self.propose(golden, check, &mut applied)?;
        }
        if applied.passes && may_change {
            applied.written.extend(self.rewrite_rows(golden, check)?);
        }
        Ok(applied)
    }

    /// Writes the pending files of a golden, unless another turn of the run proposes another screen for it.
    fn propose(
        &self,
        golden: &Golden,
        check: &Check,
        applied: &mut UpdateResult,
    ) -> Result<(), SnapshotError> {
        let files = new_files(golden, check)?;
        if let Some(run) = self.run {
            let versions = files
                .iter()
                .map(|file| (file.golden.clone(), hash(&file.bytes)))
                .collect();
            let place = (golden.key.clone(), String::new());
            if let Some(other) = run.proposals.claim(place, &run.writer, versions) {
                applied.other_turn = Some(other.to_string());
                return Ok(());
            }
        }
        let written = propose::write_pending(self.folder, golden, check, files);
        if written.is_err() {
            self.withdraw_proposal(&golden.key);
        }
        applied.pending = written?;
        Ok(())
    }

    /// Takes back what this turn proposed for a golden. Returns true if no other turn of the run proposes
    /// anything for it.
    fn withdraw_proposal(&self, key: &GoldenKey) -> bool {
        self.run.is_none_or(|run| {
            let place = (key.clone(), String::new());
            run.proposals.withdraw(&place, &run.writer)
        })
    }

    /// Rewrites rows that passed but are not as a run would write them: of an older schema, or of another
    /// screen than the shared rows. Returns the paths of the files it wrote, below the root. Pictures stay.
    fn rewrite_rows(
        &self,
        golden: &Golden,
        check: &Check,
    ) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        // No lock yet: hardly any golden needs a rewrite.
        if self.row_rewrites(golden, check)?.is_empty() {
            return Ok(Vec::new());
        }
        let lock = self.folder.lock()?;
        let (mut changes, mut noted) = (Vec::new(), Vec::new());
        for (path, [before, after]) in self.row_rewrites(golden, check)? {
            let known = self.run.and_then(|run| run.get(&path));
            let known = known.unwrap_or_else(|| DecidedFile {
                before: Some(before.clone()),
                ..DecidedFile::default()
            });
            let now = hash(&after);
            noted.push((path.clone(), DecidedFile { now, ..known }));
            changes.push(Change {
                path,
                old: hash(&before),
                new: Some(after),
                after: None,
            });
        }
        let written = changes.iter().map(|change| change.path.clone()).collect();
        self.commit(&lock, &changes, noted)?;
        Ok(written)
    }

    /// Writes the changes, and records them for the run first: another device of the run may ask at once. If
    /// nothing is written, the record is taken back.
    fn commit(
        &self,
        lock: &Lock,
        changes: &[Change],
        noted: Vec<(Utf8PathBuf, DecidedFile)>,
    ) -> Result<(), SnapshotError> {
        let done = self.run.map(|run| run.record(noted));
        journal::commit(&self.folder.disk, lock, changes, DecisionKind::Run).inspect_err(|error| {
            // An unfinished change will still be completed.
            if let (Some(run), Some(done)) = (self.run, done)
                && !matches!(error, SnapshotError::Unfinished(_))
            {
                run.restore(done);
            }
        })
    }

    /// Returns the files to rewrite, each with its old and new bytes. Files that do not exist are left out.
    /// For the rows of a class that disagree with the shared ones the new bytes are those of the check.
    fn row_rewrites(
        &self,
        golden: &Golden,
        check: &Check,
    ) -> Result<Vec<RowRewrite>, SnapshotError> {
        let mut found = Vec::new();
        for (key, kind) in files(&golden.key) {
            let path = self.folder.path(&key, kind, false);
            if kind != FileKind::Rows {
                continue;
            }
            let Some(before) = self.folder.disk.read(&path)? else {
                continue;
            };
            let after = if check.disagrees && key.class().is_some() {
                Some(check.actual_class_tsv())
            } else {
                std::str::from_utf8(&before)
                    .ok()
                    .and_then(numbered_rows::without_numbers)
            };
            found.extend(after.map(|after| (path, [before, after.into_bytes()])));
        }
        Ok(found)
    }

    /// Records for the run that this turn matched its golden. Returns the files that a variant got as its own,
    /// below the root.
    fn match_goldens(&self, golden: &Golden) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        if self.run.is_none() {
            return Ok(Vec::new());
        }
        let lock = self.folder.lock()?;
        let (changes, noted) = self.matched_files(golden, &[])?;
        self.commit(&lock, &changes, noted)?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    }

    /// Returns the records of the files that this turn matched: those it was compared with, without those that
    /// it `writes`. If the run replaced one for the devices without variant, a change gives it to the variant.
    ///
    /// # Errors
    /// Another turn or device of this run observed something else; see [`Self::ensure_agreed`].
    fn matched_files(
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

    /// Returns the record of a file, a new one if the run has none. `own` is its path below the folder of
    /// goldens, `version` the hash of what is observed now.
    fn decided(
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

    /// Checks that nobody else in this run observed other bytes than those of the hash `version`.
    ///
    /// # Errors
    /// [`SnapshotError::OtherDevice`] if another device wrote or matched other shared rows,
    /// [`SnapshotError::OtherTurn`] if another turn wrote or matched other bytes for the same key.
    fn ensure_agreed(
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

    /// Writes the new files of a golden in one step. Variants that shared a file keep their own copy of the old
    /// one, and those that this run made with equal rows share it from now on. Returns the paths of the files that
    /// were written.
    fn write_goldens(
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

    /// Returns the change of one file and its record. If a variant goes on sharing the plain rows, the change
    /// writes nothing. `version` is the hash of the new bytes.
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

    /// Returns the files that variants have not of their own and share with the one that `change` replaces.
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

/// Returns the change that creates a file, which must not exist until then.
fn creation(path: Utf8PathBuf, bytes: Vec<u8>) -> Change {
    Change {
        path,
        old: ABSENT.to_owned(),
        new: Some(bytes),
        after: None,
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

#[cfg(test)]
mod tests;
