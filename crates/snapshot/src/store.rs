//! The store of goldens as the rest of the program uses it. Other modules implement its parts.

use std::collections::{BTreeMap, BTreeSet};

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
use super::merge_proposal::MergeSides;
use super::pending_diff::{self, PendingDiff};
use super::proposal_file::{self, ProposalFile};
use super::review::{self, PendingEntry, Selection};
use super::run_log::RunLog;
use super::undo::{self, UndoneDecision};
use super::update::{Update, UpdateMode, UpdateResult};
use super::{
    FileKind, GoldenKey, SnapshotError, merge_proposal, pointers, proposal_check, propose, prune,
};

/// Folder of goldens. Cloning is cheap; processes and threads may share a folder. Whatever writes takes the lock of the
/// root first, waits up to three minutes for it, and finishes an interrupted change.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) folder: GoldenFolder,
    /// Files that this run decided about, if several devices take part in it.
    run: Option<RunLog>,
}

/// Paths and recovery.
impl Store {
    /// Creates the store in `folder` (such as `snapshots`) below `root`. Only stores the paths: nothing is read or
    /// created. Call [`Store::recover`] once at every start.
    pub fn new(root: &Utf8Path, folder: &Utf8Path) -> Self {
        Self {
            folder: GoldenFolder::new(Disk::new(root), folder),
            run: None,
        }
    }

    /// Returns a store of the same folder below another root. It remembers nothing of a run.
    pub(super) fn at(&self, root: &Utf8Path) -> Self {
        Self {
            folder: self.folder.at(root),
            run: None,
        }
    }

    /// Returns the store for one run on several devices. It remembers what the run wrote and matched, so that each
    /// device compares with the goldens from before the run, except those that it wrote or matched itself.
    #[must_use]
    pub fn for_one_run(mut self) -> Self {
        self.run = Some(RunLog::default());
        self
    }

    /// Returns the store for a turn of a flow on a device; all turns share what the run remembers. Without
    /// [`Store::for_one_run`] the turn does not matter. In a run that writes goldens, no turn replaces what another
    /// one wrote or matched.
    #[must_use]
    pub fn for_writer(&self, writer: &str) -> Self {
        Self {
            folder: self.folder.clone(),
            run: self.run.as_ref().map(|run| run.for_writer(writer)),
        }
    }

    /// Returns the store with a fault: the process aborts after `steps` file operations. It is for tests of
    /// the program.
    #[cfg(debug_assertions)]
    #[must_use]
    pub fn dying_after(&self, steps: usize) -> Self {
        self.failing_after(steps, FaultEffect::Abort)
    }

    /// Returns the store with a fault: all file operations after `steps` fail.
    #[cfg(test)]
    pub(super) fn stopping_after(&self, steps: usize) -> Self {
        self.failing_after(steps, FaultEffect::Stop)
    }

    /// Returns the same store on a disk that fails after so many operations. Only for tests.
    #[cfg(any(test, debug_assertions))]
    pub(super) fn failing_after(&self, steps: usize, then: FaultEffect) -> Self {
        let disk = Disk::failing_after(self.folder.disk.root(), steps, then);
        Self {
            folder: self.folder.on(disk),
            run: self.run.clone(),
        }
    }

    /// Finishes an interrupted change, and removes files of a process that ended before its journal was in place.
    /// Returns true if there was a change to finish. If there is nothing to do, it costs a walk through the folder;
    /// otherwise it waits up to three minutes for the lock. A journal that cannot be read is an error.
    pub fn recover(&self) -> Result<bool, SnapshotError> {
        self.folder.recover()
    }

    /// Returns true if there is a journal: a change was interrupted, which [`Store::recover`] would finish, or another
    /// process makes one just now.
    pub fn is_unfinished(&self) -> bool {
        self.folder.is_unfinished()
    }

    /// Returns the path below the root of a golden's file, which need not exist.
    pub fn path(&self, key: &GoldenKey, kind: FileKind, pending: bool) -> Utf8PathBuf {
        self.folder.path(key, kind, pending)
    }

    /// Lists all goldens and pending files in order: key, kind, and true if pending.
    pub fn files(&self) -> Result<BTreeSet<(GoldenKey, FileKind, bool)>, SnapshotError> {
        self.folder.files()
    }

    /// Lists the goldens and pending files of one flow like [`Store::files`]. It reads no other flow's folder.
    pub fn files_of(
        &self,
        flow: &Utf8Path,
    ) -> Result<BTreeSet<(GoldenKey, FileKind, bool)>, SnapshotError> {
        self.folder.files_of(flow)
    }

    /// Returns the keys of goldens, and of their pending files, for which `keeps` is false: one for each
    /// class, and one without class where there is none. Files that are not goldens are ignored.
    pub fn obsolete(
        &self,
        keeps: impl Fn(&GoldenKey) -> bool,
    ) -> Result<Vec<GoldenKey>, SnapshotError> {
        prune::obsolete(&self.folder, keeps)
    }
}

