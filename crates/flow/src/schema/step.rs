//! Steps in the schema for editors: one word, or one object for all steps.
//!
//! The word form carries the snippets of all steps, so that editors offer them at the start of a step only.
//! The keys of the object form are not suggested (`doNotSuggest`), and each key allows its modifiers
//! (`dependencies`).

use serde_json::{Map, Value, json};

use super::control::{self, example};
use super::{snippet, value};
use crate::keys;
use crate::vocabulary::Vocabulary;
use runner_tools::Catalogue;

/// Steps that editors offer. Others are valid too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepSet {
    /// Steps that people write.
    Everyday,
    /// All steps, with the tools of agents.
    All,
}

struct OfferedStep {
    name: &'static str,
    about: &'static str,
    example: &'static str,
    /// True if the step may be a single word.
    is_word: bool,
    value: Value,
}

/// Returns the definitions of a step (`step`), of each modifier (`modifier.when`), and of the modifiers that
/// assertions, `if` and all other steps allow (`modifiers.assertion`, `modifiers.if`, `modifiers`). `offered` selects
/// the steps that have descriptions and snippets.
pub(super) fn definitions(vocabulary: &Vocabulary, offered: StepSet) -> Map<String, Value> {
    let (steps, others) = steps(vocabulary, offered);
    let mut definitions = modifiers();
    let mut beside: Map<String, Value> = keys::MODIFIERS
        .iter()
        .map(|key| ((*key).to_owned(), modifier(key)))
        .collect();
    // `retry` is both a step and a modifier.
    beside.insert("retry".into(), json!({ "type": ["integer", "object"] }));
    definitions.insert(
        "modifiers.assertion".into(),
        json!({ "properties": beside }),
    );
    beside.remove("soft");
    definitions.insert("modifiers".into(), json!({ "properties": beside }));
    for branch in ["then", "else"] {
        beside.insert(branch.into(), json!({ "$ref": "#/definitions/steps" }));
    }
    definitions.insert("modifiers.if".into(), json!({ "properties": beside }));
    definitions.insert("step".into(), step(&steps, &others));
    definitions
}

/// Returns the offered steps, control steps first, and the names of the tools that are valid but not offered; none
/// for `StepSet::All`. A tool with the name of a control step is left out of both.
fn steps(vocabulary: &Vocabulary, offered: StepSet) -> (Vec<OfferedStep>, Vec<&'static str>) {
    let mut steps: Vec<OfferedStep> = keys::CONTROL
        .iter()
        .map(|(name, about)| OfferedStep {
            name,
            about,
            example: example(name),
            is_word: *name == "pause",
            value: match *name {
                // `retry` is both a step and a modifier.
                "retry" => json!({ "anyOf": [modifier(name), control::value(vocabulary, name)] }),
                _ => control::value(vocabulary, name),
            },
        })
        .collect();
    let mut others = Vec::new();
    for tool in &vocabulary.tools {
        if steps.iter().any(|step| step.name == tool.entry.name) {
            continue;
        }
        if offered == StepSet::Everyday && tool.entry.catalogue != Catalogue::Everyday {
            others.push(tool.entry.name);
            continue;
        }
        steps.push(OfferedStep {
            name: tool.entry.name,
            about: tool.entry.summary,
            example: tool.entry.example,
            is_word: tool.entry.value_optional,
            value: value::tool_value(vocabulary, tool),
        });
    }
    (steps, others)
}

/// Returns the schema of a step: a word, or a map with steps, whose modifiers depend on them. It does not refuse a
/// map of two steps or of modifiers alone; the checks do. `others` are accepted, with any value, without being
/// offered.
fn step(steps: &[OfferedStep], others: &[&str]) -> Value {
    let properties: Map<String, Value> = steps
        .iter()
        .map(|step| {
            let schema =
                json!({ "description": step.about, "doNotSuggest": true, "anyOf": [step.value] });
            (step.name.to_owned(), schema)
        })
        .collect();
    let dependencies: Map<String, Value> = steps
        .iter()
        .map(|step| {
            let name = match step.name {
                "if" => "modifiers.if",
                name if name.starts_with("assert") => "modifiers.assertion",
                _ => "modifiers",
            };
            let schema = json!({ "$ref": format!("#/definitions/{name}") });
            (step.name.to_owned(), schema)
        })
        .collect();
    let beside: Vec<&str> = keys::MODIFIERS
        .into_iter()
        .chain(["then", "else"])
        .collect();
    let mut forms = vec![words(steps)];
    let mut patterns = Map::from_iter([(one_of(&beside), json!({}))]);
    if !others.is_empty() {
        let tools = one_of(others);
        forms.push(json!({ "type": "string", "pattern": tools }));
        patterns.insert(
            tools,
            json!({ "description": "A tool of agents, see `runner schema flow-with-tools`." }),
        );
    }
    forms.push(json!({
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "dependencies": dependencies,
        "minProperties": 1,
        "additionalProperties": false,
    }));
    json!({ "anyOf": forms })
}

/// Returns the schema of a step as a word, for those that need no value. It has the snippets of all steps,
/// because editors offer them there.
fn words(steps: &[OfferedStep]) -> Value {
    let (names, about): (Vec<&str>, Vec<&str>) = steps
        .iter()
        .filter(|step| step.is_word)
        .map(|step| (step.name, step.about))
        .unzip();
    let snippets: Vec<Value> = steps.iter().filter_map(|step| {
        let body = snippet::from_example(step.example)?;
        Some(json!({ "label": format!("{}: …", step.name), "description": step.about, "body": body }))
    }).collect();
    json!({
        "description": "A step without arguments.",
        "type": "string",
        "enum": names,
        "enumDescriptions": about,
        "defaultSnippets": snippets,
    })
}

/// Returns a pattern that matches exactly these names. Only their dots are escaped.
fn one_of(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| name.replace('.', r"\.")).collect();
    format!("^({})$", names.join("|"))
}

/// Returns a reference to the definition of a modifier.
fn modifier(key: &str) -> Value {
    json!({ "$ref": format!("#/definitions/modifier.{key}") })
}

/// Returns the definitions of modifiers, under the names that [`modifier`] refers to, such as
/// `modifier.when`.
fn modifiers() -> Map<String, Value> {
    let modifiers = keys::modifiers();
    let plain = modifiers.get("properties").and_then(Value::as_object);
    let mut definitions = Map::new();
    for (key, schema) in plain.into_iter().flatten() {
        let mut schema = schema.clone();
        super::allow_plain_text(&mut schema);
        definitions.insert(format!("modifier.{key}"), schema);
    }
    definitions.insert(
        "modifier.when".into(),
        json!({
            "description": "Skips the step where this does not hold.",
            "anyOf": [{ "$ref": "#/definitions/condition" }],
        }),
    );
    definitions
}
