//! Writes steps as lines of a flow.

use serde_json::Value;

use runner_text::flow_text;

#[derive(Debug)]
pub(super) struct OutStep {
    key: &'static str,
    value: OutValue,
    modifiers: Vec<(&'static str, Value)>,
}

#[derive(Debug)]
enum OutValue {
    /// Name of the step alone.
    Word,
    /// Value on the same line.
    Line(Value),
    /// List of steps, given as their lines.
    Steps(Vec<String>),
    /// Entries, and a list of steps under `steps`.
    Map(Vec<(&'static str, Value)>, Vec<String>),
}

impl OutStep {
    fn new(key: &'static str, value: OutValue) -> Self {
        Self {
            key,
            value,
            modifiers: Vec::new(),
        }
    }

    pub(super) fn word(key: &'static str) -> Self {
        Self::new(key, OutValue::Word)
    }

    pub(super) fn line(key: &'static str, value: impl Into<Value>) -> Self {
        Self::new(key, OutValue::Line(value.into()))
    }

    pub(super) fn group(steps: Vec<String>) -> Self {
        Self::new("group", OutValue::Steps(steps))
    }

    /// Creates a step with options on lines of their own, and the lines of its steps under `steps`.
    pub(super) fn with_steps(
        key: &'static str,
        entries: Vec<(&'static str, Value)>,
        steps: Vec<String>,
    ) -> Self {
        Self::new(key, OutValue::Map(entries, steps))
    }

    /// Adds a modifier behind those that are there; an equal one is not replaced.
    pub(super) fn with_modifier(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.modifiers.push((key, value.into()));
        self
    }

    /// Returns the lines of the step as YAML without line ends: the first with its dash, the steps inside indented,
    /// the modifiers last, in the order in which they were added. Expressions in values stay expressions.
    pub(super) fn lines(self) -> Vec<String> {
        let mut lines = Vec::new();
        let key = self.key;
        let written = |value: &Value| flow_text::with_expressions(value);
        match self.value {
            OutValue::Word if self.modifiers.is_empty() => lines.push(format!("- {key}")),
            OutValue::Word => lines.push(format!("- {key}: {{}}")),
            OutValue::Line(value) => lines.push(format!("- {key}: {}", written(&value))),
            OutValue::Steps(steps) => {
                lines.push(format!("- {key}:"));
                lines.extend(steps.iter().map(|line| indented(line, 4)));
            }
            OutValue::Map(entries, steps) => {
                lines.push(format!("- {key}:"));
                for (name, value) in entries {
                    lines.push(format!("    {name}: {}", written(&value)));
                }
                lines.push("    steps:".to_owned());
                lines.extend(steps.iter().map(|line| indented(line, 6)));
            }
        }
        for (name, value) in &self.modifiers {
            lines.push(format!("  {name}: {}", written(value)));
        }
        lines
    }
}

/// Indents a line by `by` blanks; leaves an empty one empty.
pub(super) fn indented(line: &str, by: usize) -> String {
    if line.is_empty() {
        String::new()
    } else {
        format!("{}{line}", " ".repeat(by))
    }
}
