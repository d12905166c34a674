//! Error codes in the structured content of failures, the same in all catalogues.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The code of a tool's error, as the references number them. A stream of another version may hold other numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ErrorCode(i32);

impl ErrorCode {
    /// An argument is invalid.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The request is not allowed, or the device cannot be reached.
    pub const PERMISSION_DENIED: Self = Self(-32001);
    /// No such element.
    pub const ELEMENT_NOT_FOUND: Self = Self(-32002);
    /// The action failed.
    pub const ACTION_FAILED: Self = Self(-32003);
}
