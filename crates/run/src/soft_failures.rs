//! Failures after which a flow goes on, so that one run reports all of them: snapshots that differ from their
//! goldens, and soft assertions.

use super::step_result::FailedStep;
use super::step_result::{FailedTry, StepResult};
use runner_tools::{Failure, FailureKind};

/// Failures that fail the flow without ending it.
#[derive(Default)]
pub(super) struct CollectedFailures {
    /// Policy at the current step.
    pub(super) continue_policy: ContinuePolicy,
    failures: Vec<FailedStep>,
}

/// Kinds of failures after which a flow goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ContinuePolicy {
    /// Snapshots that differ from their golden.
    pub(super) after_snapshots: bool,
    /// Soft assertions.
    pub(super) after_soft: bool,
}

impl ContinuePolicy {
    /// No kind: a step that is retried or may fail ends at its first failure.
    pub(super) const NEVER: Self = Self {
        after_snapshots: false,
        after_soft: false,
    };

    /// Returns true if the flow goes on after this failure. A fault of the device or a crash of the app
    /// always ends it.
    pub(super) fn after(self, failure: &Failure, soft: bool) -> bool {
        let is_grave = failure.kind == FailureKind::Infrastructure || failure.kind.is_crash();
        let is_soft = soft && !is_grave;
        self.after_soft && is_soft || self.after_snapshots && failure.is_about_a_golden()
    }
}

/// Result of a step. `is_noted` says that its failure happened inside it and was collected already.
pub(super) struct GroupOutcome {
    pub(super) result: Result<Option<StepResult>, FailedTry>,
    pub(super) is_noted: bool,
}

impl CollectedFailures {
    pub(super) fn len(&self) -> usize {
        self.failures.len()
    }

    pub(super) fn first(&self) -> Option<&FailedStep> {
        self.failures.first()
    }

    /// Returns true if a failed snapshot is among them.
    pub(super) fn has_snapshot(&self) -> bool {
        let mut failures = self.failures.iter();
        failures.any(|failed| failed.failure.is_about_a_golden())
    }

    /// Returns the result of a step that holds steps. If it passed but failures were collected inside it,
    /// i.e. since there were `before` failures, it fails with the first of them, at that one's place, and
    /// `is_noted` says that it was collected already. Otherwise the result stays.
    pub(super) fn fail_around(
        &self,
        result: Result<Option<StepResult>, FailedTry>,
        before: usize,
    ) -> GroupOutcome {
        match (result, self.failures.get(before)) {
            (Ok(done), Some(inside)) => GroupOutcome {
                result: Err(FailedTry {
                    failure: inside.failure.clone(),
                    artifacts: done.map(|done| done.artifacts).unwrap_or_default(),
                    at: Some(inside.at.clone()),
                }),
                is_noted: true,
            },
            (result, _) => GroupOutcome {
                result,
                is_noted: false,
            },
        }
    }

    /// Adds a failure after which the flow goes on.
    pub(super) fn note(&mut self, failed: FailedStep) {
        self.failures.push(failed);
    }
}
