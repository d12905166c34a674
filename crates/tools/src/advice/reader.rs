//! Readers of advice: what each language can say, and how.

use std::time::Duration;

use runner_engine::Direction;
use runner_screen::Selector;
use runner_text::flow_text;
use runner_text::units::HumanDuration;
use serde_json::Value;

/// Step or call that a reader could make.
#[derive(Debug, Clone, Copy)]
pub enum NextStep<'a> {
    ScrollTo {
        selector: &'a Selector,
        direction: Direction,
    },
    AssertVisible(&'a Selector),
    AssertLog,
    /// Empties the field before it types.
    TypeWhole,
    /// Types this text into the field that has the focus.
    Type(&'a str),
    /// Presses a key by its name.
    Press(&'a str),
    /// Lists the elements of the screen with the ids by which semantic tools know them.
    ListIds,
    /// Installs an app from a file, for which an example stands.
    Install,
    /// Launches the flow's app.
    Launch,
    /// Hides the keyboard, if there is one.
    HideKeyboard,
    Click(&'a Selector),
    /// Drags a slider, to a place of which an example stands.
    Slide(&'a Selector),
}

/// Option that a reader could add to its step or call.
#[derive(Debug, Clone, Copy)]
pub enum CallOption {
    /// Acts on an element as it is, disabled or covered.
    Force,
    /// Empties a field before it types.
    Clear,
    Timeout(Duration),
}

/// Language of whoever reads a failure. Each method returns `None` for what it cannot say; by default that is
/// everything. What it does write, the language's own parser accepts.
pub trait Reader {
    /// Names an element, by the selector or by the id of a node.
    fn element(&self, selector: &Selector, id: Option<&str>) -> Option<String> {
        let _ = (selector, id);
        None
    }

    /// Writes a step or call that the reader could make.
    fn step(&self, step: &NextStep<'_>) -> Option<String> {
        let _ = step;
        None
    }

    /// Writes an option that the reader could add.
    fn option(&self, option: CallOption) -> Option<String> {
        let _ = option;
        None
    }

    /// Writes arguments of the step or call that failed, by the names that a step has for them.
    fn arguments(&self, arguments: &[(&'static str, Value)]) -> Option<String> {
        let _ = arguments;
        None
    }

    /// Returns the word for what failed.
    fn unit(&self) -> &'static str {
        "step"
    }
}

/// Language of flows, as an author writes it.
#[derive(Debug, Clone, Copy)]
pub struct FlowReader;

impl Reader for FlowReader {
    fn element(&self, selector: &Selector, _: Option<&str>) -> Option<String> {
        Some(selector.to_string())
    }

    /// Writes the step as YAML, such as `press: BACK`. There is none that it cannot say.
    fn step(&self, step: &NextStep<'_>) -> Option<String> {
        Some(match step {
            NextStep::ScrollTo {
                selector,
                direction: Direction::Down,
            } => format!("scroll_to: {selector}"),
            NextStep::ScrollTo {
                selector,
                direction,
            } => format!(
                "scroll_to: {{ on: {selector}, direction: {} }}",
                direction.word()
            ),
            NextStep::AssertVisible(selector) => format!("assert visible: {selector}"),
            NextStep::AssertLog => "assert log: …".to_owned(),
            NextStep::TypeWhole => "type: { clear: true, text: … }".to_owned(),
            NextStep::Type(text) => format!("type: '{text}'"),
            NextStep::Press(key) => format!("press: {key}"),
            NextStep::ListIds => "semantic.list_actionable".to_owned(),
            NextStep::Install => "install: build/app.apk".to_owned(),
            NextStep::Launch => "launch".to_owned(),
            NextStep::HideKeyboard => "hide_keyboard".to_owned(),
            NextStep::Click(selector) => format!("click: {selector}"),
            NextStep::Slide(selector) => format!(
                "drag: {{ from: {selector}, to: {{ on: {selector}, at: {{ x: 90%, y: 50% }} }}, hold: 0ms }}"
            ),
        })
    }

    /// Writes the option as YAML, such as `force: true`. There is none that it cannot say.
    fn option(&self, option: CallOption) -> Option<String> {
        Some(match option {
            CallOption::Force => "force: true".to_owned(),
            CallOption::Clear => "clear: true".to_owned(),
            CallOption::Timeout(time) => format!("timeout: {}", HumanDuration(time)),
        })
    }

    fn arguments(&self, arguments: &[(&'static str, Value)]) -> Option<String> {
        let each = arguments.iter();
        let each = each.map(|(name, value)| format!("{name}: {}", flow_text::literal(value)));
        Some(each.collect::<Vec<_>>().join(", "))
    }
}

/// Arguments of an agent's tool, in which a selector is JSON. It names elements and says nothing else.
#[derive(Debug, Clone, Copy)]
pub struct JsonReader;

impl JsonReader {
    /// Returns a selector as a value that reads back unchanged, also where `${…}` is an expression.
    pub fn value(selector: &Selector) -> Value {
        flow_text::escaped(&selector.to_shown_value())
    }
}

impl Reader for JsonReader {
    fn element(&self, selector: &Selector, _: Option<&str>) -> Option<String> {
        Some(Self::value(selector).to_string())
    }

    fn arguments(&self, arguments: &[(&'static str, Value)]) -> Option<String> {
        let each = arguments.iter();
        let each = each.map(|(name, value)| format!("\"{name}\": {}", flow_text::escaped(value)));
        Some(each.collect::<Vec<_>>().join(", "))
    }

    fn unit(&self) -> &'static str {
        "call"
    }
}
