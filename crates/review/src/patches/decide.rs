//! Accepts and rejects groups of patches in a review of the project.

use std::sync::Arc;

use super::{PatchGroup, Patches};
use crate::ReviewError;
use crate::session::{ObservedVersions, Review, Step, lock};
use runner_mend::PendingFolder;
use runner_snapshot::{Cause, GoldenKey, SnapshotError};

impl Review {
    /// Returns the patches for this version of the project. They are computed only if the version is another
    /// than at the last call.
    pub(crate) fn patches(&self, version: u64) -> Arc<Patches> {
        let mut last = lock(&self.patches);
        if last.0 != version {
            *last = (version, Arc::new(self.evidence.patches(&self.config)));
        }
        Arc::clone(&last.1)
    }

    /// Computes the patches again and returns the group. Fails if it is gone, or no longer the one that the
    /// person saw. A key that `observed` does not name is taken in any version.
    fn observed_patches(
        &self,
        key: &GoldenKey,
        observed: &ObservedVersions,
    ) -> Result<PatchGroup, SnapshotError> {
        let patches = self.evidence.patches(&self.config);
        let group = patches.groups.into_iter().find(|group| group.key == *key);
        let group = group.ok_or_else(|| SnapshotError::Gone(key.to_string()))?;
        let is_seen = |seen: &String| *seen == group.version();
        if !observed.get(key).is_none_or(is_seen) {
            return Err(SnapshotError::LookAgain(key.to_string()));
        }
        Ok(group)
    }

    pub(crate) fn accept_patches(
        &self,
        key: &GoldenKey,
        observed: &ObservedVersions,
    ) -> Result<Cause, SnapshotError> {
        let group = self.observed_patches(key, observed)?;
        let files = group.accept(&self.config).map_err(refusal)?;
        let mut stored = lock(&self.retained);
        stored.steps.push(Step::Mended(key.clone(), files));
        Ok(group.cause())
    }

    pub(crate) fn reject_patches(
        &self,
        key: &GoldenKey,
        observed: &ObservedVersions,
    ) -> Result<(), SnapshotError> {
        let group = self.observed_patches(key, observed)?;
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

fn refusal(error: impl std::fmt::Display) -> SnapshotError {
    SnapshotError::Selector(error.to_string())
}
