//! The store of goldens, as the rest of the program uses it: each of its parts is a module of its own.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::check::Check;
use super::decide::{self, AcceptResult, Decision, DecisionResult};
use super::disagreement::{self, Disagreement};
use super::disk::Disk;
#[cfg(any(test, debug_assertions))]
use super::fault::FaultEffect;
use super::folder::GoldenFolder;
use super::golden::Golden;
use super::load::load;
use super::pending_diff::{self, PendingDiff};
use super::proposal_file::{self, ProposalFile};
use super::review::{self, PendingEntry, Selection};
use super::run_log::RunLog;
use super::their_side::BothSides;
use super::undo::{self, UndoneDecision};
use super::update::{Update, UpdateMode, UpdateResult};
use super::{FileKind, GoldenKey, SnapshotError, one_screen, pointers, propose, prune, their_side};

/// The folder of goldens. Cloning is cheap; processes and threads may share a folder.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) folder: GoldenFolder,
    /// What this run wrote, where several devices take part in it.
    run: Option<RunLog>,
}

/// Where the files are.
impl Store {
    /// The store in `folder` (such as `snapshots`) below `root`. Call [`Store::recover`] once at every start.
    pub fn new(root: &Utf8Path, folder: &Utf8Path) -> Self {
        Self {
            folder: GoldenFolder::new(Disk::new(root), folder),
            run: None,
        }
    }

    /// A store of the same folder below another root.
    pub(super) fn at(&self, root: &Utf8Path) -> Self {
        Self {
            folder: self.folder.at(root),
            run: None,
        }
    }

    /// The same, for one run on several devices.
    #[must_use]
    pub fn for_one_run(mut self) -> Self {
        self.run = Some(RunLog::default());
        self
    }

    /// The same, and the process ends without a farewell after so many things done to files: for tests of the program.
    #[cfg(debug_assertions)]
    #[must_use]
    pub fn dying_after(&self, steps: usize) -> Self {
        self.failing_after(steps, FaultEffect::Abort)
    }

    /// The same, stopped after so many things done to files.
    #[cfg(test)]
    pub(super) fn stopping_after(&self, steps: usize) -> Self {
        self.failing_after(steps, FaultEffect::Stop)
    }

    #[cfg(any(test, debug_assertions))]
    pub(super) fn failing_after(&self, steps: usize, then: FaultEffect) -> Self {
        let disk = Disk::failing_after(self.folder.disk.root(), steps, then);
        Self {
            folder: self.folder.on(disk),
            run: self.run.clone(),
        }
    }

    /// Ends an accept that was cut short, and takes away what a process left that ended before it promised anything.
    /// Returns whether there was an accept to end. Costs a walk through the folder where there was nothing.
    pub fn recover(&self) -> Result<bool, SnapshotError> {
        self.folder.recover()
    }

    /// Whether an accept was cut short that [`Store::recover`] would finish.
    pub fn is_unfinished(&self) -> bool {
        self.folder.is_unfinished()
    }

    /// A golden's file below the root.
    pub fn path(&self, key: &GoldenKey, kind: FileKind, pending: bool) -> Utf8PathBuf {
        self.folder.path(key, kind, pending)
    }

    /// All goldens and pending files below the folder, in order: key, kind, whether pending.
    pub fn files(&self) -> Result<BTreeSet<(GoldenKey, FileKind, bool)>, SnapshotError> {
        self.folder.files()
    }

    /// Goldens, and what is pending for them, that `keeps` does not keep: one key a class, and one without class where
    /// there is none. Files that are not goldens are none of its business.
    pub fn obsolete(
        &self,
        keeps: impl Fn(&GoldenKey) -> bool,
    ) -> Result<Vec<GoldenKey>, SnapshotError> {
        prune::obsolete(&self.folder, keeps)
    }
}

/// What a run does.
impl Store {
    /// The golden for `key`, which should name a class. Of a variant its own files, else those without variant.
    pub fn load(&self, key: &GoldenKey) -> Result<Golden, SnapshotError> {
        load(&self.folder, self.run.as_ref(), key)
    }

    /// Does what the update mode says with what came of a check. A step that passes loses its stale pending files.
    pub fn apply(
        &self,
        mode: UpdateMode,
        golden: &Golden,
        check: &Check,
    ) -> Result<UpdateResult, SnapshotError> {
        let update = Update {
            folder: &self.folder,
            run: self.run.as_ref(),
        };
        update.apply(mode, golden, check)
    }

    /// All devices of the run have done the flow whose goldens lie below this folder: what was there before is not
    /// needed any more.
    pub fn forget_flow(&self, flow: &Utf8Path) {
        if let Some(run) = &self.run {
            run.forget(&self.folder.join(flow));
        }
    }

    /// What an update would write, as pending files: path below the folder of goldens, and bytes. For artifacts of a run
    /// that writes nothing itself; [`Store::import_pending`] takes them back.
    pub fn proposal(
        golden: &Golden,
        check: &Check,
    ) -> Result<Vec<(Utf8PathBuf, Vec<u8>)>, SnapshotError> {
        propose::proposal(golden, check)
    }

    /// Paths, below the folder of goldens, of the pending files that `key` may have.
    pub fn proposal_paths(key: &GoldenKey) -> Vec<Utf8PathBuf> {
        proposal_file::proposal_paths(key)
    }
}

