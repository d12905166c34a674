//! Enters texts into elements without keys.

use serde::Deserialize;
use serde_json::Value;

use super::call::Call;
use super::error::{ErrorKind, WireError};
use super::found_element::FoundElement;
use super::{attributes, element};
use crate::input;
use runner_virtual_device::AccessibilityAction;

/// `KEYCODE_ENTER`.
const ENTER: i64 = 66;

/// Returns the element named by the path, or the focused one if the path names none. Fails if that element is not
/// on the screen.
pub(crate) fn target(call: &Call<'_>) -> Result<FoundElement, WireError> {
    if call.parts.get(":element").is_some() {
        return call.found();
    }
    element::focused(call)?.ok_or_else(WireError::not_found)
}

/// Appends a text to that of an element, or with `replace` puts it in its place. A hint does not count as text. Fails
/// if the element takes no text. A bar takes a number instead, and any other text is an error. A text that ends with
/// the two characters `\n`, which stay in it, also presses Enter.
pub(crate) fn send_keys(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    struct Body {
        text: String,
        replace: Option<bool>,
    }
    let found = target(call)?;
    let body: Body = call.model()?;
    let (is_bar, display) = now(call, &found)?;
    if is_bar {
        let number: f32 =
            body.text.trim().parse().map_err(|_| {
                WireError::argument(format!("Cannot convert '{}' to float", body.text))
            })?;
        let action = AccessibilityAction::SetProgress(number);
        input::act(call.device, found.window, found.bounds, &action);
        return Ok(Value::Null);
    }
    let mut text = body.text.clone();
    if body.replace != Some(true) && !display.is_empty() {
        set(call, &found, "");
        // What is left is a hint.
        let left = now(call, &found)?.1;
        if left.is_empty() {
            text = display + &text;
        }
    }
    if !set(call, &found, &text) {
        return Err(WireError::new(
            ErrorKind::INVALID_ELEMENT_STATE,
            format!(
                "Cannot set the element to '{}'. Did you interact with the correct element?",
                body.text
            ),
        ));
    }
    // The two characters stay in the text, as on phones.
    if text.ends_with("\\n") {
        input::key(call.device, ENTER, false);
    }
    Ok(Value::Null)
}

pub(crate) fn set(call: &Call<'_>, found: &FoundElement, text: &str) -> bool {
    call.log(&format!("Sending text to element: {text}"));
    let action = AccessibilityAction::SetText(text.to_owned());
    input::act(call.device, found.window, found.bounds, &action)
}

/// Returns true if an element is a bar with a number, and its displayed text, on a new look. Fails if the
/// element is not there any more.
fn now(call: &Call<'_>, found: &FoundElement) -> Result<(bool, String), WireError> {
    let screen = call.screen()?;
    let tree = screen.full_tree();
    let at = tree.with_key(found.key).ok_or_else(|| {
        WireError::new(
            ErrorKind::STALE_ELEMENT,
            "The referenced element is no longer attached to the DOM",
        )
    })?;
    let node = &tree.nodes[at];
    Ok((node.range_value().is_some(), attributes::display_text(node)))
}
