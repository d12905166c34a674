//! Snapshots that are not their goldens, and whether the flow goes on after one.

use super::step_result::FailedStep;
use super::step_result::{FailedTry, StepResult};

/// Snapshots that failed the flow without ending it, so that one run tells of all of them.
#[derive(Default)]
pub(super) struct DifferedSnapshots {
    /// Whether the flow goes on after one where it is now.
    pub(super) goes_on: bool,
    failures: Vec<FailedStep>,
}

impl DifferedSnapshots {
    pub(super) fn len(&self) -> usize {
        self.failures.len()
    }

    pub(super) fn first(&self) -> Option<&FailedStep> {
        self.failures.first()
    }

    /// A step inside of which a snapshot was not its golden fails like that one.
    pub(super) fn fail_around(
        &self,
        result: Result<Option<StepResult>, FailedTry>,
        before: usize,
    ) -> Result<Option<StepResult>, FailedTry> {
        match (result, self.failures.get(before)) {
            (Ok(done), Some(inside)) => Err(FailedTry {
                failure: inside.failure.clone(),
                artifacts: done.map(|done| done.artifacts).unwrap_or_default(),
                at: Some(inside.at.clone()),
            }),
            (result, _) => result,
        }
    }

    /// Ends the flow, unless it goes on after snapshots; one that was inside is noted already.
    pub(super) fn go_on_after(
        &mut self,
        failed: FailedStep,
        before: usize,
    ) -> Result<(), FailedStep> {
        if !self.goes_on || !failed.failure.is_about_a_golden() {
            return Err(failed);
        }
        if self.failures.len() == before {
            self.failures.push(failed);
        }
        Ok(())
    }
}
