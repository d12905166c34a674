//! The review of one project: its queue, its cases, its decisions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::flows::{FlowIndex, Flows};
use super::mask::{self, MaskStep};
use super::patches::{self, EvidenceSource, PatchGroup, Patches, is_patch_key};
use super::queue::group_by_cause;
use super::stamp::Stamp;
use super::{Item, MaskResult, MaskTarget, Queue, ReviewError};
use runner_config::Config;
use runner_mend::{Evidence, FileEdit, PendingFolder};
use runner_snapshot::{
    AcceptResult, Cause, ChangeKind, Decision, FileKind, GoldenKey, MASK_LIMIT_PERCENT,
    PendingDiff, PendingEntry, SnapshotError, Store,
};

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

/// Obsolete goldens to keep, with the history of this review.
#[derive(Debug, Default)]
pub(super) struct RetainedGoldens {
    keys: BTreeSet<GoldenKey>,
    /// Steps of this review, oldest first.
    pub(super) steps: Vec<Step>,
}

/// Step of the review that undo can take back.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Decision that the store can take back, with the obsolete goldens that it kept.
    Decided(Vec<GoldenKey>),
    /// Decision that only kept these obsolete goldens.
    KeepOnly(Vec<GoldenKey>),
    /// Mask in a flow.
    Masked(Box<MaskStep>),
    /// Selectors in flows: the groups that were written together.
    Mended(Vec<GoldenKey>, Vec<FileEdit>),
    /// Patches that are not to be offered again.
    RejectedPatches(GoldenKey, Vec<String>),
}

