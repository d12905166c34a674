//! Reason why a text is not a value of its setting.

use super::quarantine_limit::LimitError;
use runner_flow::MAX_RETRIES;
use runner_text::units::DurationError;

/// Reason why the text of an option or a variable is not a value of its setting.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The setting can only be set in `runner.yaml`.
    #[error("runner.yaml has it")]
    OnlyInFile,
    #[error("there is no such setting")]
    NoSetting,
    /// Text that is none of the named values. Holds the message.
    #[error("{0}")]
    NotNamed(String),
    /// Text that is no whole number.
    #[error(transparent)]
    Number(#[from] std::num::ParseIntError),
    /// More retries than allowed.
    #[error("{0} is not in 0..={MAX_RETRIES}")]
    Retries(i64),
    #[error(transparent)]
    Duration(#[from] DurationError),
    #[error(transparent)]
    QuarantineLimit(#[from] LimitError),
    /// Empty path.
    #[error("it names no file; leave it out, or write a path")]
    NoPath,
    /// Word that switches something on or off, in place of a path.
    #[error("`{0}` names no file; write a path, or `./{0}` for a file of this name")]
    Switch(String),
    /// Duration of zero.
    #[error("it leaves no time for any step")]
    NoTime,
}
