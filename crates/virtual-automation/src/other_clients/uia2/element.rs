//! More routes that concern one element.

use std::time::Duration;

use serde_json::{Value, json};

use crate::input;
use crate::other_clients::touch;
use crate::uia2::call::Call;
use crate::uia2::error::{ErrorKind, WireError};
use crate::uia2::found_element::FoundElement;
use crate::uia2::{element, text, windows};

/// Duration of the server's click. Chosen: typical of phones.
const CLICK: Duration = Duration::from_millis(20);

pub(super) fn click(call: &Call<'_>) -> Result<Value, WireError> {
    let found = call.found()?;
    input::fingers(call.device, &[touch::press(found.centre(), CLICK)]);
    Ok(Value::Null)
}

pub(super) fn clear(call: &Call<'_>) -> Result<Value, WireError> {
    let found = text::target(call)?;
    text::set(call, &found, "");
    Ok(Value::Null)
}

/// Returns the element's description; `null` if it is empty.
pub(super) fn name(call: &Call<'_>) -> Result<Value, WireError> {
    let screen = call.screen()?;
    let (tree, at) = call.element(&screen)?;
    let description = &tree.nodes[at].dump.desc;
    Ok(if description.is_empty() {
        Value::Null
    } else {
        Value::from(description.clone())
    })
}

pub(super) fn size(call: &Call<'_>) -> Result<Value, WireError> {
    let bounds = call.found()?.bounds;
    Ok(json!({ "width": bounds.right - bounds.left, "height": bounds.bottom - bounds.top }))
}

pub(super) fn location(call: &Call<'_>) -> Result<Value, WireError> {
    let bounds = call.found()?.bounds;
    Ok(json!({ "x": bounds.left, "y": bounds.top }))
}

/// Returns a picture of the element's bounds; an error if they lie outside of the display.
pub(super) fn screenshot(call: &Call<'_>) -> Result<Value, WireError> {
    let bounds = call.found()?.bounds;
    windows::picture(call, bounds)
        .map(Value::from)
        .ok_or_else(|| {
            WireError::new(
                ErrorKind::UNABLE_TO_CAPTURE,
                "The cropping area is outside of the original bitmap.",
            )
        })
}

/// Returns the element's first child; an error if it has none.
pub(super) fn first_visible(call: &Call<'_>) -> Result<Value, WireError> {
    let screen = call.screen()?;
    let (tree, at) = call.element(&screen)?;
    let child = tree.nodes[at].children.first();
    let found = child.map(|at| FoundElement::from_node(&tree.nodes[*at]));
    element::model(call, &found.ok_or_else(WireError::not_found)?)
}
