//! Maps errors to the reference's messages. The real cause and advice are in the details.

pub(super) use crate::ErrorCode;
use crate::{Failure, FailureKind, Outcome, Words};
use runner_device::{DeviceError, DumpFailure};
use runner_engine::EngineError;

/// Builds a failure with `message` and `code`, and with the kind and cause of `error`. The error's own
/// message becomes the first detail.
pub(super) fn with_message(
    error: impl Into<Failure>,
    message: impl Into<Words>,
    code: ErrorCode,
) -> Failure {
    Failure {
        code: Some(code),
        ..error.into().with_message(message)
    }
}

/// Builds the failure of an action that did not succeed: an assertion with the code `ACTION_FAILED`.
pub(super) fn action_failed(message: impl Into<Words>) -> Failure {
    Failure {
        code: Some(ErrorCode::ACTION_FAILED),
        ..Failure::assertion(message)
    }
}

/// Returns the failure as an error, with a code if it has none, as one of the engine or of serde. The code is
/// `INVALID_PARAMS` for usage, `PERMISSION_DENIED` for infrastructure and `ACTION_FAILED` for all else.
pub(super) fn with_code(failure: Failure) -> Result<Outcome, Failure> {
    let usual = match failure.kind {
        FailureKind::Usage => ErrorCode::INVALID_PARAMS,
        FailureKind::Infrastructure => ErrorCode::PERMISSION_DENIED,
        _ => ErrorCode::ACTION_FAILED,
    };
    Err(Failure {
        code: failure.code.or(Some(usual)),
        ..failure
    })
}

/// Returns true for errors that the reference would tell as a service that is switched off: the device is out of
/// reach, or another client has its only slot.
fn service_is_gone(error: &DeviceError) -> bool {
    error.is_unreachable()
        || matches!(
            error,
            DeviceError::NoDump {
                kind: DumpFailure::SlotTaken,
                ..
            }
        )
}

/// Builds the failure called TREE in the specification: the screen could not be read. The message is the reference's,
/// by the cause; a device that is gone reads as a disabled accessibility service, with the code `PERMISSION_DENIED`;
/// all else has `ACTION_FAILED`. Errors that are not the device's are converted unchanged.
pub(super) fn tree(error: EngineError) -> Failure {
    let EngineError::Device(device) = error else {
        return error.into();
    };
    let (message, code): (Words, _) = match &device {
        device if service_is_gone(device) => (
            "Accessibility service not enabled or not ready. Please enable it in Android Settings > Accessibility.".into(),
            ErrorCode::PERMISSION_DENIED,
        ),
        DeviceError::NoDump {
            kind: DumpFailure::NullRoot,
            ..
        } => ("All windows returned null root nodes.".into(), ErrorCode::ACTION_FAILED),
        DeviceError::NoDump { .. } => (
            "No windows available and no active window root node. The screen may be transitioning.".into(),
            ErrorCode::ACTION_FAILED,
        ),
        device => (device.to_string().into(), ErrorCode::ACTION_FAILED),
    };
    with_message(device, message, code)
}

/// Builds the failure called SYS in the specification: a system action failed. `action` begins the message, such as
/// `Back button press`. A device that is gone reads as a disabled accessibility service, with the code
/// `PERMISSION_DENIED`; all else has `ACTION_FAILED`. Errors that are not the device's are converted unchanged.
pub(super) fn system(action: impl Into<Words>, error: EngineError) -> Failure {
    let EngineError::Device(device) = error else {
        return error.into();
    };
    if service_is_gone(&device) {
        let message = "Accessibility service not enabled. Please enable it in Android Settings > Accessibility.";
        return with_message(device, message, ErrorCode::PERMISSION_DENIED);
    }
    let message = Words::format("{} failed: {}", &[&action.into(), &device.to_string()]);
    with_message(device, message, ErrorCode::ACTION_FAILED)
}

