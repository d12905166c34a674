//! Routes that concern one element.

use serde_json::{Value, json};

use super::attributes;
use super::call::{Call, FoundElement};
use super::error::{ErrorKind, WireError};
use super::{find, windows};
use crate::input;
use crate::selector::{Criterion, Flag, matches};
use std::time::Duration;

/// Duration of the server's click. Chosen: typical of phones.
const CLICK: Duration = Duration::from_millis(20);

pub(super) fn active(call: &Call<'_>) -> Result<Value, WireError> {
    let focused = focused(call)?.ok_or_else(WireError::not_found)?;
    find::model(call, &focused)
}

/// Returns the first focused element of the windows that the settings include. `None` if there is none.
pub(super) fn focused(call: &Call<'_>) -> Result<Option<FoundElement>, WireError> {
    let screen = call.screen()?;
    let tree = call.window_tree(&screen)?;
    let found = matches(&[Criterion::Flag(Flag::Focused, true)], &tree, &tree.roots);
    Ok(found
        .first()
        .map(|at| FoundElement::from_node(&tree.nodes[*at])))
}

pub(super) fn click(call: &Call<'_>) -> Result<Value, WireError> {
    let found = call.found()?;
    input::fingers(call.device, &[input::press(found.centre(), CLICK)]);
    Ok(Value::Null)
}

pub(super) fn text(call: &Call<'_>) -> Result<Value, WireError> {
    let screen = call.screen()?;
    let (tree, at) = call.element(&screen)?;
    Ok(Value::from(attributes::display_text(&tree.nodes[at])))
}

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

pub(super) fn attribute(call: &Call<'_>) -> Result<Value, WireError> {
    let screen = call.screen()?;
    let (tree, at) = call.element(&screen)?;
    let name = call.matched.part(":name").unwrap_or_default();
    attributes::attribute(&tree, at, name).map(Value::from)
}

pub(super) fn rect(call: &Call<'_>) -> Result<Value, WireError> {
    Ok(windows::rect(call.found()?.bounds))
}

pub(super) fn size(call: &Call<'_>) -> Result<Value, WireError> {
    let bounds = call.found()?.bounds;
    Ok(json!({ "width": bounds.right - bounds.left, "height": bounds.bottom - bounds.top }))
}

pub(super) fn location(call: &Call<'_>) -> Result<Value, WireError> {
    let bounds = call.found()?.bounds;
    Ok(json!({ "x": bounds.left, "y": bounds.top }))
}

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

pub(super) fn first_visible(call: &Call<'_>) -> Result<Value, WireError> {
    let screen = call.screen()?;
    let (tree, at) = call.element(&screen)?;
    let child = tree.nodes[at].children.first();
    let found = child.map(|at| FoundElement::from_node(&tree.nodes[*at]));
    find::model(call, &found.ok_or_else(WireError::not_found)?)
}
