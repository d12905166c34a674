//! Secrets that stand in a flow's own text: `type: { text: hunter2, secret: true }`. They are known before any step is told,
//! for the source line of a step is told with it.

use serde_json::Value;

use crate::flow::{Argument, Control, Step, StepAction};
use crate::secret::Scrubber;

/// Adds the secrets written out in `steps` and in all steps inside them.
pub(super) fn add(steps: &[Step], scrubber: &Scrubber) {
    for step in steps {
        match &step.action {
            StepAction::Call { arguments, .. } if step.modifiers.secret => {
                if let Some(text) = text_of(&arguments.value) {
                    scrubber.add(text);
                }
            }
            StepAction::Control(control) => inside(control, scrubber),
            StepAction::Call { .. } | StepAction::Snapshot(_) | StepAction::Assert(_) => {}
        }
    }
}

fn inside(control: &Control, scrubber: &Scrubber) {
    match control {
        Control::Run { flow, .. } => add(&flow.steps, scrubber),
        Control::Repeat { steps, .. }
        | Control::Retry { steps, .. }
        | Control::Group { steps, .. } => add(steps, scrubber),
        Control::If {
            then, otherwise, ..
        } => {
            add(then, scrubber);
            add(otherwise, scrubber);
        }
        Control::Set { .. } => {}
    }
}

fn text_of(argument: &Argument) -> Option<&str> {
    match argument {
        Argument::Literal(Value::Object(map)) => map.get("text")?.as_str(),
        Argument::Map(map) => match &map.get("text")?.value {
            Argument::Literal(Value::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
