//! The dictionaries that the tools answer with.

use serde_json::json;

use crate::{Failure, FailureKind, Outcome, Words};

/// Why a call was not carried out: `{"success": false, "error": …}`.
#[derive(Debug)]
pub(super) struct AgentError {
    message: Words,
    real: Failure,
}

impl AgentError {
    /// What the caller asked for cannot be.
    pub(super) fn new(message: impl Into<Words>) -> Self {
        let message = message.into();
        Self {
            real: Failure::assertion(message.clone()),
            message,
        }
    }

    /// What went wrong, in its own words.
    pub fn of(error: impl Into<Failure>) -> Self {
        let real = error.into();
        Self {
            message: real.message.clone(),
            real,
        }
    }

    /// What went wrong, in the reference's words; the real cause is kept beside them.
    pub(super) fn with_message(message: impl Into<Words>, error: impl Into<Failure>) -> Self {
        Self {
            message: message.into(),
            real: error.into(),
        }
    }

    /// The failure of a step, and of the tools that raise.
    pub(super) fn failure(self) -> Failure {
        self.real.with_message(self.message)
    }

    fn outcome(self) -> Outcome {
        let value = json!({ "success": false, "error": self.message });
        let text = self.message.clone();
        Outcome::json(value).saying(text).failed(self.failure())
    }
}

/// The dictionary of a call, or of why it was not carried out.
pub fn of(result: Result<Outcome, AgentError>) -> Outcome {
    result.unwrap_or_else(AgentError::outcome)
}

/// `{"success": true, "action": …, "output": "", "error": ""}`: the device says nothing of an input that it took.
pub(super) fn acted(action: Words) -> Outcome {
    Outcome::json(json!({ "success": true, "action": action, "output": "", "error": "" }))
        .saying(action)
}

/// What a call comes to that found no device; an argument that cannot be stays an error.
pub(super) fn without_device(failure: Failure) -> Result<Outcome, Failure> {
    if failure.kind == FailureKind::Infrastructure {
        return Ok(AgentError::of(failure).outcome());
    }
    Err(failure)
}
