//! Converts components of 0.8: renames properties and unwraps values.

use serde_json::{Map, Value};

use super::super::message::{MessageError, SURFACE_IN_FRONT, wrong};
use super::super::{Message, absolute};

/// Properties of 0.8 that were renamed: the component (empty for all), the old name, the new name.
const RENAMED: [(&str, &str, &str); 14] = [
    ("Text", "usageHint", "variant"),
    ("Image", "usageHint", "variant"),
    ("Image", "altText", "description"),
    ("Row", "distribution", "justify"),
    ("Column", "distribution", "justify"),
    ("", "alignment", "align"),
    ("Tabs", "tabItems", "tabs"),
    ("Modal", "entryPointChild", "trigger"),
    ("Modal", "contentChild", "content"),
    ("TextField", "text", "value"),
    ("TextField", "textFieldType", "variant"),
    ("MultipleChoice", "selections", "value"),
    ("Slider", "minValue", "min"),
    ("Slider", "maxValue", "max"),
];

/// Converts `{id, component: {Text: {…}}}` to `{id, component: "Text", …}` with the current names of types and
/// properties. A `weight` stays, and an unknown type keeps its name. Literals beside a path are added to `initial`.
/// Fails without an id, or if `component` does not have exactly one type.
pub(super) fn old_component(
    component: &Value,
    initial: &mut Vec<Message>,
) -> Result<Map<String, Value>, MessageError> {
    let id = component
        .get("id")
        .and_then(Value::as_str)
        .ok_or_else(|| wrong(format!("a component has no `id`: {component}")))?;
    let wrapper = component.get("component").and_then(Value::as_object);
    let mut inside = wrapper.into_iter().flatten();
    let (Some((kind, properties)), None) = (inside.next(), inside.next()) else {
        return Err(wrong(format!(
            "component `{id}` must have a `component` with one type, such as {{\"Text\": {{…}}}}"
        )));
    };
    let Value::Object(properties) = without_literals(properties.clone(), initial) else {
        return Err(wrong(format!(
            "the properties of component `{id}` must be an object"
        )));
    };
    let mut new = Map::new();
    new.insert("id".to_owned(), id.into());
    let new_kind = match kind.as_str() {
        "MultipleChoice" => "ChoicePicker",
        other => other,
    };
    new.insert("component".to_owned(), new_kind.into());
    if let Some(weight) = component.get("weight") {
        new.insert("weight".to_owned(), weight.clone());
    }
    for (name, value) in properties {
        let (name, value) = old_property(kind, &name, value);
        new.insert(name, value);
    }
    Ok(new)
}

/// Converts a property of 0.8 to its current name and value. Some values change with the name: a Button's `primary` and
/// a `MultipleChoice`'s `maxAllowedSelections` become variants. An unknown property stays as it is.
fn old_property(kind: &str, name: &str, value: Value) -> (String, Value) {
    let renamed = RENAMED
        .iter()
        .find(|(of, old, _)| *old == name && (of.is_empty() || *of == kind))
        .map_or(name, |(.., new)| new);
    let (name, value) = match (kind, name, value) {
        (_, "children", value) => ("children", children(value)),
        ("Button", "primary", primary) => {
            let variant = if primary == true {
                "primary"
            } else {
                "default"
            };
            ("variant", variant.into())
        }
        ("Button", "action", action) => ("action", action_event(action)),
        ("MultipleChoice", "variant", style) => ("displayStyle", style),
        ("MultipleChoice", "maxAllowedSelections", most) => {
            let one = most == 1;
            let variant = if one {
                "mutuallyExclusive"
            } else {
                "multipleSelection"
            };
            ("variant", variant.into())
        }
        ("TextField", "textFieldType", kind) if kind == "date" => ("variant", "shortText".into()),
        ("Image", "fit", fit) if fit == "scale-down" => ("fit", "scaleDown".into()),
        (.., value) => (renamed, value),
    };
    (name.to_owned(), value)
}

/// Converts `{explicitList: […]}` to the list, or `{template: {componentId, dataBinding}}` to `{componentId,
/// path}`. Any other value is returned unchanged.
fn children(value: Value) -> Value {
    if let Some(list) = value.get("explicitList") {
        return list.clone();
    }
    let Some(Value::Object(template)) = value.get("template") else {
        return value;
    };
    let mut template = template.clone();
    if let Some(path) = template.remove("dataBinding") {
        template.insert("path".to_owned(), path);
    }
    Value::Object(template)
}

/// Converts `{name, context: [{key, value}]}` to `{event: {name, context: {…}}}`. Entries without a key or a
/// value are dropped, and a missing name is `null`.
fn action_event(action: Value) -> Value {
    let context: Map<String, Value> = action
        .get("context")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let key = entry.get("key")?.as_str()?.to_owned();
            Some((key, entry.get("value")?.clone()))
        })
        .collect();
    let name = action.get("name").cloned().unwrap_or(Value::Null);
    serde_json::json!({ "event": { "name": name, "context": context } })
}

/// Unwraps values at any depth: `{literalString: "a"}` becomes `"a"`. A literal beside a path becomes the
/// initial value there, as a message in `initial`. Beside a relative path, the literal is dropped. Objects
/// with other fields too are no wrappers.
pub(super) fn without_literals(value: Value, initial: &mut Vec<Message>) -> Value {
    match value {
        Value::Array(items) => items
            .into_iter()
            .map(|item| without_literals(item, initial))
            .collect(),
        Value::Object(mut fields) => {
            let is_literal = |name: &String| {
                matches!(
                    name.as_str(),
                    "literalString"
                        | "literalNumber"
                        | "literalBoolean"
                        | "literalArray"
                        | "literal"
                )
            };
            let wrapped = !fields.is_empty()
                && fields.keys().all(|name| is_literal(name) || name == "path")
                && fields.keys().filter(|name| is_literal(name)).count() == 1;
            if !wrapped {
                for inner in fields.values_mut() {
                    *inner = without_literals(inner.take(), initial);
                }
                return Value::Object(fields);
            }
            let path = fields.shift_remove("path");
            let literal = fields.into_iter().next().map(|(_, literal)| literal);
            match path {
                Some(Value::String(path)) => {
                    // A relative path is another one for every item of a template.
                    if path.starts_with('/') {
                        initial.push(Message::UpdateDataModel {
                            surface: SURFACE_IN_FRONT.to_owned(),
                            path: absolute("", &path),
                            value: literal,
                        });
                    }
                    serde_json::json!({ "path": path })
                }
                _ => literal.unwrap_or_default(),
            }
        }
        other => other,
    }
}
