//! Language in which the callers of `runner_do` are advised.

use serde_json::{Value, json};

use runner_engine::{Direction, short_ids};
use runner_screen::Selector;
use runner_text::units::HumanDuration;
use runner_tools::{CallOption, JsonReader, NextStep, Reader};

/// Steps of a flow as JSON, as `runner_do` takes them.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepsReader;

impl StepsReader {
    /// Returns a selector as a value that reads back unchanged. Words that would be taken for an id of a look
    /// are a condition on the text.
    fn value(selector: &Selector) -> Value {
        match JsonReader::value(selector) {
            Value::String(words) if short_ids::number(&words).is_some() => {
                json!({ "text": words })
            }
            value => value,
        }
    }
}

impl Reader for StepsReader {
    fn element(&self, selector: &Selector, _: Option<&str>) -> Option<String> {
        Some(Self::value(selector).to_string())
    }

    /// Writes advice as a step in JSON, for the tool that runs steps; `None` where it has no step.
    fn step(&self, step: &NextStep<'_>) -> Option<String> {
        let step: Value = match step {
            NextStep::ScrollTo {
                selector,
                direction: Direction::Down,
            } => json!({ "scroll_to": Self::value(selector) }),
            NextStep::ScrollTo {
                selector,
                direction,
            } => {
                let on = Self::value(selector);
                json!({ "scroll_to": { "on": on, "direction": direction.word() } })
            }
            NextStep::AssertVisible(selector) => {
                json!({ "assert visible": Self::value(selector) })
            }
            NextStep::AssertLog => json!({ "assert log": "…" }),
            NextStep::TypeWhole => json!({ "type": { "clear": true, "text": "…" } }),
            NextStep::Type(text) => json!({ "type": text }),
            NextStep::Press(key) => json!({ "press": key }),
            NextStep::Install => json!({ "install": "build/app.apk" }),
            NextStep::Launch => json!("launch"),
            NextStep::HideKeyboard => json!("hide_keyboard"),
            NextStep::Click(selector) => json!({ "click": Self::value(selector) }),
            NextStep::Slide(selector) => {
                let on = Self::value(selector);
                let to = json!({ "on": on, "at": { "x": "90%", "y": "50%" } });
                json!({ "drag": { "from": Self::value(selector), "to": to, "hold": "0ms" } })
            }
            // The look at the end shows ids that every tool takes.
            NextStep::ListIds => return None,
        };
        Some(step.to_string())
    }

    /// Writes the option as a member of a step's object, such as `"force": true`. It is never `None`.
    fn option(&self, option: CallOption) -> Option<String> {
        Some(match option {
            CallOption::Force => r#""force": true"#.to_owned(),
            CallOption::Clear => r#""clear": true"#.to_owned(),
            CallOption::Timeout(time) => format!(r#""timeout": "{}""#, HumanDuration(time)),
        })
    }

    fn arguments(&self, arguments: &[(&'static str, Value)]) -> Option<String> {
        JsonReader.arguments(arguments)
    }
}
