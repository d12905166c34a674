//! Routes that press keys.

use serde::Deserialize;
use serde_json::Value;

use super::call::Call;
use super::error::{ErrorKind, WireError};
use crate::input;

#[derive(Deserialize)]
struct KeyBody {
    keycode: i64,
    metastate: Option<i64>,
}

/// Presses a key with modifiers; an error for an unknown key code.
pub(super) fn press_key(call: &Call<'_>) -> Result<Value, WireError> {
    let body: KeyBody = call.model()?;
    if input::key_with_meta(call.device, body.keycode, body.metastate.unwrap_or(0)) {
        return Ok(Value::Null);
    }
    Err(WireError::new(
        ErrorKind::INVALID_ELEMENT_STATE,
        format!(
            "Cannot generate key press event for key code {}",
            body.keycode
        ),
    ))
}

/// Holds a key long, without modifiers; an error for an unknown key code.
pub(super) fn long_press_key(call: &Call<'_>) -> Result<Value, WireError> {
    let body: KeyBody = call.model()?;
    if input::key(call.device, body.keycode, true) {
        return Ok(Value::Null);
    }
    Err(WireError::new(
        ErrorKind::INVALID_ELEMENT_STATE,
        format!(
            "Cannot inject long press event for key code {}",
            body.keycode
        ),
    ))
}
