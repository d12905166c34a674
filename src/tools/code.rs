//! The codes in the structured content of errors: the same in every catalogue.

use super::Failure;

/// An argument cannot be.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// What is asked for is not allowed, or the way to the device is not there.
pub(super) const PERMISSION_DENIED: i32 = -32001;
/// An element is not there.
pub(super) const ELEMENT_NOT_FOUND: i32 = -32002;
/// The action failed.
pub(super) const ACTION_FAILED: i32 = -32003;

/// An error of an argument.
pub(super) fn invalid(message: impl Into<String>) -> Failure {
    Failure {
        code: Some(INVALID_PARAMS),
        ..Failure::usage(message)
    }
}
