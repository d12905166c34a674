//! Secrets that are written out in a flow or in `runner.yaml`, hidden before the first event can show them.
//!
//! What an expression comes to is hidden when its step runs.

use serde_json::Value;

use super::settings::Settings;
use crate::flow::{Argument, Control, Flow, Located, Step, StepAction};
use crate::secret::Scrubber;

/// Hides the values that the project and the command line give to secret names.
pub(super) fn of_project(settings: &Settings, scrubber: &Scrubber) {
    for name in &settings.secrets {
        for values in [&settings.env_below, &settings.env_above] {
            if let Some(value) = values.get(name) {
                scrubber.add(value);
            }
        }
    }
}

/// The names that are secret in a flow and its sub-flows.
pub(super) struct Known<'a> {
    names: Vec<&'a str>,
}

impl<'a> Known<'a> {
    pub(super) fn new(flow: &'a Flow, of_project: &'a [String]) -> Self {
        let names = flow.secrets.iter().chain(of_project);
        Self {
            names: names.map(String::as_str).collect(),
        }
    }

    /// Hides the secrets of all steps, those of sub-flows too.
    pub(super) fn of_steps(&self, flow: &Flow, scrubber: &Scrubber) {
        for steps in [&flow.setup, &flow.steps, &flow.teardown] {
            self.steps(steps, scrubber);
        }
    }

    fn steps(&self, steps: &[Step], scrubber: &Scrubber) {
        for step in steps {
            self.step(step, scrubber);
        }
    }

    fn step(&self, step: &Step, scrubber: &Scrubber) {
        match &step.action {
            StepAction::Call { arguments, .. } if step.modifiers.secret => {
                if let Some(text) = text_of(&arguments.value) {
                    scrubber.add(text);
                }
            }
            StepAction::Control(control) => self.control(control, scrubber),
            _ => {}
        }
    }

    fn control(&self, control: &Control, scrubber: &Scrubber) {
        match control {
            Control::Run { flow, env } => {
                let mut inner = Self {
                    names: self.names.clone(),
                };
                inner.names.extend(flow.secrets.iter().map(String::as_str));
                for name in &inner.names {
                    hide(env.get(*name), scrubber);
                    hide(flow.env.get(*name), scrubber);
                }
                inner.of_steps(flow, scrubber);
            }
            Control::Repeat { steps, .. }
            | Control::Retry { steps, .. }
            | Control::Group { steps } => self.steps(steps, scrubber),
            Control::If {
                then, otherwise, ..
            } => {
                self.steps(then, scrubber);
                self.steps(otherwise, scrubber);
            }
            Control::Set { values } => {
                for name in &self.names {
                    hide(values.get(*name), scrubber);
                }
            }
        }
    }
}

fn hide(argument: Option<&Located<Argument>>, scrubber: &Scrubber) {
    if let Some(Argument::Literal(Value::String(text))) = argument.map(|found| &found.value) {
        scrubber.add(text);
    }
}

fn text_of(arguments: &Argument) -> Option<&str> {
    match arguments {
        Argument::Literal(Value::Object(map)) => map.get("text")?.as_str(),
        Argument::Map(map) => match &map.get("text")?.value {
            Argument::Literal(Value::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
