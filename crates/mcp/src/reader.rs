//! Languages in which the callers of device tools are advised: the lean tools, and the dialects.

#[cfg(test)]
mod laws;

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{Dialect, DialectOptions};
use runner_agent::DeviceCall;
use runner_engine::{Direction, short_ids};
use runner_screen::Selector;
use runner_tools::registry::find;
use runner_tools::{CallOption, NextStep, Reader};

/// Longest `timeout` of `runner_wait_for`, as its schema says.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// Arguments of the lean tools: an element is its words, its resource id, or its id of a look.
pub(super) struct LeanReader<'a> {
    /// Step that does the tool's work.
    step: &'static str,
    /// Returns the short id of an element of the last look by its node id.
    short_id: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> LeanReader<'a> {
    pub fn new(step: &'static str, short_id: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { step, short_id }
    }

    /// Returns the arguments that name an element by its words or its resource id. `None` if the selector has
    /// other conditions, or the words would be taken for an id of a look.
    fn plain(selector: &Selector) -> Option<Map<String, Value>> {
        let (name, value) = match selector.to_shown_value() {
            Value::String(words) if short_ids::number(&words).is_none() => {
                ("on", Value::from(words))
            }
            Value::Object(mut map) if map.len() == 1 => ("id", map.remove("id")?),
            _ => return None,
        };
        Some(Map::from_iter([(name.to_owned(), value)]))
    }
}

impl Reader for LeanReader<'_> {
    /// Names an element by its words or resource id, else by the short id on the last look, if the tool takes one.
    /// `None` if neither can be.
    fn element(&self, selector: &Selector, id: Option<&str>) -> Option<String> {
        let by_id = || {
            let id = id.filter(|_| DeviceCall::takes_short_id(self.step))?;
            let id = (self.short_id)(id)?;
            Some(Map::from_iter([("on".to_owned(), id.into())]))
        };
        let args = Self::plain(selector).or_else(by_id)?;
        Some(Value::from(args).to_string())
    }

    fn step(&self, step: &NextStep<'_>) -> Option<String> {
        match step {
            NextStep::ScrollTo {
                selector,
                direction,
            } => {
                let mut args = Self::plain(selector)?;
                if *direction != Direction::Down {
                    args.insert("direction".to_owned(), direction.word().into());
                }
                Some(format!("runner_scroll_to {}", Value::from(args)))
            }
            NextStep::TypeWhole => {
                let args = json!({ "clear": true, "text": "…" });
                Some(format!("runner_type {args}"))
            }
            NextStep::Type(text) => Some(format!("runner_type {}", json!({ "text": text }))),
            NextStep::Press(key) => Some(format!("runner_press {}", json!({ "key": key }))),
            NextStep::Click(selector) => {
                let args = Value::from(Self::plain(selector)?);
                Some(format!("runner_click {args}"))
            }
            NextStep::AssertVisible(_)
            | NextStep::AssertLog
            | NextStep::ListIds
            | NextStep::Install
            | NextStep::Launch
            | NextStep::HideKeyboard
            | NextStep::Slide(_) => None,
        }
    }

    /// Returns the option of more time, for a wait within [`MAX_WAIT`] only, and that of `type` to empty
    /// the field first. Lean tools have no other.
    fn option(&self, option: CallOption) -> Option<String> {
        match option {
            CallOption::Timeout(time) if self.step == "wait_for" && time <= MAX_WAIT => {
                Some(format!(r#""timeout": {}"#, time.as_secs()))
            }
            CallOption::Clear if self.step == "type" => Some(r#""clear": true"#.to_owned()),
            CallOption::Timeout(_) | CallOption::Force | CallOption::Clear => None,
        }
    }

    /// Writes the direction of a scroll; other arguments have no tool here that takes them.
    fn arguments(&self, arguments: &[(&'static str, Value)]) -> Option<String> {
        match (self.step, arguments) {
            ("scroll_to", [("direction", direction)]) => {
                Some(format!(r#""direction": {direction}"#))
            }
            _ => None,
        }
    }

    fn unit(&self) -> &'static str {
        "call"
    }
}

/// Calls of a dialect's own tools, by the names that its clients know.
pub(super) struct DialectReader<'a> {
    options: &'a DialectOptions,
}

impl<'a> DialectReader<'a> {
    pub fn new(options: &'a DialectOptions) -> Self {
        Self { options }
    }

    fn call(&self, tool: &str, args: &str) -> Option<String> {
        let name = self.options.name(find(tool)?);
        Some(format!("{name}{args}"))
    }
}

impl Reader for DialectReader<'_> {
    fn step(&self, step: &NextStep<'_>) -> Option<String> {
        match (step, self.options.dialect) {
            (NextStep::TypeWhole, Dialect::Android) => self.call("type_clear_text", ""),
            (NextStep::TypeWhole, Dialect::MobileAgent) => self.call(
                "mobile_agent.type_text",
                r#" { "clear_current_text": true }"#,
            ),
            (NextStep::TypeWhole, Dialect::Semantic) => {
                self.call("semantic.type_text", r#" { "replace": true }"#)
            }
            (NextStep::ListIds, Dialect::Semantic) => self.call("semantic.list_actionable", ""),
            _ => None,
        }
    }

    fn unit(&self) -> &'static str {
        "call"
    }
}
