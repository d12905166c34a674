//! Converts messages of A2UI 0.8, 0.10, and without a version into those of 0.9.1.
//!
//! App files are 0.9.1 only. Messages that are sent to a running device are read here.

mod components;

use serde_json::{Map, Value};

use components::{old_component, without_literals};

use super::message::{MessageError, SURFACE_IN_FRONT, from_value, one, wrong};
use super::{Message, absolute};

/// Reads messages of any version: one, a list, `{messages: […]}`, or several JSON values one after the other.
/// The versions may differ from message to message. Fails at the first wrong one, and if there is none.
pub(crate) fn read_any_version(text: &str) -> Result<Vec<Message>, MessageError> {
    let mut messages = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let value = value.map_err(|error| MessageError {
            line: error.line() as u64,
            column: error.column() as u64,
            message: error.to_string(),
        })?;
        for some in from_value(&value, &any)? {
            messages.extend(some);
        }
    }
    if messages.is_empty() {
        return Err(wrong("there is no message"));
    }
    Ok(messages)
}

/// Reads a message by its version. Without one, its kind tells 0.8 from a bare message. One message may become several.
/// Fails for an unknown version.
fn any(value: &Value) -> Result<Vec<Message>, MessageError> {
    let Value::Object(fields) = value else {
        return Err(wrong(
            "a message must be an object such as {\"updateComponents\": …}",
        ));
    };
    let version = match fields.get("version") {
        None => None,
        Some(Value::String(version)) => Some(version.trim_start_matches('v')),
        Some(other) => {
            return Err(wrong(format!(
                "`version` must be a text such as \"v0.9\", not {other}"
            )));
        }
    };
    let old = ["beginRendering", "surfaceUpdate", "dataModelUpdate"];
    match version {
        Some("0.8") => old_message(fields),
        None if old.iter().any(|kind| fields.contains_key(*kind)) => old_message(fields),
        None => bare_message(fields),
        Some("0.9" | "0.9.1") => current(fields.clone()),
        Some("0.10") => next_message(fields),
        Some(other) => Err(wrong(format!(
            "A2UI version `{other}` is not supported; messages are of 0.8, 0.9, 0.9.1 or 0.10"
        ))),
    }
}

/// Reads a message that differs from 0.9.1 only in its version, which is replaced.
fn current(mut fields: Map<String, Value>) -> Result<Vec<Message>, MessageError> {
    fields.insert("version".to_owned(), "v0.9".into());
    Ok(vec![one(&Value::Object(fields))?])
}

/// Reads a message without a version: as in 0.9.1, but literals are in wrappers, data is a map of pointers, and
/// the surface may be left out. Components may be written as in 0.8. Literals beside a path become messages of
/// their own, before it.
fn bare_message(fields: &Map<String, Value>) -> Result<Vec<Message>, MessageError> {
    let mut fields = fields.clone();
    for body in fields.values_mut().filter_map(Value::as_object_mut) {
        body.entry("surfaceId")
            .or_insert_with(|| SURFACE_IN_FRONT.into());
    }
    if let Some(Value::Object(body)) = fields.get("updateDataModel")
        && let Some(data) = body.get("data")
    {
        return data_by_pointer(&surface(body, "updateDataModel")?, data);
    }
    let mut initial = Vec::new();
    if let Some(components) = components_of(&mut fields) {
        for component in components {
            let nested = component.get("component").is_some_and(Value::is_object);
            *component = if nested {
                Value::Object(old_component(component, &mut initial)?)
            } else {
                without_literals(component.take(), &mut initial)
            };
        }
    }
    let mut messages = initial;
    messages.extend(current(fields)?);
    Ok(messages)
}

/// Returns the list `updateComponents.components` of a message. `None` without it.
fn components_of(fields: &mut Map<String, Value>) -> Option<&mut Vec<Value>> {
    fields
        .get_mut("updateComponents")?
        .get_mut("components")?
        .as_array_mut()
}

/// Turns a map of pointers into a message for each pointer, in the order of the map. Fails if `data` is no map.
fn data_by_pointer(surface: &str, data: &Value) -> Result<Vec<Message>, MessageError> {
    let Value::Object(data) = data else {
        return Err(wrong(
            "`data` must be an object of JSON pointers such as {\"/counter\": 42}",
        ));
    };
    Ok(data
        .iter()
        .map(|(pointer, value)| Message::UpdateDataModel {
            surface: surface.to_owned(),
            path: absolute("", pointer),
            value: Some(value.clone()),
        })
        .collect())
}

/// Reads a message of 0.10. Calls from the server and answers to actions, which 0.9.1 lacks, are refused.
fn next_message(fields: &Map<String, Value>) -> Result<Vec<Message>, MessageError> {
    let mut fields = fields.clone();
    if fields.contains_key("callFunction") {
        return Err(wrong(
            "`callFunction` is not supported: this renderer offers no functions to a server",
        ));
    }
    if fields.contains_key("actionResponse") {
        return Err(wrong(
            "`actionResponse` is not supported: no action waits for a response here",
        ));
    }
    for component in components_of(&mut fields).into_iter().flatten() {
        if let Value::Object(component) = component {
            as_in_0_9(component);
        }
    }
    current(fields)
}

