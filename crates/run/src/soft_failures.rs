//! Failures after which a flow goes on, so that one run reports all of them: snapshots that differ from their
//! goldens, and soft assertions.

use super::step_result::FailedStep;
use super::step_result::{FailedTry, StepResult};
use runner_tools::{Failure, FailureKind};

/// Failures that fail the flow without ending it.
#[derive(Default)]
pub(super) struct CollectedFailures {
    /// Policy at the current step.
    policy: ContinuePolicy,
    failures: Vec<FailedStep>,
    /// True if the last step failed and stored its screen.
    has_screen: bool,
}

/// Kinds of failures after which a flow goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ContinuePolicy {
    /// Snapshots that differ from their golden.
    after_snapshots: bool,
    /// Soft assertions.
    after_soft: bool,
}

impl ContinuePolicy {
    /// No kind. For a step that is retried or may fail, which ends at its first failure.
    pub(super) const NEVER: Self = Self {
        after_snapshots: false,
        after_soft: false,
    };
    /// Soft assertions only. For the setup and for a flow that fails fast: both end at a failed snapshot.
    pub(super) const SETUP: Self = Self {
        after_snapshots: false,
        after_soft: true,
    };
    pub(super) const ALWAYS: Self = Self {
        after_snapshots: true,
        after_soft: true,
    };

    /// Returns true if the flow goes on after this failure. A fault of the device or a crash of the app
    /// always ends it.
    fn after(self, failure: &Failure, soft: bool) -> bool {
        let is_grave = failure.kind == FailureKind::Infrastructure || failure.kind.is_crash();
        let is_soft = soft && !is_grave;
        self.after_soft && is_soft || self.after_snapshots && failure.is_about_a_golden()
    }
}

/// State before a step, for [`CollectedFailures::end_step`].
pub(super) struct StepMark {
    policy: ContinuePolicy,
    failures: usize,
}

/// Result of a step. `is_noted` says that its failure happened inside it and was collected already.
pub(super) struct GroupOutcome {
    pub(super) result: Result<Option<StepResult>, FailedTry>,
    pub(super) is_noted: bool,
}

impl CollectedFailures {
    /// Sets the policy for the current step and for the steps inside of it.
    pub(super) fn set_policy(&mut self, policy: ContinuePolicy) {
        self.policy = policy;
    }

    /// Returns true if the flow goes on after this failure of a step, which is `soft` or not.
    pub(super) fn goes_on_after(&self, failure: &Failure, soft: bool) -> bool {
        self.policy.after(failure, soft)
    }

    /// Returns true if the flow goes on after a failed snapshot.
    pub(super) fn goes_on_after_snapshots(&self) -> bool {
        self.policy.after_snapshots
    }

    /// Notes that a step has failed, and has stored its screen or not.
    pub(super) fn note_screen(&mut self, has_screen: bool) {
        self.has_screen = has_screen;
    }

    /// Returns true if the last step failed and stored its screen. By now another one may be shown.
    pub(super) fn has_screen(&self) -> bool {
        self.has_screen
    }

    /// Begins a step, of which no screen is stored yet. Returns the mark for [`Self::end_step`].
    pub(super) fn begin_step(&mut self) -> StepMark {
        self.has_screen = false;
        StepMark {
            policy: self.policy,
            failures: self.failures.len(),
        }
    }

    /// Ends a step, and restores the policy before it. If it passed but failures were collected inside it, it
    /// fails with the first of them, at that one's place, and `is_noted` says that it was collected already.
    /// Otherwise the result stays.
    pub(super) fn end_step(
        &mut self,
        before: &StepMark,
        result: Result<Option<StepResult>, FailedTry>,
    ) -> GroupOutcome {
        self.policy = before.policy;
        match (result, self.failures.get(before.failures)) {
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

    /// Adds a failure after which the flow goes on.
    pub(super) fn note(&mut self, failed: FailedStep) {
        self.failures.push(failed);
    }
}
