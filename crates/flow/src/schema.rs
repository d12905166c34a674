//! The JSON Schema of a flow file, for editors: made from the same table as the checks.
//!
//! Draft 7, with `definitions` only, because that is what the YAML language server reads.

use serde_json::{Map, Value, json};

use super::cases::{Matrix, each_schema};
use super::keys;
use super::needs;
use super::quarantine;
use super::vocabulary::{self, ToolSchema, Vocabulary, forms};
use runner_tools::{CountCondition, StepSyntax};

/// The schema of a flow file.
pub fn schema() -> Value {
    of(vocabulary::standard())
}

pub(crate) fn of(vocabulary: &Vocabulary) -> Value {
    let mut properties = keys::header()
        .get("properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    for schema in properties.values_mut() {
        allow_plain_text(schema);
    }
    let list = |about: &str| json!({ "description": about, "type": ["array", "null"], "items": { "$ref": "#/definitions/step" } });
    properties.insert(
        "env".into(),
        json!({ "description": "Names and values for expressions.", "$ref": "#/definitions/env" }),
    );
    properties.insert("each".into(), each_schema());
    properties.insert("matrix".into(), Matrix::schema());
    properties.insert("needs".into(), needs());
    properties.insert("quarantine".into(), quarantine());
    properties.insert("skip".into(), skip());
    properties.insert("setup".into(), list("Steps before."));
    properties.insert(
        "steps".into(),
        json!({ "description": "The steps.", "$ref": "#/definitions/steps" }),
    );
    properties.insert(
        "on_failure".into(),
        list("Steps after a failure, before teardown."),
    );
    properties.insert("teardown".into(), list("Steps after, always run."));
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A flow of runner",
        "type": "object",
        "properties": properties,
        "required": ["steps"],
        "additionalProperties": false,
        "definitions": definitions(vocabulary),
    })
}

fn definitions(vocabulary: &Vocabulary) -> Map<String, Value> {
    let mut definitions = vocabulary.definitions.clone();
    for schema in definitions.values_mut() {
        loosen(schema);
    }
    let mut steps: Vec<Value> = vec![bare_words(vocabulary)];
    for (name, about) in keys::CONTROL {
        steps.push(control(vocabulary, name, about));
    }
    for tool in &vocabulary.tools {
        if keys::CONTROL
            .iter()
            .all(|(name, _)| *name != tool.entry.name)
        {
            let value = tool_value(vocabulary, tool);
            steps.push(step(tool.entry.name, tool.entry.summary, &value));
        }
    }
    let selector = selector(vocabulary);
    let limit = keys::duration("How long it may take to hold; without it there is one look.");
    definitions.extend(modifiers());
    definitions.extend(selector_keys(vocabulary));
    definitions.insert(
        "expression".into(),
        json!({ "type": "string", "pattern": r"\$\{" }),
    );
    definitions.insert(
        "env".into(),
        json!({
            "type": "object",
            "propertyNames": { "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" },
            "additionalProperties": { "type": ["string", "number", "boolean"] },
        }),
    );
    definitions.insert(
        "condition".into(),
        json!({
            "description": "One ${…} that comes to a boolean, or what is visible on a fresh look.",
            "anyOf": [
                { "$ref": "#/definitions/expression" },
                { "type": "boolean" },
                { "type": "object", "properties": { "visible": selector, "timeout": limit }, "required": ["visible"], "additionalProperties": false },
                { "type": "object", "properties": { "not_visible": selector, "timeout": limit }, "required": ["not_visible"], "additionalProperties": false },
            ],
        }),
    );
    definitions.insert(
        "steps".into(),
        json!({ "type": "array", "items": { "$ref": "#/definitions/step" }, "minItems": 1 }),
    );
    definitions.insert("step".into(), json!({ "oneOf": steps }));
    definitions
}

fn bare_words(vocabulary: &Vocabulary) -> Value {
    let words: Vec<&str> = vocabulary
        .tools
        .iter()
        .filter(|tool| tool.entry.value_optional)
        .map(|tool| tool.entry.name)
        .collect();
    let words: Vec<&str> = words.into_iter().chain(["pause"]).collect();
    json!({ "description": "A step without arguments.", "enum": words })
}

