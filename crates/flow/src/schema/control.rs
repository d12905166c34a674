//! Control steps in the schema for editors.

use serde_json::{Map, Value, json};

use super::loosen::loosened;
use super::value::{selector, selector_keys};
use crate::vocabulary::Vocabulary;
use runner_tools::CountCondition;

/// Example of each control step, which editors insert.
const EXAMPLES: [(&str, &str); 8] = [
    ("run", "- run: _sign-in.yaml"),
    (
        "repeat",
        "- repeat:\n    times: 3\n    steps:\n      - back",
    ),
    (
        "retry",
        "- retry:\n    times: 2\n    steps:\n      - click: Sign in",
    ),
    (
        "if",
        "- if: { visible: Allow }\n  then:\n    - click: Allow",
    ),
    ("group", "- group:\n    - click: Sign in\n  label: sign in"),
    ("set", "- set: { name: Ada }"),
    ("pause", "- pause: look at the screen"),
    ("snapshot", "- snapshot: home"),
];

/// Returns an example of a control step, as a list of YAML with one step. A name that has none gets the example of
/// `assert`.
pub(super) fn example(name: &str) -> &'static str {
    let known = EXAMPLES.iter().find(|(known, _)| *known == name);
    known.map_or(
        "- assert: { id: inbox_count, text: \"3\" }",
        |(_, example)| example,
    )
}

/// Returns the schema of a control step's value, also of `assert`. It refers to definitions such as `steps` and
/// `condition`. Any name that is not known is treated as `snapshot`.
pub(super) fn value(vocabulary: &Vocabulary, name: &str) -> Value {
    let steps = json!({ "$ref": "#/definitions/steps" });
    let condition = json!({ "$ref": "#/definitions/condition" });
    let count = |least: u32, most: u32| json!({ "anyOf": [{ "type": "integer", "minimum": least, "maximum": most }, { "$ref": "#/definitions/expression" }] });
    let map = |properties: Value, required: Value| {
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    };
    match name {
        "run" => json!({ "anyOf": [
            { "type": "string" },
            map(json!({ "flow": { "type": "string", "description": "Path, relative to this file." }, "env": { "$ref": "#/definitions/env" } }), json!(["flow"])),
        ] }),
        "repeat" => map(
            json!({ "times": count(0, 10_000), "while": condition, "max": { "type": "integer", "minimum": 1, "maximum": 10_000 }, "steps": steps }),
            json!(["steps"]),
        ),
        "retry" => map(
            json!({ "times": { "type": "integer", "minimum": 1, "maximum": 100 }, "steps": steps }),
            json!(["steps"]),
        ),
        "if" => condition,
        "pause" => json!({ "not": { "type": ["array", "object"] } }),
        "group" => steps,
        "set" => {
            json!({ "type": "object", "propertyNames": { "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" } })
        }
        "assert" => json!({ "anyOf": [
            selector(vocabulary),
            counted(vocabulary),
            map(
                json!({ "on": selector(vocabulary), "count": loosened(&CountCondition::schema()) }),
                json!(["on"]),
            ),
            map(json!({ "that": { "anyOf": [{ "$ref": "#/definitions/expression" }, { "type": "boolean" }] } }), json!(["that"])),
        ] }),
        _ => snapshot(vocabulary),
    }
}

/// Returns the schema of a selector with `count` among its keys. It needs `count` and at least one key more.
fn counted(vocabulary: &Vocabulary) -> Value {
    let keys = selector_keys(vocabulary).into_iter().map(|(name, _)| {
        let schema = json!({ "$ref": format!("#/definitions/{name}") });
        (name.trim_start_matches("selector.").to_owned(), schema)
    });
    let mut properties: Map<String, Value> = keys.collect();
    properties.insert("count".into(), loosened(&CountCondition::schema()));
    json!({
        "type": "object",
        "properties": properties,
        "required": ["count"],
        "minProperties": 2,
        "additionalProperties": false,
    })
}

/// Returns the schema of a snapshot: its name, or a map with its options, of which `name` is required. A name has 1 to
/// 64 letters, digits, `.`, `_` or `-`; numbers and booleans are names too, as YAML reads `1` and `on` so.
fn snapshot(vocabulary: &Vocabulary) -> Value {
    let name = json!({
        "type": ["string", "number", "boolean"],
        "pattern": "^[A-Za-z0-9._-]{1,64}$",
        "description": "Name of the golden, unique in the flow.",
    });
    let mut properties = Map::new();
    properties.insert(
        "each".into(),
        json!({ "type": "boolean", "description": "Inside repeat: one golden each time." }),
    );
    properties.insert("of".into(), selector(vocabulary));
    let rect = json!({ "type": "object", "properties": { "rect": {} }, "required": ["rect"], "additionalProperties": false });
    properties.insert(
        "mask".into(),
        json!({ "type": "array", "items": { "anyOf": [selector(vocabulary), rect] } }),
    );
    let forms = vocabulary.alternatives(&vocabulary.snapshot);
    let own = forms
        .iter()
        .find_map(|form| form.get("properties"))
        .and_then(Value::as_object);
    for (key, schema) in own.into_iter().flatten() {
        properties.insert(key.clone(), loosened(schema));
    }
    properties.insert("name".into(), name.clone());
    json!({ "anyOf": [
        name,
        { "type": "object", "properties": properties, "required": ["name"], "additionalProperties": false },
    ] })
}
