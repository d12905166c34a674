//! Accepts and rejects pending and obsolete goldens.

use std::collections::BTreeSet;

use super::history::Step;
use super::{ObservedVersions, RejectResult, Review, lock};
use crate::ReviewError;
use crate::patches::is_patch_key;
use runner_snapshot::{AcceptResult, Decision, GoldenKey, SnapshotError};

impl Review {
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
        let (remove, mut changed) = self.still_observed(remove, current_versions);
        let (remove, named) = self.still_obsolete(remove);
        changed.extend(named);
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

    /// Divides obsolete goldens into those that no flow names on the disk now, and the others, each with the error
    /// `LookAgain`. All flows are read for it: a file saved within the clock's tick has the stamp of before.
    fn still_obsolete(
        &self,
        keys: Vec<GoldenKey>,
    ) -> (Vec<GoldenKey>, Vec<(GoldenKey, SnapshotError)>) {
        if keys.is_empty() {
            return (keys, Vec::new());
        }
        self.flows.forget();
        let known = self.flows.known();
        let (same, named): (Vec<_>, Vec<_>) =
            keys.into_iter().partition(|key| known.is_obsolete(key));
        let again = named.into_iter().map(|key| {
            let why = SnapshotError::LookAgain(key.to_string());
            (key, why)
        });
        (same, again.collect())
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
