//! Widens schemas to what the parser accepts: plain numbers and booleans as texts, and expressions. The
//! parser accepts no null.

use serde_json::{Map, Value, json};

/// Returns a widened copy, see [`loosen`].
pub(super) fn loosened(schema: &Value) -> Value {
    let mut schema = schema.clone();
    loosen(&mut schema);
    schema
}

/// Widens a schema in place, with all schemas in it: plain numbers and booleans count as texts, `${…}` is allowed in
/// each typed field, and null is not. `oneOf` and `allOf` become `anyOf`. A description moves to the outside.
/// References are not followed. Does nothing to a schema that is no map.
pub(super) fn loosen(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else {
        return;
    };
    for key in ["properties", "patternProperties"] {
        let inner = map.get_mut(key).and_then(Value::as_object_mut);
        inner
            .into_iter()
            .flatten()
            .for_each(|(_, schema)| loosen(schema));
    }
    for key in ["items", "additionalProperties"] {
        match map.get_mut(key) {
            Some(Value::Array(each)) => each.iter_mut().for_each(loosen),
            Some(inner) => loosen(inner),
            None => {}
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        let inner = map.get_mut(key).and_then(Value::as_array_mut);
        inner.into_iter().flatten().for_each(loosen);
    }
    // `oneOf` becomes `anyOf`, because the alternatives overlap once each accepts an expression. A single item is a
    // reference with a description.
    for key in ["oneOf", "allOf"] {
        if let Some(forms) = map.remove(key) {
            map.insert("anyOf".into(), forms);
        }
    }
    without_null(map);
    allow_plain_text(schema);
    // A schema that accepts text already accepts an expression.
    let typed = takes(schema, "integer")
        || takes(schema, "number") && !takes(schema, "string")
        || takes(schema, "boolean") && !takes(schema, "string")
        || takes(schema, "array")
        || ["enum", "const", "pattern"]
            .iter()
            .any(|key| schema.get(key).is_some());
    if typed {
        let description = schema
            .as_object_mut()
            .and_then(|map| map.remove("description"));
        let inner = schema.take();
        let mut wrapped = json!({ "anyOf": [inner, { "$ref": "#/definitions/expression" }] });
        if let (Some(description), Some(map)) = (description, wrapped.as_object_mut()) {
            map.insert("description".into(), description);
        }
        *schema = wrapped;
    }
}

/// Removes null from the alternatives and types of one schema: an optional argument is left out instead.
/// Schemas inside of it stay as they are.
fn without_null(map: &mut Map<String, Value>) {
    if let Some(forms) = map.get_mut("anyOf").and_then(Value::as_array_mut) {
        forms.retain(|form| form["type"] != "null");
    }
    if let Some(types) = map.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|name| name != "null");
    }
}

/// Returns true if a schema names this type itself, alone or in a list of types, not in its alternatives.
fn takes(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(several)) => several.iter().any(|each| each == name),
        _ => false,
    }
}

/// Returns a schema for text as the parser reads it: `007` and `true` are texts too. It names no type,
/// because editors would then offer `true` and `false`.
pub(super) fn text() -> Value {
    json!({ "not": { "type": ["array", "object", "null"] } })
}

/// Widens in place a schema of texts without choices, pattern or format, and that of a list's items, so that an
/// editor does not complain about `text: 007`. The schema then accepts all but lists, maps and null, unless it names
/// one of these as a type. Any other schema stays as it is.
pub(super) fn allow_plain_text(schema: &mut Value) {
    if let Some(items) = schema.get_mut("items") {
        allow_plain_text(items);
    }
    let is_free = takes(schema, "string")
        && !["enum", "const", "pattern", "format"]
            .iter()
            .any(|key| schema.get(key).is_some());
    let others: Vec<&str> = ["array", "object", "null"]
        .into_iter()
        .filter(|name| !takes(schema, name))
        .collect();
    if let Some(map) = schema.as_object_mut().filter(|_| is_free) {
        map.remove("type");
        map.insert("not".into(), json!({ "type": others }));
    }
}