/// Changes a component of 0.10 in place: an icon's drawing, whose `path` becomes `svgPath` unless it is a pointer, and
/// a placeholder, which becomes the label if there is none.
fn as_in_0_9(component: &mut Map<String, Value>) {
    match component.get("component").and_then(Value::as_str) {
        Some("Icon") => {
            let path = component.get("name").and_then(|name| name.get("path"));
            // A pointer into the data begins with a slash, a drawing with a letter.
            if let Some(Value::String(drawing)) = path
                && !drawing.starts_with('/')
            {
                let drawing = serde_json::json!({ "svgPath": drawing });
                component.insert("name".to_owned(), drawing);
            }
        }
        Some("TextField") => {
            if let Some(placeholder) = component.remove("placeholder") {
                component.entry("label").or_insert(placeholder);
            }
        }
        _ => {}
    }
}

/// Reads a message of 0.8. Beside `version` it has exactly one of `beginRendering`, `surfaceUpdate`,
/// `dataModelUpdate` and `deleteSurface`. Literals beside a path become messages of their own, before the
/// components.
fn old_message(fields: &Map<String, Value>) -> Result<Vec<Message>, MessageError> {
    let kinds: Vec<&String> = fields.keys().filter(|key| *key != "version").collect();
    let [kind] = kinds.as_slice() else {
        return Err(wrong(format!(
            "a message of A2UI 0.8 has one of beginRendering, surfaceUpdate, dataModelUpdate, deleteSurface; this has {kinds:?}"
        )));
    };
    let body = fields
        .get(kind.as_str())
        .and_then(Value::as_object)
        .ok_or_else(|| wrong(format!("`{kind}` must be an object")))?;
    let surface = surface(body, kind)?;
    match kind.as_str() {
        "beginRendering" => Ok(vec![Message::BeginRendering {
            root: body
                .get("root")
                .and_then(Value::as_str)
                .ok_or_else(|| {
                    wrong("`beginRendering` has no `root`, the id of the root component")
                })?
                .to_owned(),
            theme: body.get("styles").cloned(),
            surface,
        }]),
        "surfaceUpdate" => {
            let components = body
                .get("components")
                .and_then(Value::as_array)
                .ok_or_else(|| wrong("`surfaceUpdate` has no list of `components`"))?;
            let mut messages = Vec::new();
            let components = components
                .iter()
                .map(|component| old_component(component, &mut messages))
                .collect::<Result<_, _>>()?;
            messages.push(Message::UpdateComponents {
                surface,
                components,
                early: true,
            });
            Ok(messages)
        }
        "dataModelUpdate" => {
            let contents = body
                .get("contents")
                .ok_or_else(|| wrong("`dataModelUpdate` has no `contents`"))?;
            Ok(vec![Message::UpdateDataModel {
                surface,
                path: absolute("", body.get("path").and_then(Value::as_str).unwrap_or("/")),
                value: Some(entries(contents)?),
            }])
        }
        "deleteSurface" => Ok(vec![Message::DeleteSurface { surface }]),
        other => Err(wrong(format!(
            "unknown message `{other}`; A2UI 0.8 has beginRendering, surfaceUpdate, dataModelUpdate and deleteSurface"
        ))),
    }
}

/// Returns the surface that a message names. Fails if there is none; `kind` is for the error.
fn surface(body: &Map<String, Value>, kind: &str) -> Result<String, MessageError> {
    body.get("surfaceId")
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or_else(|| wrong(format!("`{kind}` has no `surfaceId`")))
}

/// Turns `[{key, valueString}, …]` into an object; `valueMap` holds entries again. A single entry with the
/// key `.` is the value itself, and an object is returned unchanged. Fails for an entry without a key or a
/// value.
fn entries(contents: &Value) -> Result<Value, MessageError> {
    let Value::Array(list) = contents else {
        return match contents {
            Value::Object(_) => Ok(contents.clone()),
            other => Err(wrong(format!(
                "`contents` must be a list of entries with `key`, not {other}"
            ))),
        };
    };
    let mut object = Map::new();
    for entry in list {
        let key = entry
            .get("key")
            .and_then(Value::as_str)
            .ok_or_else(|| wrong(format!("an entry of `contents` has no `key`: {entry}")))?;
        let plain = ["valueString", "valueNumber", "valueBoolean", "valueArray"];
        let value = match entry.get("valueMap") {
            Some(map) => entries(map)?,
            None => plain
                .iter()
                .find_map(|name| entry.get(*name).cloned())
                .ok_or_else(|| {
                    wrong(format!(
                        "the entry `{key}` has none of valueString, valueNumber, valueBoolean, valueMap"
                    ))
                })?,
        };
        if key == "." && list.len() == 1 {
            return Ok(value);
        }
        object.insert(key.to_owned(), value);
    }
    Ok(Value::Object(object))
}

#[cfg(test)]
mod tests;