/// Result of an undo; empty if there was nothing to take back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndoResult {
    /// Keys that are pending again.
    pub keys: Vec<GoldenKey>,
    /// Mask that was taken out of its flow.
    pub mask: Option<MaskResult>,
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
        stamp.folder(&self.config.root.join(&self.config.snapshots.value));
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

    /// Accepts keys in whatever version: pending goldens become the goldens and obsolete ones are removed, all as one
    /// step of the history. The patches of a key of selectors are written into the flows. Keys that are not pending
    /// any more, or whose goldens changed since, are refused with the reason.
    pub fn accept(&self, keys: &[GoldenKey]) -> Result<AcceptResult, ReviewError> {
        self.accept_observed(keys, &ObservedVersions::new())
    }

    /// Accepts like [`Review::accept`], and refuses keys of which another version is pending than the person has
    /// seen. A key without a version in `current_versions` is taken in any version. Refused keys are in the result
    /// and do not stop the others. Goldens are one step of the history, and so are the groups of patches if all of
    /// them can be written. Goldens are written first; an error there leaves the patches alone.
    pub fn accept_observed(
        &self,
        keys: &[GoldenKey],
        current_versions: &ObservedVersions,
    ) -> Result<AcceptResult, ReviewError> {
        let (patch_keys, keys): (Vec<_>, Vec<_>) = keys.iter().cloned().partition(is_patch_key);
        let mut result = self.accept_goldens(&keys, current_versions)?;
        self.accept_patches(&patch_keys, current_versions, &mut result);
        Ok(result)
    }

    /// Accepts pending goldens and removes obsolete ones, both as one step; other versions than observed are refused
    /// in the result. Without keys nothing happens; without an accepted one there is nothing to undo. No key may be
    /// that of a patch group.
    fn accept_goldens(
        &self,
        keys: &[GoldenKey],
        current_versions: &ObservedVersions,
    ) -> Result<AcceptResult, ReviewError> {
        if keys.is_empty() {
            return Ok(AcceptResult::default());
        }
        let (remove, accept) = self.split(keys)?;
        // The store compares versions of pending files only. An obsolete golden has none, so it is compared here.
        let (remove, changed) = self.still_observed(remove, current_versions);
        let mut done = self.store.decide(&Decision {
            accept,
            remove,
            observed: current_versions.clone(),
            ..Decision::default()
        })?;
        done.refused.extend(changed);
        let mut accepted = done.accepted;
        accepted.extend(done.removed);
        // Without accepted keys there is nothing to undo.
        if !accepted.is_empty() {
            lock(&self.retained).steps.push(Step::Decided(Vec::new()));
        }
        Ok(AcceptResult {
            accepted,
            causes: done.causes,
            refused: done.refused,
        })
    }

    /// Rejects keys in whatever version: pending goldens are removed, and the goldens stay. An obsolete golden stays
    /// and is not asked about again in this review; patches of selectors are never offered again. Keys that are not
    /// pending any more are refused with the reason.
    pub fn reject(&self, keys: &[GoldenKey]) -> Result<RejectResult, ReviewError> {
        self.reject_observed(keys, &ObservedVersions::new())
    }

    /// Rejects like [`Review::reject`], and refuses keys of which another version is pending than the person has
    /// seen. A key without a version is taken in any version. Refused keys are in the result and do not stop the
    /// others. Each group of patches is a step of its own for undo.
    pub fn reject_observed(
        &self,
        keys: &[GoldenKey],
        versions: &ObservedVersions,
    ) -> Result<RejectResult, ReviewError> {
        let (patch_keys, keys): (Vec<_>, Vec<_>) = keys.iter().cloned().partition(is_patch_key);
        let mut result = self.reject_goldens(&keys, versions)?;
        for key in patch_keys {
            match self.reject_patches(&key, versions) {
                Ok(()) => result.rejected.push(key),
                Err(why) => result.refused.push((key, why)),
            }
        }
        Ok(result)
    }

    /// Rejects pending goldens, and keeps obsolete ones until the review ends, which are in `rejected` too. Other
    /// versions than observed are refused in the result. If nothing was rejected or kept, there is nothing to undo.
    /// No key may be that of a patch group.
    fn reject_goldens(
        &self,
        keys: &[GoldenKey],
        versions: &ObservedVersions,
    ) -> Result<RejectResult, ReviewError> {
        let (keep, reject) = self.split(keys)?;
        let (keep, changed) = self.still_observed(keep, versions);
        let mut done = RejectResult {
            refused: changed,
            ..RejectResult::default()
        };
        if !reject.is_empty() {
            let decided = self.store.decide(&Decision {
                reject,
                observed: versions.clone(),
                ..Decision::default()
            })?;
            done.rejected = decided.rejected;
            done.refused.extend(decided.refused);
        }
        if done.rejected.is_empty() && keep.is_empty() {
            return Ok(done);
        }
        let mut stored = lock(&self.retained);
        stored.steps.push(if done.rejected.is_empty() {
            Step::KeepOnly(keep.clone())
        } else {
            Step::Decided(keep.clone())
        });
        stored.keys.extend(keep.iter().cloned());
        done.rejected.extend(keep);
        Ok(done)
    }

    /// Takes back the last step of this review. If that is a decision about goldens, or there is none, takes back the
    /// last such decision in the project, whoever made it. Returns the keys that wait again, or the mask; empty if
    /// there is nothing to take back. A mask or selectors in a flow that was edited since are an error, and the next
    /// call takes back the step before. If goldens cannot be taken back, the step stays the last one.
    pub fn undo(&self) -> Result<UndoResult, ReviewError> {
        let mut stored = lock(&self.retained);
        let step = stored.steps.last().cloned();
        let mut again = UndoResult::default();
        let keys = match step {
            Some(Step::Masked(step)) => {
                // Removed even if the flow was edited since: a second try would fail too.
                stored.steps.pop();
                step.restore(&self.config.root)?;
                again.mask = Some(step.written);
                return Ok(again);
            }
            Some(Step::Mended(keys, files)) => {
                stored.steps.pop();
                patches::write(&self.config.root, &patches::invert(&files))?;
                again.keys.extend(keys);
                return Ok(again);
            }
            Some(Step::RejectedPatches(key, rejections)) => {
                stored.steps.pop();
                self.remember(&rejections, false)?;
                again.keys.push(key);
                return Ok(again);
            }
            Some(Step::KeepOnly(keys)) => keys,
            Some(Step::Decided(_)) | None => {
                if let Some(undone) = self.store.undo()? {
                    again.keys.extend(undone.accepted);
                    again.keys.extend(undone.rejected);
                    again.keys.extend(undone.removed);
                }
                match step {
                    Some(Step::Decided(keys)) => keys,
                    _ => Vec::new(),
                }
            }
        };
        // Removed only now: if the store refuses, the step stays the last one.
        stored.steps.pop();
        for key in keys {
            stored.keys.remove(&key);
            again.keys.push(key);
        }
        Ok(again)
    }

    /// Writes a mask as [`Review::mask_observed`] does, whatever version is pending.
    pub fn mask(&self, key: &GoldenKey, target: &MaskTarget) -> Result<MaskResult, ReviewError> {
        self.mask_observed(key, target, &ObservedVersions::new())
    }

    /// Writes a mask into the flow, at the step that takes `key`; the golden stays pending. Fails if another version
    /// is pending than the person has seen, as a row's number would mean another row there; a key without a version is
    /// taken in any version. Fails too for a mask with which too much of the screen would be covered, for a golden
    /// whose step is unknown, and for one that is not pending any more. Nothing is written then. The mask is a step
    /// for undo.
    pub fn mask_observed(
        &self,
        key: &GoldenKey,
        target: &MaskTarget,
        observed: &ObservedVersions,
    ) -> Result<MaskResult, ReviewError> {
        let known = self.flows.known();
        let step = known
            .step(key)
            .ok_or_else(|| ReviewError::Usage(known.why_no_step(key)))?;
        let case = self.case(key)?;
        let is_seen = |observed_text: &String| *observed_text == case.item.version;
        if !observed.get(key).is_none_or(is_seen) {
            return Err(SnapshotError::LookAgain(key.to_string()).into());
        }
        let defaults = mask::Defaults {
            masks: &self.config.snapshot_defaults["mask"],
            redactions: &self.config.redactions,
        };
        ensure_small(&case.diff, target)?;
        let step = mask::write(&self.config.root, step, &case.diff.lines, &defaults, target)?;
        let written = step.written.clone();
        lock(&self.retained)
            .steps
            .push(Step::Masked(Box::new(step)));
        Ok(written)
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

    /// Divides obsolete goldens into those in the version that the person has seen, and the others, each with the
    /// error `LookAgain`. Keys that `observed` does not name count as seen.
    fn still_observed(
        &self,
        keys: Vec<GoldenKey>,
        observed: &ObservedVersions,
    ) -> (Vec<GoldenKey>, Vec<(GoldenKey, SnapshotError)>) {
        let (same, other): (Vec<_>, Vec<_>) = keys.into_iter().partition(|key| {
            let version = observed.get(key);
            version.is_none_or(|seen| *seen == self.obsolete_version(key))
        });
        let again = other.into_iter().map(|key| {
            let why = SnapshotError::LookAgain(key.to_string());
            (key, why)
        });
        (same, again.collect())
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

    /// Divides keys into obsolete goldens with nothing pending, and all others, also those that are not pending at
    /// all. Each key is returned once, sorted.
    fn split(&self, keys: &[GoldenKey]) -> Result<(Vec<GoldenKey>, Vec<GoldenKey>), ReviewError> {
        let pending = self.store.pending()?;
        let obsolete = self.obsolete(&self.flows.known())?;
        let waiting: BTreeSet<&GoldenKey> = pending.iter().map(|entry| &entry.key).collect();
        let obsolete: BTreeSet<&GoldenKey> = obsolete.iter().collect();
        let keys: BTreeSet<GoldenKey> = keys.iter().cloned().collect();
        let is_removed = |key: &GoldenKey| obsolete.contains(key) && !waiting.contains(key);
        Ok(keys.into_iter().partition(is_removed))
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

/// Fails for a mask that covers so much that the next run would refuse it: with all other masks more than
/// `MASK_LIMIT_PERCENT` of the screen. An unknown row, and one without bounds, covers nothing.
fn ensure_small(diff: &PendingDiff, target: &MaskTarget) -> Result<(), ReviewError> {
    let actual = |number: &usize| {
        let rows = diff.lines.iter().filter_map(|line| line.actual.as_ref());
        let row = rows.clone().find(|(own, _)| own == number);
        row.and_then(|(_, row)| row.bounds)
    };
    let area = match target {
        MaskTarget::Row(number) => actual(number),
        MaskTarget::Area(area) => Some(*area),
    };
    let percent = area.map_or(0, |area| diff.covered().percent_with(area));
    if percent > MASK_LIMIT_PERCENT {
        return Err(ReviewError::Usage(format!(
            "no mask: with it masks would cover {percent} % of the screen, and a run refuses more than {MASK_LIMIT_PERCENT} %; mask something smaller in it, or take one element with `of`"
        )));
    }
    Ok(())
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
