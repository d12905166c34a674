//! Writes a mask into the flow that takes a snapshot.

use super::history::Step;
use super::{ObservedVersions, Review, lock};
use crate::ReviewError;
use crate::mask::{self, MaskResult, MaskTarget};
use runner_snapshot::{GoldenKey, MASK_LIMIT_PERCENT, PendingDiff, SnapshotError};

impl Review {
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
        let step = mask::write(&self.config.root, step, &case.diff.lines, &defaults, target)
            // The flow may be another than the one known, and the next try reads it again.
            .inspect_err(|_| self.flows.forget())?;
        let written = step.written.clone();
        lock(&self.retained)
            .steps
            .push(Step::Masked(Box::new(step)));
        Ok(written)
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
