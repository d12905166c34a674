//! Failures after which a flow goes on, so that one run reports all of them: snapshots that differ from their goldens,
//! and soft assertions.

use super::step_result::FailedStep;
use super::step_result::{FailedTry, StepResult};
use runner_tools::{Failure, FailureKind};

/// Failures that failed the flow without ending it.
#[derive(Default)]
pub(super) struct CollectedFailures {
    /// After what the flow goes on where it is now.
    pub(super) goes_on: GoesOn,
    failures: Vec<FailedStep>,
}

/// After what a flow goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct GoesOn {
    /// A snapshot that is not its golden.
    pub(super) after_snapshots: bool,
    /// A soft assertion.
    pub(super) after_soft: bool,
}

impl GoesOn {
    /// After nothing: what is tried again, or may fail, ends at the first failure.
    pub(super) const NEVER: Self = Self {
        after_snapshots: false,
        after_soft: false,
    };

    /// Whether it does after this failure. What the device did wrong always ends it, and so does a crash of the app.
    pub(super) fn after(self, failure: &Failure, soft: bool) -> bool {
        let is_grave = failure.kind == FailureKind::Infrastructure || failure.kind.is_crash();
        let is_soft = soft && !is_grave;
        self.after_soft && is_soft || self.after_snapshots && failure.is_about_a_golden()
    }
}

/// What a step came to, and whether its failure is one inside of it, after which the flow has gone on already.
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

    /// Whether a snapshot is among them.
    pub(super) fn has_snapshot(&self) -> bool {
        let mut failures = self.failures.iter();
        failures.any(|failed| failed.failure.is_about_a_golden())
    }

    /// A step inside of which the flow went on after a failure fails like that one.
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

    /// Notes one after which the flow goes on.
    pub(super) fn note(&mut self, failed: FailedStep) {
        self.failures.push(failed);
    }
}
