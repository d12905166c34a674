//! Writes goldens as `--update` says, so that the order of a run's devices does not matter.
//!
//! Every device compares with what was there before the run wrote anything for another key. Rows of a variant
//! are not written if a device without variant has the same rows, whether it comes before or after.

mod agreement;
mod write;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use super::check::{Check, Verdict};
use super::folder::{GoldenFolder, files};
use super::golden::{ABSENT, Golden, hash};
use super::journal::{self, Change, DecisionKind, Lock};
use super::propose::{self, new_files};
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
    /// Writes the result of a check as the update mode says: goldens, pending files or nothing. A step whose goldens
    /// are written passes; a missing picture of a golden that passes counts as new. If the step passes, its stale
    /// pending files are removed, but not with [`UpdateMode::None`], which changes nothing, and not those of another
    /// turn of the run. If the mask is too large, nothing is written in any mode, and the step fails. With
    /// [`UpdateMode::Changed`] and [`UpdateMode::All`], rows that passed but are of an older schema or disagree with
    /// the shared ones are rewritten.
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
            // A run in CI takes nothing away from who is to decide.
            if mode != UpdateMode::None && self.withdraw_proposal(&golden.key) {
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

    /// Writes the pending files of a golden, and lists them in `applied.pending`. If another turn of the run proposes
    /// another screen for it, nothing is written and `applied.other_turn` is that turn. After an error this turn
    /// proposes nothing.
    fn propose(
        &self,
        golden: &Golden,
        check: &Check,
        applied: &mut UpdateResult,
    ) -> Result<(), SnapshotError> {
        let files = new_files(golden, check)?;
        if let Some(run) = self.run {
            let proposed = files
                .iter()
                .map(|file| (&file.golden, file.bytes.as_slice()));
            applied.other_turn = run.claim_proposal(&golden.key, "", proposed);
            if applied.other_turn.is_some() {
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
        self.run.is_none_or(|run| run.withdraw_proposal(key, ""))
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

    /// Writes the changes, and records them for the run first: another device of the run may ask at once. If nothing
    /// is written, the record is taken back; after [`SnapshotError::Unfinished`] it stays, since the change will be
    /// completed.
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

    /// Returns the files to rewrite, each with its old and new bytes. Files that do not exist, and those that are of
    /// the present schema already, are left out. Nothing is written. For the rows of a class that disagree with the
    /// shared ones the new bytes are those of the check.
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

#[cfg(test)]
mod tests;
