//! The folder of goldens: looking up, listing, writing by update mode.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::check::{Check, Verdict};
use super::disk::{Disk, is_staged};
#[cfg(any(test, debug_assertions))]
use super::fault::FaultEffect;
use super::golden::Golden;
use super::journal;
use super::update::RunLog;
use super::{FileKind, GoldenKey, SnapshotError};
use crate::device::Picture;

/// `--update`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum UpdateMode {
    /// What differs or is new goes beside the goldens, to be reviewed; the test fails.
    #[default]
    Pending,
    /// Nothing is written but artifacts; the test fails. The default where `CI` is set.
    None,
    /// Goldens that do not exist yet are written and pass.
    New,
    /// Goldens that differ are written and pass.
    Changed,
    /// Both.
    All,
}

/// What an update did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateResult {
    /// Whether the step passes: the check passed, or its goldens were written.
    pub passes: bool,
    /// Goldens written, below the root.
    pub written: Vec<Utf8PathBuf>,
    /// Pending files written, below the root.
    pub pending: Vec<Utf8PathBuf>,
}

/// The folder of goldens. Cloning is cheap; processes and threads may share a folder.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) disk: Disk,
    pub(super) folder: Utf8PathBuf,
    /// What this run wrote, where several devices take part in it.
    pub(super) run: Option<RunLog>,
}

impl Store {
    /// The store in `folder` (such as `snapshots`) below `root`. Call [`Store::recover`] once at every start.
    pub fn new(root: &Utf8Path, folder: &Utf8Path) -> Self {
        Self {
            disk: Disk::new(root),
            folder: folder.to_owned(),
            run: None,
        }
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
        Self {
            disk: Disk::failing_after(self.disk.root(), steps, then),
            folder: self.folder.clone(),
            run: self.run.clone(),
        }
    }

    /// A golden's file below the root.
    pub fn path(&self, key: &GoldenKey, kind: FileKind, pending: bool) -> Utf8PathBuf {
        self.folder.join(key.file(kind, pending))
    }

    /// Ends an accept that was cut short, and takes away what a process left that ended before it promised anything.
    /// Returns whether there was an accept to end. Costs a walk through the folder where there was nothing.
    pub fn recover(&self) -> Result<bool, SnapshotError> {
        // Without the lock: most starts find nothing, and need not wait for a run that writes goldens.
        if !journal::is_unfinished(&self.disk) && self.left_over()?.is_empty() {
            return Ok(false);
        }
        let lock = journal::lock(&self.disk)?;
        let was_unfinished = journal::recover(&self.disk, &lock)?;
        // Only now: what was promised needs what was prepared.
        for path in self.left_over()? {
            self.disk.remove(&path)?;
        }
        Ok(was_unfinished)
    }

    /// The golden for `key`, which should name a class. Of a variant its own files, else those without variant.
    pub fn load(&self, key: &GoldenKey) -> Result<Golden, SnapshotError> {
        let plain = key.without_variant();
        let read = |path: &Utf8Path| -> Result<_, SnapshotError> {
            let now = self.disk.read(path)?;
            Ok(match &self.run {
                Some(run) => run.before(path, key, now),
                None => now,
            })
        };
        let first = |own: GoldenKey, fallback: GoldenKey, kind| -> Result<_, SnapshotError> {
            let path = self.path(&own, kind, false);
            if let Some(bytes) = read(&path)? {
                return Ok((path, Some(bytes)));
            }
            let path = self.path(&fallback, kind, false);
            let bytes = read(&path)?;
            Ok((path, bytes))
        };
        let (shared_path, shared) = first(key.shared(), plain.shared(), FileKind::Rows)?;
        let mut golden = Golden {
            key: key.clone(),
            shared: text(&shared_path, shared)?,
            rows: None,
            picture: None,
            found: [shared_path.clone(), shared_path],
            against: BTreeMap::new(),
        };
        if key.class().is_some() {
            let (path, rows) = first(key.clone(), plain.clone(), FileKind::Rows)?;
            golden.rows = text(&path, rows)?;
            golden.found[1] = path;
            let (_, picture) = first(key.clone(), plain, FileKind::Picture)?;
            golden.picture = picture.map(Picture::from_png);
        }
        // Of the files that would be written, not of those that were read: a variant writes its own.
        for (key, kind) in files(key) {
            let hash = self.disk.hash(&self.path(&key, kind, false))?;
            golden.against.insert(key.file(kind, false), hash);
        }
        Ok(golden)
    }

    /// Does what the update mode says with what came of a check. A step that passes loses its stale pending files.
    pub fn apply(
        &self,
        mode: UpdateMode,
        golden: &Golden,
        check: &Check,
    ) -> Result<UpdateResult, SnapshotError> {
        let is_missing = check.proposal.rewrite.only_missing;
        let (new, changed) = match check.verdict {
            // Nothing waits either: accepted, it would be a golden that compares hardly anything.
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
        let mut applied = UpdateResult {
            passes: check.passed() || write,
            ..UpdateResult::default()
        };
        if write {
            applied.written = self.write_goldens(golden, check)?;
        } else if applied.passes {
            self.remove_stale_pending(&golden.key)?;
        } else if mode == UpdateMode::Pending {
            applied.pending = self.write_pending(golden, check)?;
        }
        Ok(applied)
    }

    /// All goldens and pending files below the folder, in order: key, kind, whether pending.
    pub fn files(&self) -> Result<BTreeSet<(GoldenKey, FileKind, bool)>, SnapshotError> {
        let paths = self.walk()?;
        Ok(paths
            .iter()
            .filter_map(|path| GoldenKey::of_file(path))
            .collect())
    }

    /// New bytes that a process left which ended before it promised anything, below the root.
    pub(super) fn left_over(&self) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let mut paths = self.walk()?;
        paths.retain(|path| is_staged(path));
        Ok(paths.iter().map(|path| self.folder.join(path)).collect())
    }

    /// All files below the folder, by their path in it.
    fn walk(&self) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let folder = self.disk.root().join(&self.folder);
        let mut found = Vec::new();
        if !folder.as_std_path().exists() {
            return Ok(found);
        }
        for entry in walkdir::WalkDir::new(&folder) {
            let entry = match entry.map_err(std::io::Error::from) {
                Ok(entry) => entry,
                // Another process may take a file away while this one looks.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(SnapshotError::io(&folder)(error)),
            };
            let path = Utf8Path::from_path(entry.path());
            // No links: what is listed here may be removed.
            if entry.file_type().is_file()
                && let Some(below) = path.and_then(|path| path.strip_prefix(&folder).ok())
            {
                found.push(below.to_owned());
            }
        }
        Ok(found)
    }
}

/// The files a golden of this key consists of.
pub(super) fn files(key: &GoldenKey) -> Vec<(GoldenKey, FileKind)> {
    let mut files = vec![(key.shared(), FileKind::Rows)];
    if key.class().is_some() {
        let kinds = [FileKind::Rows, FileKind::Picture, FileKind::Annotated];
        files.extend(kinds.map(|kind| (key.clone(), kind)));
    }
    files
}

fn text(path: &Utf8Path, bytes: Option<Vec<u8>>) -> Result<Option<String>, SnapshotError> {
    bytes
        .map(|bytes| {
            String::from_utf8(bytes).map_err(|_| SnapshotError::BrokenGolden {
                path: path.to_owned(),
                line: 1,
                why: "it is no UTF-8 text".to_owned(),
            })
        })
        .transpose()
}
