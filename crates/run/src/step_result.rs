//! Results of a step.

use serde_json::Value;

use runner_engine::Session;
use runner_event::{Artifact, SourceLocation};
use runner_screen::Rect;
use runner_tools::{Failure, FailureKind, Reader, WaitTime};

/// Result of a step that passed.
#[derive(Debug, Default)]
pub(super) struct StepResult {
    pub(super) value: Value,
    pub(super) artifacts: Vec<Artifact>,
    pub(super) bounds: Option<Rect>,
}

/// Failed try of a step, with its artifacts.
#[derive(Debug)]
pub(super) struct FailedTry {
    pub(super) failure: Failure,
    pub(super) artifacts: Vec<Artifact>,
    /// Place of the nested step that failed, if it is one.
    pub(super) at: Option<SourceLocation>,
}

/// Failure of a step that is not optional.
#[derive(Debug, Clone)]
pub(super) struct FailedStep {
    pub(super) failure: Failure,
    pub(super) at: SourceLocation,
}

impl FailedTry {
    /// Writes the failure's advice for the author of the step, if nobody was told it before.
    pub(super) fn advise(mut self, reader: &dyn Reader) -> Self {
        self.failure = self.failure.advise(reader);
        self
    }

    /// Adds the time that the session waited in vain, if the failure is an assertion or timeout of this step
    /// itself. Failures of nested steps, and those that have a time already, are left alone. The time is
    /// taken from the session only then.
    pub(super) fn with_wait(mut self, session: &Session) -> Self {
        let of_a_wait = matches!(
            self.failure.kind,
            FailureKind::Assertion | FailureKind::Timeout
        );
        if of_a_wait && self.at.is_none() && self.failure.waited.is_none() {
            self.failure.waited = WaitTime::take(session);
        }
        self
    }
}

impl From<Failure> for FailedTry {
    /// Wraps a failure of the step itself, without artifacts.
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            artifacts: Vec::new(),
            at: None,
        }
    }
}

impl From<FailedStep> for FailedTry {
    /// Wraps the failure of a nested step, with that step's place and without artifacts.
    fn from(failed: FailedStep) -> Self {
        Self {
            failure: failed.failure,
            artifacts: Vec::new(),
            at: Some(failed.at),
        }
    }
}
