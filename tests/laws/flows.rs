//! Writes a law's step into a flow: bare, with modifiers, in blocks, in a sub-flow.

use serde_json::{Value, json};

use super::reader::{Direction, Pattern, Rule, Selector};

/// Place of a step in a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nest {
    Bare,
    Once,
    Timeout,
    Soft,
    Retried,
    Group,
    RetryBlock,
    Repeat,
    If,
    SubFlow,
    AfterAssertion,
    Each,
    Matrix,
}

impl Nest {
    pub const ALL: [Self; 13] = [
        Self::Bare,
        Self::Once,
        Self::Timeout,
        Self::Soft,
        Self::Retried,
        Self::Group,
        Self::RetryBlock,
        Self::Repeat,
        Self::If,
        Self::SubFlow,
        Self::AfterAssertion,
        Self::Each,
        Self::Matrix,
    ];

    /// Returns the files of a flow with the step, by their paths below the project. The first one is the
    /// flow.
    pub fn files(self, name: &str, step: &Value) -> Vec<(String, String)> {
        let with = |key: &str, value: Value| {
            let mut step = step.clone();
            if let Value::String(word) = &step {
                step = json!({ word.as_str(): null });
            }
            step[key] = value;
            step
        };
        let is_assertion = step.as_object().is_some_and(|step| {
            let mut keys = step.keys();
            keys.any(|key| key.starts_with("assert"))
        });
        let mut header = json!({ "app": super::screen::APP, "step_timeout": "500ms" });
        let mut files = Vec::new();
        let steps = match self {
            Self::Bare => json!([step]),
            // A limit of several steps must be longer than `0s`.
            Self::Once if step.get("if").is_none() => json!([with("timeout", json!("0s"))]),
            Self::Once => json!([step]),
            Self::Timeout => json!([with("timeout", json!("2s"))]),
            Self::Soft if is_assertion => json!([with("soft", json!(true))]),
            Self::Soft => json!([step]),
            Self::Retried => json!([with("retry", json!(1))]),
            Self::Group => json!([{ "group": [step] }]),
            Self::RetryBlock => json!([{ "retry": { "times": 1, "steps": [step] } }]),
            Self::Repeat => json!([{ "repeat": { "times": 1, "steps": [step] } }]),
            Self::If => json!([{ "if": "${1 < 2}", "then": [step] }]),
            Self::SubFlow => {
                let sub = json!({ "steps": [step] });
                files.push((format!("flows/_{name}.yaml"), sub.to_string()));
                json!([{ "run": format!("_{name}.yaml") }])
            }
            Self::AfterAssertion => {
                json!([{ "assert visible": { "id": "title" }, "optional": true }, step])
            }
            Self::Each => {
                header["each"] = json!([{ "row": "one" }]);
                json!([step])
            }
            Self::Matrix => {
                header["matrix"] = json!({ "dark": ["no"] });
                json!([step])
            }
        };
        header["steps"] = steps;
        files.insert(0, (format!("flows/{name}.yaml"), header.to_string()));
        files
    }

    /// Returns the key of the case that the flow runs as.
    pub fn key(self, name: &str) -> String {
        match self {
            Self::Each => format!("flows/{name}.yaml [one]"),
            Self::Matrix => format!("flows/{name}.yaml [light]"),
            _ => format!("flows/{name}.yaml"),
        }
    }
}

/// Returns a flow that passes if the condition holds.
pub fn branch(condition: &Value) -> Value {
    json!({
        "if": condition,
        "then": [{ "assert": { "that": "${1 < 2}" } }],
        "else": [{ "assert": { "that": "${2 < 1}" } }],
    })
}

/// Returns a flow of Maestro's with these commands.
pub fn maestro(commands: &Value) -> String {
    format!("appId: {}\n---\n{commands}\n", super::screen::APP)
}

/// Returns the selector in Maestro's words; `None` if it has none.
pub fn in_maestros_words(selector: &Selector) -> Option<Value> {
    let rules = match selector {
        Selector::Alone(text) => return Some(json!({ "text": regex::escape(text) })),
        Selector::All(rules) => rules,
    };
    let mut map = serde_json::Map::new();
    for rule in rules {
        let (key, value) = match rule {
            Rule::Words("text", Pattern::Whole(text)) if !text.contains('*') => {
                ("text", json!(regex::escape(text)))
            }
            Rule::Id(id) => ("id", json!(regex::escape(id))),
            Rule::State(state, value) if in_maestro(state.name()) => (state.name(), json!(value)),
            Rule::Inside(anchor) => ("childOf", in_maestros_words(anchor)?),
            Rule::Lies(direction, anchor) => {
                let key = match direction {
                    Direction::Above => "above",
                    Direction::Below => "below",
                    Direction::LeftOf => "leftOf",
                    Direction::RightOf => "rightOf",
                };
                // Maestro passes over `childOf` in what these name.
                if anchor.has_anchor() {
                    return None;
                }
                (key, in_maestros_words(anchor)?)
            }
            Rule::Has(held) => ("containsDescendants", json!([in_maestros_words(held)?])),
            Rule::Index(index) if *index >= 0 => ("index", json!(index)),
            _ => return None,
        };
        map.insert(key.to_owned(), value);
    }
    Some(Value::Object(map))
}

fn in_maestro(state: &str) -> bool {
    ["enabled", "checked", "focused", "selected"].contains(&state)
}
