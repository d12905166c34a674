//! Accepts and rejects groups of patches in a review of the project.

use std::sync::Arc;

use super::{PatchGroup, Patches, accept};
use crate::ReviewError;
use crate::session::{ObservedVersions, Review, Step, lock};
use runner_mend::PendingFolder;
use runner_snapshot::{AcceptResult, GoldenKey, SnapshotError};

impl Review {
    /// Returns the patches for this version of the project. They are computed only if the version is another than at
    /// the last call; decisions compute them anew.
    pub(crate) fn patches(&self, version: u64) -> Arc<Patches> {
        let mut last = lock(&self.patches);
        if last.0 != version {
            *last = (version, Arc::new(self.evidence.patches(&self.config)));
        }
        Arc::clone(&last.1)
    }

    /// Accepts groups of patches: in one step if all can be written, as several may edit the same file, else one
    /// after another, each a step of its own for undo. Adds the accepted and the refused ones to `result`. Groups
    /// that are gone or not the observed version are refused and do not stop the others. Never fails.
    pub(crate) fn accept_patches(
        &self,
        keys: &[GoldenKey],
        observed: &ObservedVersions,
        result: &mut AcceptResult,
    ) {
        let patches = self.evidence.patches(&self.config);
        let mut groups = Vec::new();
        for key in keys {
            match observed_group(&patches, key, observed) {
                Ok(group) => groups.push(group),
                Err(why) => result.refused.push((key.clone(), why)),
            }
        }
        let are_all = groups.len() > 1 && self.write_patches(&groups).is_ok();
        for group in groups {
            let written = if are_all {
                Ok(())
            } else {
                self.accept_alone(&group.key, observed)
            };
            match written {
                Ok(()) => {
                    result.causes.insert(group.key.clone(), group.cause());
                    result.accepted.push(group.key.clone());
                }
                Err(why) => result.refused.push((group.key.clone(), why)),
            }
        }
    }

    fn accept_alone(
        &self,
        key: &GoldenKey,
        observed: &ObservedVersions,
    ) -> Result<(), SnapshotError> {
        // Computed again, as another group may have edited the same file just before.
        let patches = self.evidence.patches(&self.config);
        self.write_patches(&[observed_group(&patches, key, observed)?])
    }

    /// Writes the patches into the flows and remembers them for undo. On an error nothing is written or remembered.
    fn write_patches(&self, groups: &[&PatchGroup]) -> Result<(), SnapshotError> {
        let files = accept(&self.config, groups).map_err(refusal)?;
        let keys = groups.iter().map(|group| group.key.clone()).collect();
        let mut stored = lock(&self.retained);
        stored.steps.push(Step::Mended(keys, files));
        Ok(())
    }

    /// Rejects the patches of a group for later reviews too, and remembers the step for undo. The evidence stays.
    /// Fails if the group is gone or not the observed version, or the list of rejections cannot be written.
    pub(crate) fn reject_patches(
        &self,
        key: &GoldenKey,
        observed: &ObservedVersions,
    ) -> Result<(), SnapshotError> {
        let patches = self.evidence.patches(&self.config);
        let group = observed_group(&patches, key, observed)?;
        let rejections = group.rejections();
        self.remember(&rejections, true).map_err(refusal)?;
        let mut stored = lock(&self.retained);
        stored
            .steps
            .push(Step::RejectedPatches(key.clone(), rejections));
        Ok(())
    }

    pub(crate) fn remember(
        &self,
        rejections: &[String],
        is_rejected: bool,
    ) -> Result<(), ReviewError> {
        let folder = PendingFolder::new(&self.config.root);
        Ok(folder.reject(rejections, is_rejected)?)
    }
}

/// Returns the group of a key. Fails with `Gone` if there is none, or with `LookAgain` if it is no longer the one
/// that the person saw. A key that `observed` does not name is taken in any version.
fn observed_group<'p>(
    patches: &'p Patches,
    key: &GoldenKey,
    observed: &ObservedVersions,
) -> Result<&'p PatchGroup, SnapshotError> {
    let group = patches.group(key);
    let group = group.ok_or_else(|| SnapshotError::Gone(key.to_string()))?;
    let is_seen = |seen: &String| *seen == group.version();
    if !observed.get(key).is_none_or(is_seen) {
        return Err(SnapshotError::LookAgain(key.to_string()));
    }
    Ok(group)
}

fn refusal(error: impl std::fmt::Display) -> SnapshotError {
    SnapshotError::Selector(error.to_string())
}
