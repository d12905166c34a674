//! The review of one project: its queue and its cases. Decisions about them are in its modules.

mod decide;
mod history;
mod undo;
mod write_mask;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use self::history::RetainedGoldens;
use super::flows::{FlowIndex, Flows};
use super::patches::{EvidenceSource, PatchGroup, Patches, is_patch_key};
use super::queue::group_by_cause;
use super::stamp::Stamp;
use super::{Item, Queue, ReviewError};
use runner_config::Config;
use runner_mend::{Evidence, PendingFolder};
use runner_snapshot::{
    Cause, ChangeKind, FileKind, GoldenKey, PendingDiff, PendingEntry, SnapshotError, Store,
};

pub(crate) use self::history::Step;
pub use self::history::UndoResult;

/// Versions that a person has seen: [`Item::version`] by key. A key without a version is decided about as it
/// is now.
pub type ObservedVersions = BTreeMap<GoldenKey, String>;

/// Project under review. Clones share the history of this review and the flows' index.
#[derive(Debug, Clone)]
pub struct Review {
    pub(super) config: Config,
    store: Store,
    flows: Arc<Flows>,
    /// Obsolete goldens that the person wants to keep; known in this process only.
    pub(super) retained: Arc<Mutex<RetainedGoldens>>,
    /// True if goldens that no flow names are in the queue too.
    has_obsolete: bool,
    /// Source of the evidence of selectors that match nothing.
    pub(super) evidence: EvidenceSource,
    /// Patches of the last computation, with the project's version.
    pub(super) patches: Arc<Mutex<(u64, Arc<Patches>)>>,
}

/// Item with all that a person needs to decide.
#[derive(Debug, Clone)]
pub struct Case {
    pub item: Item,
    /// Both sides and their differences. An obsolete golden has only its own side; an unreadable one has
    /// none.
    pub diff: PendingDiff,
}

#[derive(Debug, Default)]
pub struct RejectResult {
    /// Keys that were decided, with obsolete goldens that stay and are not asked about again.
    pub rejected: Vec<GoldenKey>,
    /// Keys that were not rejected, with the reasons; also those that were not pending.
    pub refused: Vec<(GoldenKey, SnapshotError)>,
}

impl Review {
    /// Opens the project. An interrupted accept is completed first, which may write goldens. Flows and pending
    /// goldens are not read yet. Fails if that accept cannot be completed.
    pub fn open(config: &Config) -> Result<Self, ReviewError> {
        Ok(Self {
            config: config.clone(),
            store: config.recovered_store()?,
            flows: Arc::new(Flows::new(config)),
            retained: Arc::default(),
            has_obsolete: true,
            evidence: EvidenceSource::Project(PendingFolder::new(&config.root)),
            patches: Arc::default(),
        })
    }

    /// Creates a review of the proposals in `store` alone, which holds copies of some of the project's goldens. It
    /// asks about no obsolete goldens, and takes selectors from `evidence` instead of the project. Reads nothing yet.
    /// Its decisions about goldens change only `store`, those about selectors the project.
    pub(super) fn from_proposals(
        config: &Config,
        store: Store,
        evidence: Arc<Vec<Evidence>>,
    ) -> Self {
        Self {
            config: config.clone(),
            store,
            flows: Arc::new(Flows::new(config)),
            retained: Arc::default(),
            has_obsolete: false,
            evidence: EvidenceSource::Archive(evidence),
            patches: Arc::default(),
        }
    }

    /// Returns the project's root, absolute.
    pub fn root(&self) -> &camino::Utf8Path {
        &self.config.root
    }

    /// Returns the path of a golden's file.
    pub(super) fn path(
        &self,
        key: &GoldenKey,
        kind: FileKind,
        is_pending: bool,
    ) -> camino::Utf8PathBuf {
        self.root().join(self.store.path(key, kind, is_pending))
    }

    /// Reads the queue: pending goldens, obsolete ones that have nothing pending, and patches of selectors, grouped by
    /// cause. A pending golden that cannot be read is an item with an error, not an error of the queue. Empty if
    /// nothing waits. The queue has the version from before the files were read.
    pub fn queue(&self) -> Result<Queue, ReviewError> {
        // Taken before the files are read, so that a change meanwhile leads to another version.
        let version = self.version()?;
        let known = self.flows.known();
        let mut waiting = Vec::new();
        let pending = self.store.pending()?;
        for entry in &pending {
            let (cause, error) = self.cause(entry);
            let item = item(&known, &entry.key, cause.kind, error, &entry.version);
            waiting.push((cause, item));
        }
        let keys: BTreeSet<GoldenKey> = pending.into_iter().map(|entry| entry.key).collect();
        for key in self.obsolete(&known)? {
            if !keys.contains(&key) {
                waiting.push((Cause::obsolete(&key), self.obsolete_item(&known, &key)));
            }
        }
        let patches = self.patches(version);
        waiting.extend(
            patches
                .groups
                .iter()
                .map(|group| (group.cause(), group.item())),
        );
        let groups = group_by_cause(waiting);
        Ok(Queue { groups, version })
    }

