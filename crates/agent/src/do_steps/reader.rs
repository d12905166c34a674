//! Language in which the callers of `runner_do` are advised.

use serde_json::{Value, json};

use runner_engine::Direction;
use runner_screen::Selector;
use runner_text::units::HumanDuration;
use runner_tools::{CallOption, JsonReader, NextStep, Reader};

/// Steps of a flow as JSON, as `runner_do` takes them.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepsReader;

impl Reader for StepsReader {
    fn element(&self, selector: &Selector, id: Option<&str>) -> Option<String> {
        JsonReader.element(selector, id)
    }

    fn step(&self, step: &NextStep<'_>) -> Option<String> {
        let step: Value = match step {
            NextStep::ScrollTo {
                selector,
                direction: Direction::Down,
            } => json!({ "scroll_to": JsonReader::value(selector) }),
            NextStep::ScrollTo {
                selector,
                direction,
            } => {
                let on = JsonReader::value(selector);
                json!({ "scroll_to": { "on": on, "direction": direction.word() } })
            }
            NextStep::AssertVisible(selector) => {
                json!({ "assert visible": JsonReader::value(selector) })
            }
            NextStep::TypeWhole => json!({ "type": { "clear": true, "text": "…" } }),
            // The look at the end shows ids that every tool takes.
            NextStep::ListIds => return None,
        };
        Some(step.to_string())
    }

    fn option(&self, option: CallOption) -> Option<String> {
        Some(match option {
            CallOption::Force => r#""force": true"#.to_owned(),
            CallOption::Timeout(time) => format!(r#""timeout": "{}""#, HumanDuration(time)),
        })
    }
}
