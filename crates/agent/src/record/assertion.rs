//! Assertions that a person adds while something is recorded.

use serde_json::{Value, json};

use super::act::{Act, ToolStep};
use runner_screen::Selector;

/// Assertion or wait that a person chose.
#[derive(Debug, Clone, PartialEq)]
pub enum Assertion {
    /// Element is visible.
    Visible(Selector),
    /// No element matches.
    Gone(Selector),
    /// Element has these states, such as `checked: true`.
    State(Selector, Vec<(&'static str, Value)>),
    /// Waits for an element.
    Wait(Selector),
    Snapshot {
        /// Name of the golden.
        name: String,
        /// Element to compare; `None` for the whole screen.
        of: Option<Selector>,
    },
    /// Log has a line.
    Log {
        /// Part of its message.
        message: String,
        tag: String,
        /// Package whose line it is; `None` for any app.
        app: Option<String>,
    },
}

impl Assertion {
    /// Converts the assertion to the act that checks it. A log without an app is one of any app.
    pub(super) fn into_act(self) -> Act {
        match self {
            Self::Visible(on) => Act::Expect { on, visible: true },
            Self::Gone(on) => Act::Expect { on, visible: false },
            Self::Wait(on) => Act::Wait { on, limit: None },
            Self::State(on, states) => {
                let mut value = match on.to_value() {
                    // The short form, a text alone, has no keys for states.
                    Value::String(words) => json!({ "text": words }),
                    value => value,
                };
                if let Some(map) = value.as_object_mut() {
                    map.extend(
                        states
                            .into_iter()
                            .map(|(key, value)| (key.to_owned(), value)),
                    );
                }
                raw("assert", value)
            }
            Self::Snapshot { name, of: None } => raw("snapshot", json!(name)),
            Self::Snapshot { name, of: Some(of) } => {
                raw("snapshot", json!({ "name": name, "of": of.to_value() }))
            }
            Self::Log { message, tag, app } => {
                let mut args = json!({ "contains": message, "tag": tag });
                match app {
                    Some(app) => args["app"] = json!(app),
                    None => args["any_app"] = json!(true),
                }
                raw("assert log", args)
            }
        }
    }
}

/// Builds an act that is a step of this name with these arguments.
pub(super) fn raw(name: &'static str, args: Value) -> Act {
    Act::Raw(ToolStep {
        name,
        value_optional: false,
        args,
        hidden: None,
    })
}
