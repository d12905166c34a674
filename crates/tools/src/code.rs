//! The codes in the structured content of errors: the same in every catalogue.

use crate::Words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Failure;

/// The code of a tool's error, as the references number them. A stream of another version may hold other numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ErrorCode(i32);

impl ErrorCode {
    /// An argument cannot be.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// What is asked for is not allowed, or the way to the device is not there.
    pub const PERMISSION_DENIED: Self = Self(-32001);
    /// An element is not there.
    pub const ELEMENT_NOT_FOUND: Self = Self(-32002);
    /// The action failed.
    pub const ACTION_FAILED: Self = Self(-32003);
}

/// An error of an argument.
pub(super) fn invalid(message: impl Into<Words>) -> Failure {
    Failure {
        code: Some(ErrorCode::INVALID_PARAMS),
        ..Failure::usage(message)
    }
}