/// What another run proposed.
impl Store {
    /// Looks at a pending file that another run made, by its path below the folder of goldens. Writes nothing.
    ///
    /// # Errors
    /// It is not a pending file, or not whole.
    pub fn read_proposal(
        &self,
        path: &Utf8Path,
        bytes: &[u8],
    ) -> Result<ProposalFile, SnapshotError> {
        proposal_file::read_proposal(&self.folder, path, bytes)
    }

    /// Whether the files of one golden that another run made are of one screen. Gives the places of annotated pictures
    /// that are not drawn from the other files.
    ///
    /// # Errors
    /// [`SnapshotError::TwoScreens`].
    pub fn check_one_screen(
        &self,
        files: &[(&ProposalFile, &[u8])],
    ) -> Result<BTreeSet<usize>, SnapshotError> {
        one_screen::check(&self.folder, files)
    }

    /// Files the pending files of one golden that another run made, by their paths below the folder of goldens: all of
    /// them as one step. What waited for the same classes goes, for files of two runs do not belong together.
    ///
    /// # Errors
    /// [`SnapshotError::NotPending`] where one of them is none; nothing is written then.
    pub fn import_pending<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a Utf8Path, &'a [u8])>,
    ) -> Result<(), SnapshotError> {
        propose::import_pending(&self.folder, files)
    }
}

/// What merges left.
impl Store {
    /// Makes one golden ours, and proposes theirs in its place, all files as one step. `false` where something else waits
    /// for the golden: that stays, and nothing is written.
    ///
    /// # Errors
    /// A file of a side that does not read; nothing is written then.
    pub fn propose_theirs(&self, sides: &[BothSides]) -> Result<bool, SnapshotError> {
        their_side::propose(&self.folder, sides)
    }

    /// The goldens' files that are pointers of Git LFS, below the root: they were not downloaded.
    pub fn pointers(&self) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        pointers::all(&self.folder)
    }

    /// Rows of a class that say something else than those that all devices share.
    pub fn disagreements(&self) -> Result<Vec<Disagreement>, SnapshotError> {
        disagreement::all(&self.folder)
    }
}

/// What waits for a person.
impl Store {
    /// All pending goldens, in order of their keys.
    pub fn pending(&self) -> Result<Vec<PendingEntry>, SnapshotError> {
        review::all(&self.folder)
    }

    /// What is pending for one key; reads no file of another golden.
    pub fn pending_for(&self, key: &GoldenKey) -> Result<Option<PendingEntry>, SnapshotError> {
        review::pending_for(&self.folder, key)
    }

    /// The pending goldens that are selected.
    ///
    /// # Errors
    /// A key that matches none.
    pub fn selected(&self, selection: &Selection) -> Result<Vec<PendingEntry>, SnapshotError> {
        review::selected(&self.folder, selection)
    }

    /// What one pending golden would change. `key` may leave out the class where only one device proposed it.
    ///
    /// # Errors
    /// No pending golden has this key, or several have; a file that does not read.
    pub fn pending_diff(&self, key: &str) -> Result<PendingDiff, SnapshotError> {
        pending_diff::pending_diff(&self.folder, key)
    }

    /// What `entry` would change.
    ///
    /// # Errors
    /// A file that does not read.
    pub fn diff_of(&self, entry: PendingEntry) -> Result<PendingDiff, SnapshotError> {
        pending_diff::diff_of(&self.folder, entry)
    }

    /// A golden alone: for one that no flow names any more. Nothing is proposed, and its files are the golden's own.
    ///
    /// # Errors
    /// A file that does not read.
    pub fn golden_diff(&self, key: &GoldenKey) -> Result<PendingDiff, SnapshotError> {
        pending_diff::golden_diff(&self.folder, key)
    }
}

/// What a person decides.
impl Store {
    /// Does all that was decided as one step, which [`Store::undo`] takes back. A key that cannot be decided about is
    /// refused and hinders no other.
    ///
    /// # Errors
    /// Nothing was done, unless it is [`SnapshotError::Unfinished`].
    pub fn decide(&self, decision: &Decision) -> Result<DecisionResult, SnapshotError> {
        decide::decide(&self.folder, decision)
    }

    /// Makes pending goldens the goldens, all of them as one; those whose golden changed since are refused.
    pub fn accept(&self, selection: &Selection) -> Result<AcceptResult, SnapshotError> {
        decide::accept(&self.folder, selection)
    }

    /// Removes pending goldens; the goldens stay. Returns the keys.
    pub fn reject(&self, selection: &Selection) -> Result<Vec<GoldenKey>, SnapshotError> {
        decide::reject(&self.folder, selection)
    }

    /// Removes goldens, and what is pending for them. What all devices share goes with the last class; a key without
    /// class stands for all of them.
    pub fn remove(&self, keys: &[GoldenKey]) -> Result<DecisionResult, SnapshotError> {
        decide::remove(&self.folder, keys)
    }

    /// Takes back the last decision of this folder, in this process or another. `None` where there is none.
    ///
    /// What a later run proposed for the same goldens stays as it is.
    ///
    /// # Errors
    /// A golden changed since: nothing is done then.
    pub fn undo(&self) -> Result<Option<UndoneDecision>, SnapshotError> {
        undo::undo(&self.folder)
    }
}
