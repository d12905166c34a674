//! JSON Schema of a flow file for editors, built from the same tables as the checks.
//!
//! Draft 7, with `definitions` only, because that is what the YAML language server reads. The schema is
//! looser than the checks, which decide: with an alternative for each step an editor's list would be full of
//! useless entries.

mod control;
mod loosen;
mod prune;
mod snippet;
mod step;
mod value;

use serde_json::{Map, Value, json};

use super::cases::{Matrix, each_schema};
use super::keys;
use super::needs;
use super::quarantine;
use super::vocabulary::{self, Vocabulary};
use loosen::{allow_plain_text, loosen};
pub(crate) use step::StepSet;

/// Returns the schema of a flow that offers everyday steps. The tools of agents are valid too. It is built at each
/// call.
pub fn schema() -> Value {
    build(vocabulary::standard(), StepSet::Everyday)
}

/// Returns the schema that also offers the tools of agents as steps.
pub fn schema_with_tools() -> Value {
    build(vocabulary::standard(), StepSet::All)
}

/// Builds the schema of a flow for editors, with snippets and only the definitions in use. Steps that are not
/// `offered` are valid too, but have neither description nor snippet of their own.
pub(crate) fn build(vocabulary: &Vocabulary, offered: StepSet) -> Value {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A flow of runner",
        "type": "object",
        "properties": header(),
        "required": ["steps"],
        "additionalProperties": false,
        "definitions": definitions(vocabulary, offered),
    });
    prune::prune(&mut schema);
    snippet::add_snippets(&mut schema);
    schema
}

/// Returns the schemas of all keys of a flow by name. Plain texts accept all scalars.
fn header() -> Map<String, Value> {
    let mut properties = keys::header()
        .get("properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    for schema in properties.values_mut() {
        allow_plain_text(schema);
    }
    let list = |about: &str| json!({ "description": about, "type": ["array", "null"], "items": { "$ref": "#/definitions/step" } });
    let others = [
        (
            "env",
            json!({ "description": "Names and values for expressions.", "$ref": "#/definitions/env" }),
        ),
        ("each", each_schema()),
        ("matrix", Matrix::schema()),
        ("needs", needs()),
        ("quarantine", quarantine()),
        ("skip", skip()),
        ("setup", list("Steps before.")),
        (
            "steps",
            json!({ "description": "The steps.", "$ref": "#/definitions/steps" }),
        ),
        (
            "on_failure",
            list("Steps after a failure, before teardown."),
        ),
        ("teardown", list("Steps after, always run.")),
    ];
    properties.extend(others.map(|(key, schema)| (key.to_owned(), schema)));
    properties
}

/// Returns all definitions that the schema may refer to by name, also those that nothing uses.
fn definitions(vocabulary: &Vocabulary, offered: StepSet) -> Map<String, Value> {
    let mut definitions = vocabulary.definitions.clone();
    definitions.values_mut().for_each(loosen);
    definitions.extend(value::selector_keys(vocabulary));
    definitions.extend(step::definitions(vocabulary, offered));
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
    definitions.insert("condition".into(), value::condition(vocabulary));
    definitions.insert(
        "steps".into(),
        json!({ "type": "array", "items": { "$ref": "#/definitions/step" }, "minItems": 1 }),
    );
    definitions
}

/// Returns the schema of `needs`, whose ranges may also be numbers.
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

/// Returns the schema of `quarantine`, whose texts may also be other scalars.
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

/// Returns the schema of `skip`: a condition, or a map with a condition and a reason.
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
