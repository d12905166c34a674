//! What a step or tool comes to.

use serde_json::Value;

use crate::device::DeviceError;
use crate::screen::Rect;

/// Whose fault a failure is.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The app is not as the flow says: JUnit `failure`, exit code 1.
    Assertion,
    /// A limit of the flow ran out.
    Timeout,
    /// A snapshot differs, is new, or is unstable.
    Snapshot,
    /// The flow asks for what cannot be: a bad value at run time. Exit code 1.
    Usage,
    /// The device cannot do it.
    Unsupported,
    /// The device or the way to it failed: JUnit `error`, exit code 3.
    Infrastructure,
}

/// Why a step failed, for every report: built once, rendered by each.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Failure {
    /// Whose fault.
    pub kind: FailureKind,
    /// What went wrong, in one line.
    pub message: String,
    /// What was expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// Further lines: nearest misses, matching elements with the selector that picks each, what to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

impl Failure {
    /// A failure of `kind` with its message.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            expected: None,
            actual: None,
            details: Vec::new(),
        }
    }

    /// An assertion that does not hold.
    pub fn assertion(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Assertion, message)
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        let kind = match &error {
            error if error.is_infrastructure() => FailureKind::Infrastructure,
            DeviceError::Timeout { .. } => FailureKind::Timeout,
            DeviceError::Unsupported { .. } => FailureKind::Unsupported,
            _ => FailureKind::Assertion,
        };
        Self::new(kind, error.to_string())
    }
}

/// What a result means when the tool is used as a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The step passed.
    Passed,
    /// The step failed, though the tool answered (`found: false`, `AMBIGUOUS`, …).
    Failed(Failure),
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The text an MCP client gets; exact where a reference quotes it.
    pub text: String,
    /// The result that `as` keeps: `${total.text}`.
    pub value: Value,
    /// As a step.
    pub verdict: Verdict,
    /// Pictures that belong to the result, as encoded bytes with their media type.
    pub images: Vec<(String, Vec<u8>)>,
    /// Where the step acted, for reports.
    pub bounds: Option<Rect>,
}

impl Outcome {
    /// A passed call with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            value: Value::Null,
            verdict: Verdict::Passed,
            images: Vec::new(),
            bounds: None,
        }
    }

    /// A passed call with a result.
    pub fn value(text: impl Into<String>, value: Value) -> Self {
        Self {
            value,
            ..Self::text(text)
        }
    }
}