/// Builds the failure called GEST in the specification: a gesture such as `tap(5, 6)` failed. The message is `Gesture
/// cancelled` if the `input` command failed or timed out after it began, `Failed to dispatch gesture` for other causes,
/// and names the accessibility service, with the code `PERMISSION_DENIED`, if the device is gone. Errors that are not
/// the device's are converted unchanged.
pub(super) fn gesture(gesture: &Words, error: EngineError) -> Failure {
    let EngineError::Device(device) = error else {
        return error.into();
    };
    let (message, code): (Words, _) = match &device {
        device if service_is_gone(device) => (
            "Accessibility service not enabled. Please enable it in Android Settings.".into(),
            ErrorCode::PERMISSION_DENIED,
        ),
        // `input` was killed or complained after it began.
        DeviceError::Command { .. }
        | DeviceError::InputRefused { .. }
        | DeviceError::Timeout { .. } => (
            Words::format("Gesture cancelled: {}", &[gesture]),
            ErrorCode::ACTION_FAILED,
        ),
        device => (
            Words::format("Failed to dispatch gesture: {}", &[&device.to_string()]),
            ErrorCode::ACTION_FAILED,
        ),
    };
    with_message(device, message, code)
}

/// Builds the failure of looking up an element by its id. An unknown id is reported in the reference's words.
/// A known element that left the screen keeps the engine's message. Both have the code `ELEMENT_NOT_FOUND`.
/// All else is a failure of [`tree`].
pub(super) fn element(id: &str, error: EngineError) -> Failure {
    if matches!(error, EngineError::UnknownId { .. }) {
        let message = Words::format("Element '{}' not found in accessibility tree", &[&id]);
        return with_message(error, message, ErrorCode::ELEMENT_NOT_FOUND);
    }
    if matches!(error, EngineError::Gone { .. }) {
        return Failure {
            code: Some(ErrorCode::ELEMENT_NOT_FOUND),
            ..error.into()
        };
    }
    tree(error)
}

/// Builds the failure of typing into the element `id`. A field that is not editable or takes no focus is
/// reported as an unavailable input connection. Text that did not all arrive is reported as a lost connection, with the
/// length of its part that arrived and of the whole field as expected, in UTF-16 units. All else is a failure of
/// [`element`].
pub(super) fn typing(id: &str, error: EngineError) -> Failure {
    match error {
        EngineError::NotEditable { .. } | EngineError::NoFocus { .. } => {
            let message = Words::format(
                "Input connection not available after focusing element '{}'. The element may not be an editable text field.",
                &[&id],
            );
            with_message(error, message, ErrorCode::ACTION_FAILED)
        }
        EngineError::NotTyped {
            ref expected,
            ref actual,
            ..
        } => {
            let (at, of) = arrived(expected.as_deref(), actual.as_deref());
            let message = Words::format(
                "Input connection lost during typing at position {} of {}. commitText returned false.",
                &[&at, &of],
            );
            with_message(error, message, ErrorCode::ACTION_FAILED)
        }
        error => element(id, error),
    }
}

/// Returns the length of the common prefix of both texts, and the length of the expected one, in UTF-16
/// units. A missing text counts as empty.
fn arrived(expected: Option<&str>, actual: Option<&str>) -> (usize, usize) {
    let expected: Vec<u16> = expected.unwrap_or_default().encode_utf16().collect();
    let same = actual
        .unwrap_or_default()
        .encode_utf16()
        .zip(&expected)
        .take_while(|(a, b)| a == *b)
        .count();
    (same, expected.len())
}

/// Builds the failure of a clipboard that is not accessible. A device that is gone reads as a disabled
/// accessibility service, with the code `PERMISSION_DENIED`. All else is `Clipboard access failed`.
pub(super) fn clipboard(error: DeviceError) -> Failure {
    let (message, code): (Words, _) = if service_is_gone(&error) {
        (
            "Accessibility service is not enabled".into(),
            ErrorCode::PERMISSION_DENIED,
        )
    } else {
        (
            Words::format("Clipboard access failed: {}", &[&error.to_string()]),
            ErrorCode::ACTION_FAILED,
        )
    };
    with_message(error, message, code)
}
