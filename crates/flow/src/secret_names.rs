//! Names that are secret: what gives them a value, and the masking of each value that they get.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::ast::{Control, Flow, Step, StepAction};
use super::maestro::MaestroCommand;
use runner_text::secret::Scrubber;

/// The names whose values are secret, and what masks them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SecretNames {
    names: BTreeSet<String>,
    scrubber: Scrubber,
}

impl SecretNames {
    pub(crate) fn new(scrubber: Scrubber) -> Self {
        Self {
            names: BTreeSet::new(),
            scrubber,
        }
    }

    pub(crate) fn add(&mut self, names: impl IntoIterator<Item = String>) {
        self.names.extend(names);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Masks a text, where it is the value of a secret name.
    pub(crate) fn hide(&self, name: &str, text: &str) {
        if self.names.contains(name) {
            self.scrubber.add(text);
        }
    }

    /// Masks the parts of a value, where it is that of a secret name.
    pub(crate) fn hide_value(&self, name: &str, value: &Value) {
        if self.names.contains(name) {
            for text in texts(value) {
                self.scrubber.add(&text);
            }
        }
    }
}

/// Returns the parts of a secret value that nobody may read: its texts, and its numbers as they are written. A boolean
/// reveals nothing, and would be masked everywhere.
pub fn texts(value: &Value) -> Vec<Cow<'_, str>> {
    match value {
        Value::String(text) => vec![text.into()],
        Value::Number(number) => vec![number.to_string().into()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

/// Returns true if a flow, or one that it runs, gives the name a value or reads it.
pub fn mentions(flow: &Flow, name: &str) -> bool {
    let is_given = flow.env.contains_key(name)
        || flow
            .maestro()
            .is_some_and(|header| header.env.iter().any(|(given, _)| given == name))
        || flow
            .cases
            .iter()
            .filter_map(|case| case.row.as_ref())
            .any(|row| row.value(name).is_some());
    is_given || reads(&flow.source.text, name) || mentions_in(flow.step_lists(), name)
}

fn mentions_in<'a>(lists: impl IntoIterator<Item = &'a [Step]>, name: &str) -> bool {
    let mut steps = lists.into_iter().flatten();
    steps.any(|step| {
        let is_given = step.modifiers.keep_as.as_deref() == Some(name)
            || match &step.action {
                StepAction::Control(control) => match &**control {
                    Control::Set { values } => values.contains_key(name),
                    Control::Run { env, .. } => env.contains_key(name),
                    _ => false,
                },
                StepAction::Maestro(command) => match &**command {
                    MaestroCommand::RunFlow { env, .. }
                    | MaestroCommand::Retry { env, .. }
                    | MaestroCommand::RunScript { env, .. } => {
                        env.iter().any(|(given, _)| given == name)
                    }
                    _ => false,
                },
                _ => false,
            };
        is_given
            || step
                .action
                .sub_flow()
                .is_some_and(|flow| mentions(flow, name))
            || mentions_in(step.action.lists(), name)
    })
}

/// Returns true if the name stands as a word in an expression of a text, `${os.NAME}` too.
pub fn reads(text: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let is_word = !before.ends_with(is_part) && !behind.starts_with(is_part);
        let is_within = || {
            let opened = before.rfind("${");
            opened.is_some_and(|opened| !before[opened..].contains('}'))
        };
        is_word && is_within()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_where_it_is_a_word_in_an_expression() {
        for text in [
            "${PIN}",
            "a ${ os.PIN } b",
            "${'x' ~ PIN}",
            "${A} ${PIN | upper}",
        ] {
            assert!(reads(text, "PIN"), "{text}");
        }
        for text in [
            "PIN",
            "${PIN_2}",
            "${MY_PIN}",
            "${A} PIN",
            "secrets: [PIN] # ${A}",
            "$PIN",
        ] {
            assert!(!reads(text, "PIN"), "{text}");
        }
    }
}
