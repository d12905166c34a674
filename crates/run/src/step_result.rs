//! What a step comes to.

use serde_json::Value;

use runner_engine::Session;
use runner_event::{Artifact, SourceLocation};
use runner_screen::Rect;
use runner_tools::{Failure, FailureKind, WaitTime};

/// What a step came to, beside passing.
#[derive(Debug, Default)]
pub(super) struct StepResult {
    pub(super) value: Value,
    pub(super) artifacts: Vec<Artifact>,
    pub(super) bounds: Option<Rect>,
}

/// A failed try, with the files it left.
#[derive(Debug)]
pub(super) struct FailedTry {
    pub(super) failure: Failure,
    pub(super) artifacts: Vec<Artifact>,
    /// A failure inside a nested step stands where that step stands.
    pub(super) at: Option<SourceLocation>,
}

/// A step that failed and is not optional.
#[derive(Debug, Clone)]
pub(super) struct FailedStep {
    pub(super) failure: Failure,
    pub(super) at: SourceLocation,
}

impl FailedTry {
    /// With how long the session waited in vain, where this step's own wait is what failed.
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
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            artifacts: Vec::new(),
            at: None,
        }
    }
}

impl From<FailedStep> for FailedTry {
    fn from(failed: FailedStep) -> Self {
        Self {
            failure: failed.failure,
            artifacts: Vec::new(),
            at: Some(failed.at),
        }
    }
}
