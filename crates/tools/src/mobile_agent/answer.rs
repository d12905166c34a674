//! Result dictionaries of the mobile-agent tools.

use serde_json::json;

use crate::{Failure, FailureKind, Outcome, Words};
use runner_screen::Rect;

/// Reason why a call was not carried out, for `{"success": false, "error": …}`.
#[derive(Debug)]
pub(super) struct AgentError {
    message: Words,
    real: Failure,
    /// Bounds of the control that was clicked all the same.
    clicked: Option<Rect>,
}

impl AgentError {
    /// Builds the error of an impossible request. For flows it counts as a failed assertion with the same
    /// message.
    pub(super) fn new(message: impl Into<Words>) -> Self {
        let message = message.into();
        Self {
            real: Failure::assertion(message.clone()),
            message,
            clicked: None,
        }
    }

    /// Converts an underlying failure, keeping its message as the one that clients see.
    pub fn from_failure(error: impl Into<Failure>) -> Self {
        let real = error.into();
        Self {
            message: real.message.clone(),
            real,
            clicked: None,
        }
    }

    /// Builds an error with the reference's message for clients. The real cause becomes a detail of the
    /// failure, which keeps its kind.
    pub(super) fn with_message(message: impl Into<Words>, error: impl Into<Failure>) -> Self {
        Self {
            message: message.into(),
            real: error.into(),
            clicked: None,
        }
    }

    /// Notes that a control with these bounds was clicked before the error. A detail of the failure says so.
    pub(super) fn after_click(mut self, bounds: Rect) -> Self {
        self.real = self.real.with_details(["the control was clicked before"]);
        self.clicked = Some(bounds);
        self
    }

    /// Converts to the failure of a step, or of a tool that raises errors. It has the message for clients,
    /// and the real one as a detail if that differs.
    pub(super) fn failure(self) -> Failure {
        self.real.with_message(self.message)
    }

    fn outcome(self) -> Outcome {
        let value = json!({ "success": false, "error": self.message });
        let outcome = Outcome::json(value).saying(self.message.clone());
        let outcome = match self.clicked {
            Some(bounds) => outcome.at(bounds),
            None => outcome,
        };
        outcome.failed(self.failure())
    }
}

/// Returns the outcome, or the answer `{"success": false, "error": …}`, which fails as a step.
pub fn to_outcome(result: Result<Outcome, AgentError>) -> Outcome {
    result.unwrap_or_else(AgentError::outcome)
}

/// Returns `{"success": true, "action": …, "output": "", "error": ""}`. `output` is empty as the device
/// prints nothing for an accepted input.
pub(super) fn acted(action: Words) -> Outcome {
    Outcome::json(json!({ "success": true, "action": action, "output": "", "error": "" }))
        .saying(action)
}

/// Converts the failure of a call without a device to the answer `{"success": false, "error": …}`, which also
/// fails as a step. Failures of another kind, such as a wrong argument, stay failures.
pub(super) fn without_device(failure: Failure) -> Result<Outcome, Failure> {
    if failure.kind == FailureKind::Infrastructure {
        return Ok(AgentError::from_failure(failure).outcome());
    }
    Err(failure)
}