    /// Returns a number that changes when [`Review::queue`] would. It depends on names, sizes and times of files and
    /// on the obsolete goldens that were kept, so it is cheap enough for several calls a second. A change that keeps
    /// size and time is not noticed.
    pub fn version(&self) -> Result<u64, ReviewError> {
        let mut stamp = Stamp::default();
        for (key, kind, is_pending) in self.store.files()? {
            stamp.file(&self.path(&key, kind, is_pending));
        }
        stamp.text(&self.flows.stamp().to_string());
        for key in &lock(&self.retained).keys {
            stamp.text(&key.to_string());
        }
        if let EvidenceSource::Project(folder) = &self.evidence {
            stamp.folder(folder.path());
        }
        for file in lock(&self.patches).1.files() {
            stamp.file(&self.config.root.join(file));
        }
        Ok(stamp.finish())
    }

    /// Reads one case: a pending golden, an obsolete one, or a group of patches. A golden that cannot be read is no
    /// error here: the item has the reason, and the difference is empty. A cause that the pending golden states
    /// counts before the computed one.
    ///
    /// # Errors
    /// Returns [`ReviewError::Gone`] if it is not pending any more.
    pub fn case(&self, key: &GoldenKey) -> Result<Case, ReviewError> {
        if is_patch_key(key) {
            let patches = self.patches(self.version()?);
            let group = patches.group(key).map(PatchGroup::case);
            return group.ok_or_else(|| ReviewError::Gone(key.to_string()));
        }
        let known = self.flows.known();
        let Some(entry) = self.store.pending_for(key)? else {
            if !self.obsolete(&known)?.contains(key) {
                return Err(ReviewError::Gone(key.to_string()));
            }
            let mut item = self.obsolete_item(&known, key);
            let diff = self.store.golden_diff(key).unwrap_or_else(|error| {
                item.error = Some(error.to_string());
                PendingDiff::empty(PendingEntry::nothing(key))
            });
            return Ok(Case { item, diff });
        };
        let (cause, version) = (entry.cause.clone(), entry.version.clone());
        let (mut diff, error) = match self.store.diff_of(entry.clone()) {
            Ok(diff) => (diff, None),
            Err(error) => (PendingDiff::empty(entry), Some(error.to_string())),
        };
        match (&error, cause) {
            (None, Some(cause)) => diff.cause = cause,
            (None, None) => {}
            (Some(error), _) => diff.cause = unreadable(error),
        }
        let item = item(&known, key, diff.cause.kind, error, &version);
        Ok(Case { item, diff })
    }

    /// Returns the cause of a pending golden: the one that it states, else the computed one. If it cannot be
    /// determined, or a file is not marked as pending, returns a cause for unreadable goldens, and the error.
    fn cause(&self, entry: &PendingEntry) -> (Cause, Option<String>) {
        let problem = match (&entry.unmarked, &entry.cause) {
            (None, Some(cause)) => return (cause.clone(), None),
            (Some(path), _) => SnapshotError::NotPending(path.clone()),
            (None, None) => match self.store.diff_of(entry.clone()) {
                Ok(diff) => return (diff.cause, None),
                Err(problem) => problem,
            },
        };
        let problem = problem.to_string();
        (unreadable(&problem), Some(problem))
    }

    /// Returns goldens that no flow names and that the person did not keep in this review, each render class for
    /// itself. Empty for a review of an archive, and if the flows cannot be listed or there are none. Goldens with
    /// something pending are included.
    fn obsolete(&self, known: &FlowIndex) -> Result<Vec<GoldenKey>, ReviewError> {
        if !self.has_obsolete {
            return Ok(Vec::new());
        }
        let found = self.store.obsolete(|key| !known.is_obsolete(key))?;
        let stored = lock(&self.retained);
        Ok(found
            .into_iter()
            .filter(|key| !stored.keys.contains(key))
            .collect())
    }

    /// Returns a version that changes with the names, sizes and times of the golden's files: the shared rows, and
    /// rows and picture of its class. Missing files count too; contents do not.
    fn obsolete_version(&self, key: &GoldenKey) -> String {
        let mut stamp = Stamp::default();
        for (key, kind) in [
            (&key.shared(), FileKind::Rows),
            (key, FileKind::Rows),
            (key, FileKind::Picture),
        ] {
            stamp.file(&self.config.root.join(self.store.path(key, kind, false)));
        }
        format!("{:016x}", stamp.finish())
    }

    fn obsolete_item(&self, known: &FlowIndex, key: &GoldenKey) -> Item {
        let version = self.obsolete_version(key);
        item(known, key, ChangeKind::Obsolete, None, &version)
    }
}

/// Creates an item. Its place is that of the step which takes the snapshot, `None` if no flow that can be read does.
fn item(
    known: &FlowIndex,
    key: &GoldenKey,
    kind: ChangeKind,
    error: Option<String>,
    version: &str,
) -> Item {
    Item {
        key: key.clone(),
        kind,
        place: known.place(key),
        error,
        version: version.to_owned(),
    }
}

/// Returns the cause of a snapshot that cannot be read. Its kind is `Replaced`, and its only change is the problem.
fn unreadable(problem: &str) -> Cause {
    Cause::new(
        ChangeKind::Replaced,
        &[format!("cannot be read: {problem}")],
    )
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