/// Operations of a run.
impl Store {
    /// Loads the golden for `key`, which should name a class; otherwise there are only the shared rows. Missing files
    /// are `None`. A file that the variant does not have is that without variant, each by itself. In a run on several
    /// devices, files that only other devices wrote or matched count as they were before it.
    ///
    /// # Errors
    /// A file cannot be read, is a pointer of Git LFS, is not UTF-8 text, or holds both sides of a merge conflict.
    pub fn load(&self, key: &GoldenKey) -> Result<Golden, SnapshotError> {
        load(&self.folder, self.run.as_ref(), key)
    }

    /// Writes the result of a check as the update mode says: goldens, pending files or nothing. A step whose goldens
    /// are written passes. Stale pending files of a step that passes are removed, except with [`UpdateMode::None`]. If
    /// the mask is too large, nothing is written and the step fails.
    ///
    /// # Errors
    /// A file cannot be read or written. In a run on several devices, another turn or device observed something else;
    /// then nothing is written.
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

    /// Forgets the old bytes of the goldens below this folder and what was proposed for them, once all devices of the
    /// run have finished the flow. Without [`Store::for_one_run`] it does nothing. No file changes.
    pub fn forget_flow(&self, flow: &Utf8Path) {
        if let Some(run) = &self.run {
            run.forget(&self.folder.join(flow), flow);
        }
    }

    /// Returns the files that an update would write, as pending files: path below the folder of goldens, and
    /// bytes. They are for the artifacts of a run that writes nothing itself; [`Store::import_pending`] reads
    /// them.
    pub fn proposal(
        golden: &Golden,
        check: &Check,
    ) -> Result<Vec<(Utf8PathBuf, Vec<u8>)>, SnapshotError> {
        propose::proposal(golden, check)
    }

    /// Claims a folder outside of the store for the files that [`Store::proposal`] gave for a golden. Returns the name
    /// of another turn of the run if that one proposes other files there: they stay, and this turn has no claim any
    /// more. Otherwise returns `None`, also if another turn proposes the same files, and always without
    /// [`Store::for_one_run`]. Writes no file.
    pub fn claim_proposal(
        &self,
        key: &GoldenKey,
        folder: &str,
        files: &[(Utf8PathBuf, Vec<u8>)],
    ) -> Option<String> {
        let files = files.iter().map(|(path, bytes)| (path, bytes.as_slice()));
        self.run.as_ref()?.claim_proposal(key, folder, files)
    }

    /// Takes back what this turn proposed for a golden in a folder outside of the store. Returns true if no other turn
    /// of the run proposes anything there, so that files there are of earlier attempts and runs, and always without
    /// [`Store::for_one_run`]. Removes no file.
    pub fn withdraw_proposal(&self, key: &GoldenKey, folder: &str) -> bool {
        let run = self.run.as_ref();
        run.is_none_or(|run| run.withdraw_proposal(key, folder))
    }

    /// Returns the paths, below the folder of goldens, of the pending files that `key` may have, without shared rows of
    /// its own. None is checked for existence.
    pub fn proposal_paths(key: &GoldenKey) -> Vec<Utf8PathBuf> {
        proposal_file::proposal_paths(key)
    }
}

/// Proposals of other runs.
impl Store {
    /// Checks a pending file of another run, by its path below the folder of goldens. Writes nothing.
    ///
    /// # Errors
    /// It is no pending file, or not complete.
    pub fn read_proposal(
        &self,
        path: &Utf8Path,
        bytes: &[u8],
    ) -> Result<ProposalFile, SnapshotError> {
        proposal_file::read_proposal(&self.folder, path, bytes)
    }

    /// Checks that the files of one golden, made by another run, show the same screen. Returns the indexes of annotated
    /// pictures that were not drawn from the other files, each with a pending file to take in its place; `None` if
    /// there is none.
    ///
    /// # Errors
    /// [`SnapshotError::TwoScreens`] if the rows of a class differ from the shared ones in more than bounds and
    /// visibility. [`SnapshotError::NotPending`] if one of the two cannot be parsed.
    pub fn check_one_screen(
        &self,
        files: &[(&ProposalFile, &[u8])],
    ) -> Result<BTreeMap<usize, Option<Vec<u8>>>, SnapshotError> {
        proposal_check::check(&self.folder, files)
    }

    /// Imports the pending files that another run made for one golden, by their paths below the folder of goldens, as
    /// one step. Wrong causes are corrected, but rows and pictures are not checked. Earlier pending files of the same
    /// classes are removed, since files of two runs do not belong together.
    ///
    /// # Errors
    /// [`SnapshotError::NotPending`] if one of them is no pending file; then nothing is written.
    pub fn import_pending<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a Utf8Path, &'a [u8])>,
    ) -> Result<(), SnapshotError> {
        propose::import_pending(&self.folder, files)
    }
}

