//! Values of steps in the schema for editors: arguments, selectors, conditions.

use serde_json::{Map, Value, json};

use super::loosen::{loosened, text};
use crate::keys;
use crate::vocabulary::{ToolSchema, Vocabulary, forms};
use runner_tools::StepSyntax;

/// Returns the schema of a tool's value: the map of its arguments, before it the short form if it has one (a text or
/// a selector's keys for a tool with an element), and null if the value may be left out. All are widened.
pub(super) fn tool_value(vocabulary: &Vocabulary, tool: &ToolSchema) -> Value {
    let arguments = loosened(&tool.schema);
    let own = vocabulary.resolve(&tool.schema);
    let mut ways = match tool.entry.writing {
        StepSyntax::Map => vec![arguments],
        StepSyntax::Scalar(name) | StepSyntax::Sequence(name) => {
            let short = own
                .get("properties")
                .and_then(|properties| properties.get(name))
                .map_or_else(text, loosened);
            vec![short, arguments]
        }
        StepSyntax::Element => vec![text(), element(vocabulary, own), arguments],
    };
    if tool.entry.value_optional {
        ways.push(json!({ "type": "null" }));
    }
    json!({ "anyOf": ways })
}

/// Returns the schema of a map with a selector's keys together with the tool's own options, except `on`. It needs at
/// least one key and the tool's required ones. An option of a selector's name replaces the selector's key.
fn element(vocabulary: &Vocabulary, arguments: &Value) -> Value {
    let mut properties = Map::new();
    for name in selector_keys(vocabulary).keys() {
        let key = name.trim_start_matches("selector.");
        properties.insert(
            key.to_owned(),
            json!({ "$ref": format!("#/definitions/{name}") }),
        );
    }
    let own = arguments.get("properties").and_then(Value::as_object);
    for (key, schema) in own.into_iter().flatten().filter(|(key, _)| *key != "on") {
        properties.insert(key.clone(), loosened(schema));
    }
    let required: Vec<&Value> = arguments
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|name| *name != "on")
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "minProperties": 1,
        "additionalProperties": false,
    })
}

/// Returns the widened schema of each key of a selector, in all its forms, as a definition `selector.KEY`, for steps
/// that accept it among their options.
pub(super) fn selector_keys(vocabulary: &Vocabulary) -> Map<String, Value> {
    let selector = vocabulary.resolve(&vocabulary.selector);
    std::iter::once(selector)
        .chain(forms(selector))
        .filter_map(|form| form.get("properties").and_then(Value::as_object))
        .flatten()
        .map(|(key, schema)| (format!("selector.{key}"), loosened(schema)))
        .collect()
}

pub(super) fn selector(vocabulary: &Vocabulary) -> Value {
    loosened(&vocabulary.selector)
}

/// Returns the schema of a condition: an expression, a boolean, or `visible` or `not_visible` with a selector
/// and perhaps `timeout`.
pub(super) fn condition(vocabulary: &Vocabulary) -> Value {
    let selector = selector(vocabulary);
    let limit = keys::duration("How long it may take to hold; without it there is one look.");
    let on_screen = |key: &str| {
        json!({
            "type": "object",
            "properties": { key: selector, "timeout": limit },
            "required": [key],
            "additionalProperties": false,
        })
    };
    json!({
        "description": "One ${…} that comes to a boolean, or what is visible on a fresh look.",
        "anyOf": [
            { "$ref": "#/definitions/expression" },
            { "type": "boolean" },
            on_screen("visible"),
            on_screen("not_visible"),
        ],
    })
}
