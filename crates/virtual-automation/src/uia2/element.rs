//! Routes that describe one element, and references to elements.

use serde_json::Value;

use super::attributes;
use super::call::Call;
use super::error::WireError;
use super::found_element::FoundElement;
use super::windows;

pub(super) fn active(call: &Call<'_>) -> Result<Value, WireError> {
    let focused = focused(call)?.ok_or_else(WireError::not_found)?;
    model(call, &focused)
}

/// Returns the first focused element of the windows that the settings include. `None` if there is none.
pub(super) fn focused(call: &Call<'_>) -> Result<Option<FoundElement>, WireError> {
    let screen = call.screen()?;
    let tree = call.window_tree(&screen)?;
    let found = tree.nodes.iter().find(|node| node.dump.focused);
    Ok(found.map(FoundElement::from_node))
}

pub(super) fn text(call: &Call<'_>) -> Result<Value, WireError> {
    let screen = call.screen()?;
    let (tree, at) = call.element(&screen)?;
    Ok(Value::from(attributes::display_text(&tree.nodes[at])))
}

/// Returns the attribute of the element that the request names; an error for an unknown attribute or an element that
/// is gone. An attribute that it does not have is `null`.
pub(super) fn attribute(call: &Call<'_>) -> Result<Value, WireError> {
    let screen = call.screen()?;
    let (tree, at) = call.element(&screen)?;
    let name = call.parts.get(":name").unwrap_or_default();
    attributes::attribute(&tree, at, name).map(Value::from)
}

pub(super) fn rect(call: &Call<'_>) -> Result<Value, WireError> {
    Ok(windows::rect(call.found()?.bounds))
}

/// Registers an element, and returns its reference. Unless the settings ask for compact answers, the attributes that
/// they name are added; unknown ones are skipped. `name` is the description there. An element that is gone has only
/// its reference.
pub(crate) fn model(call: &Call<'_>, found: &FoundElement) -> Result<Value, WireError> {
    let mut model = call.with_session(|session| session.elements.add(found))?;
    let settings = call.server.settings();
    if settings.is_on("shouldUseCompactResponses") {
        return Ok(model);
    }
    let fields = settings.text("elementResponseAttributes");
    drop(settings);
    let screen = call.screen()?;
    let tree = screen.full_tree();
    let Some(at) = tree.with_key(found.key) else {
        return Ok(model);
    };
    for field in fields.split(',').map(str::trim) {
        let value = match field {
            "rect" => windows::rect(found.bounds),
            // Unlike the attribute, `name` here is the description.
            "name" => Value::from(tree.nodes[at].dump.desc.clone()),
            field => {
                let name = field.strip_prefix("attribute/").unwrap_or(field);
                match attributes::attribute(&tree, at, name) {
                    Ok(value) => Value::from(value),
                    Err(_) => continue,
                }
            }
        };
        model[field] = value;
    }
    Ok(model)
}