/// A step: its key and the modifiers.
fn step(name: &str, about: &str, value: &Value) -> Value {
    let mut properties = Map::new();
    properties.insert(
        name.to_owned(),
        json!({ "description": about, "anyOf": [value] }),
    );
    for key in keys::MODIFIERS.iter().filter(|key| **key != name) {
        properties.insert((*key).to_owned(), modifier(key));
    }
    if name == "if" {
        for branch in ["then", "else"] {
            properties.insert(branch.into(), json!({ "$ref": "#/definitions/steps" }));
        }
    }
    let required = if name == "if" {
        json!(["if", "then"])
    } else {
        json!([name])
    };
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// A modifier is defined once; the steps point to it.
fn modifier(key: &str) -> Value {
    json!({ "$ref": format!("#/definitions/modifier.{key}") })
}

/// The modifiers, each under the name that [`modifier`] points to.
fn modifiers() -> Map<String, Value> {
    let modifiers = keys::modifiers();
    let plain = modifiers.get("properties").and_then(Value::as_object);
    let mut definitions = Map::new();
    for (key, schema) in plain.into_iter().flatten() {
        let mut schema = schema.clone();
        allow_plain_text(&mut schema);
        definitions.insert(format!("modifier.{key}"), schema);
    }
    definitions.insert(
        "modifier.when".into(),
        json!({
            "description": "Skips the step where this does not hold.",
            "allOf": [{ "$ref": "#/definitions/condition" }],
        }),
    );
    definitions
}

fn tool_value(vocabulary: &Vocabulary, tool: &ToolSchema) -> Value {
    let arguments = loosened(&tool.schema);
    let own = vocabulary.resolve(&tool.schema);
    let mut ways = match tool.entry.writing {
        StepSyntax::Map => vec![arguments],
        StepSyntax::Scalar(name) | StepSyntax::Sequence(name) => {
            let short = own
                .get("properties")
                .and_then(|properties| properties.get(name))
                .map_or(json!({ "type": ["string", "number", "boolean"] }), loosened);
            vec![short, arguments]
        }
        StepSyntax::Element => vec![
            json!({ "type": ["string", "number", "boolean"] }),
            element(vocabulary, own),
            arguments,
        ],
    };
    if tool.entry.value_optional {
        ways.push(json!({ "type": "null" }));
    }
    json!({ "anyOf": ways })
}

/// The keys of a selector with a tool's own options beside them.
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

/// Each key of a selector, defined once as `selector.KEY` for the steps that take it beside their own options.
fn selector_keys(vocabulary: &Vocabulary) -> Map<String, Value> {
    let selector = vocabulary.resolve(&vocabulary.selector);
    std::iter::once(selector)
        .chain(forms(selector))
        .filter_map(|form| form.get("properties").and_then(Value::as_object))
        .flatten()
        .map(|(key, schema)| (format!("selector.{key}"), loosened(schema)))
        .collect()
}

fn selector(vocabulary: &Vocabulary) -> Value {
    loosened(&vocabulary.selector)
}

fn control(vocabulary: &Vocabulary, name: &str, about: &str) -> Value {
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
    let value = match name {
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
        "pause" => json!({ "type": ["string", "number", "boolean", "null"] }),
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
    };
    step(name, about, &value)
}

/// A selector with `count` beside its keys.
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

fn needs() -> Value {
    let mut schema = needs::schema();
    let ranges = schema
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten();
    ranges.for_each(|(_, schema)| allow_plain_text(schema));
    schema
}

fn quarantine() -> Value {
    let mut schema = quarantine::schema();
    let forms = schema.get_mut("anyOf").and_then(Value::as_array_mut);
    for form in forms.into_iter().flatten() {
        let properties = form.get_mut("properties").and_then(Value::as_object_mut);
        for (_, schema) in properties.into_iter().flatten() {
            allow_plain_text(schema);
        }
        allow_plain_text(form);
    }
    schema
}

fn skip() -> Value {
    let condition =
        json!({ "anyOf": [{ "$ref": "#/definitions/expression" }, { "type": "boolean" }] });
    json!({
        "description": "Where the expression holds, the flow is not run.",
        "anyOf": [
            condition,
            {
                "type": "object",
                "properties": { "if": condition, "because": { "type": "string", "description": "The reason, for reports." } },
                "required": ["if"],
                "additionalProperties": false,
            },
        ],
    })
}

fn loosened(schema: &Value) -> Value {
    let mut schema = schema.clone();
    loosen(&mut schema);
    schema
}

/// Lets plain numbers and booleans stand where text is wanted, as the parser does, and `${…}` in every typed field.
fn loosen(schema: &mut Value) {
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
    // Forms of one value overlap once each takes an expression.
    if let Some(forms) = map.remove("oneOf") {
        map.insert("anyOf".into(), forms);
    }
    allow_plain_text(schema);
    // Where text may stand, an expression may already.
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

fn takes(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(several)) => several.iter().any(|each| each == name),
        _ => false,
    }
}

/// `text: 007` is text to the parser; an editor must not call it a number.
fn allow_plain_text(schema: &mut Value) {
    if let Some(items) = schema.get_mut("items") {
        allow_plain_text(items);
    }
    let free = takes(schema, "string")
        && !["enum", "const", "pattern", "format"]
            .iter()
            .any(|key| schema.get(key).is_some());
    let Some(kind) = schema.get_mut("type").filter(|_| free) else {
        return;
    };
    let mut kinds = match kind.take() {
        Value::Array(kinds) => kinds,
        only => vec![only],
    };
    for name in ["number", "boolean"] {
        if !kinds.iter().any(|kind| kind == name) {
            kinds.push(name.into());
        }
    }
    *kind = Value::Array(kinds);
}