/// Results of merges.
impl Store {
    /// Makes our side of a merge the golden and the other side pending, all files as one step. Returns false if
    /// something else is pending for one of the goldens; then nothing is written. Pending files of earlier runs for
    /// them are removed.
    ///
    /// # Errors
    /// A file of a side cannot be parsed; then nothing is written.
    pub fn propose_theirs(&self, sides: &[MergeSides]) -> Result<bool, SnapshotError> {
        merge_proposal::propose(&self.folder, sides)
    }

    /// Returns the files of goldens, below the root, that are pointers of Git LFS because they were not
    /// downloaded.
    pub fn pointers(&self) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        pointers::all(&self.folder)
    }

    /// Returns the classes whose rows differ from the shared ones in more than bounds and visibility.
    pub fn disagreements(&self) -> Result<Vec<Disagreement>, SnapshotError> {
        disagreement::all(&self.folder)
    }
}

/// Pending goldens.
impl Store {
    /// Returns all pending goldens in order of their keys, one for each class that proposes a file.
    pub fn pending(&self) -> Result<Vec<PendingEntry>, SnapshotError> {
        review::all(&self.folder)
    }

    /// Returns the pending golden for exactly this key, with its class; `None` if nothing is pending for it. The whole
    /// folder is listed, but no file of another golden is read.
    pub fn pending_for(&self, key: &GoldenKey) -> Result<Option<PendingEntry>, SnapshotError> {
        review::pending_for(&self.folder, key)
    }

    /// Returns the selected pending goldens in order of their keys, each once.
    ///
    /// # Errors
    /// A key matches none, also as a glob.
    pub fn selected(&self, selection: &Selection) -> Result<Vec<PendingEntry>, SnapshotError> {
        review::selected(&self.folder, selection)
    }

    /// Compares one pending golden with its golden. `key` may be a glob, and may leave out the class, if only one
    /// pending golden matches.
    ///
    /// # Errors
    /// No pending golden has this key, or several have it, or a file cannot be read.
    pub fn pending_diff(&self, key: &str) -> Result<PendingDiff, SnapshotError> {
        pending_diff::pending_diff(&self.folder, key)
    }

    /// Compares `entry` with its golden by their files alone, with no tolerance for changed pixels. Rows that are not
    /// proposed count as those of the golden. A golden without shared rows is new, and then pictures are not compared.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn diff_of(&self, entry: PendingEntry) -> Result<PendingDiff, SnapshotError> {
        pending_diff::diff_of(&self.folder, entry)
    }

    /// Shows a golden by itself, when no flow names it any more. Nothing is proposed, and its files are the
    /// golden's own.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn golden_diff(&self, key: &GoldenKey) -> Result<PendingDiff, SnapshotError> {
        pending_diff::golden_diff(&self.folder, key)
    }
}

/// Decisions.
impl Store {
    /// Carries out all decisions as one step, which [`Store::undo`] takes back. A key that cannot be decided about is
    /// refused and does not hinder others. Waits up to three minutes for other processes.
    ///
    /// # Errors
    /// Nothing was done, unless the error is [`SnapshotError::Unfinished`].
    pub fn decide(&self, decision: &Decision) -> Result<DecisionResult, SnapshotError> {
        decide::decide(&self.folder, decision)
    }

    /// Replaces goldens by the selected pending ones in one step, which [`Store::undo`] takes back. One is refused, and
    /// the others are accepted, if its golden changed since, if one of its files is missing, or if another class
    /// proposes other bytes for the same file. A selected key that matches nothing pending is an error. Waits up to
    /// three minutes for other processes.
    pub fn accept(&self, selection: &Selection) -> Result<AcceptResult, SnapshotError> {
        decide::accept(&self.folder, selection)
    }

    /// Removes the selected pending goldens, as a decision that [`Store::undo`] takes back; the goldens stay. Returns
    /// their keys without those that were refused. A file that several classes proposed stays for the classes that are
    /// not selected. A selected key that matches nothing pending is an error.
    pub fn reject(&self, selection: &Selection) -> Result<Vec<GoldenKey>, SnapshotError> {
        decide::reject(&self.folder, selection)
    }

    /// Removes goldens and their pending files, as a decision that [`Store::undo`] takes back. The shared files go with
    /// the last class. A key without class stands for all classes. Refused keys are in the result.
    pub fn remove(&self, keys: &[GoldenKey]) -> Result<DecisionResult, SnapshotError> {
        decide::remove(&self.folder, keys)
    }

    /// Undoes the last decision in this folder, of this process or another, and removes it from the history. Returns
    /// `None` if there is none. Pending files that a later run proposed for the same goldens stay. Waits up to three
    /// minutes for other processes.
    ///
    /// # Errors
    /// A golden changed since, or a file that was kept for this is missing or changed; then nothing is done.
    pub fn undo(&self) -> Result<Option<UndoneDecision>, SnapshotError> {
        undo::undo(&self.folder)
    }
}
