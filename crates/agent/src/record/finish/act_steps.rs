//! Writes one act as steps.

use serde_json::{Map, Value, json};

use crate::record::act::{Act, Start, ToolStep, Touch, Typing};
use crate::record::emit::{EmittedStep, Line};
use crate::record::gesture;
use crate::record::secrets::Secrets;
use runner_engine::{Direction, Readiness};
use runner_screen::Selector;
use runner_text::units::HumanDuration;
use runner_tools::registry::find;
use runner_tools::{Catalogue, StepSyntax};

/// Seconds that steps wait by default: that of the setting `step_timeout`. A shorter limit of an agent is not
/// recorded, as it would only make the flow fragile.
const DEFAULT_LIMIT_SECONDS: u64 = 10;
/// Scrolls of `scroll_to` by default: that of its key `max`.
const DEFAULT_SCROLLS: u32 = 10;

/// Writes an act as steps, mostly one. The first launch of the flow's app clears its data, that of another app restarts
/// it unless it was recorded as clearing; later ones stay as they were recorded. What no step can express becomes a
/// comment alone.
pub(super) fn step(act: &Act, app: Option<&str>, first: bool, secrets: &Secrets) -> Vec<Line> {
    let on_element = |name, on: &Selector, options: Map<String, Value>| {
        vec![line(element_step(name, on, options, secrets))]
    };
    match act {
        Act::Touch { how, on, force, .. } => match how {
            Touch::Click => on_element("click", on, forced(*force)),
            Touch::DoubleClick => on_element("double_click", on, forced(*force)),
            Touch::LongClick(held) => {
                let mut options = forced(*force);
                if held.as_millis() != 1000 {
                    let held = HumanDuration(*held).to_string();
                    options.insert("duration".to_owned(), json!(held));
                }
                on_element("long_click", on, options)
            }
        },
        Act::Type(typing) => typed(typing, secrets),
        Act::Erase { on, force, .. } => on_element("erase", on, forced(*force)),
        Act::Key { name, times } => {
            let value = match times {
                1 => json!(name),
                times => json!({ "key": name, "times": times }),
            };
            vec![line(value_step("press", value))]
        }
        Act::Launch {
            app: package,
            start,
            options,
        } => {
            let own = app == Some(package);
            let start = match (first, own) {
                // A replay starts with the app's initial data.
                (true, true) => Start::Cleared,
                // Only the first launch restarts an app, as later ones did not stop it either.
                (true, false) if *start == Start::Resumed => Start::Restarted,
                _ => *start,
            };
            let own = own.then_some(package.as_str());
            vec![line(launch(package, start, own, options, secrets))]
        }
        Act::Raw(raw) if raw.is_at_place() => vec![Line {
            comments: vec![
                "Nothing that has a name was there; it is a place of this display.".to_owned(),
            ],
            step: Some(raw_step(raw, secrets)),
        }],
        Act::Scroll { raw, .. } | Act::Pause(raw) | Act::Raw(raw) => {
            vec![line(raw_step(raw, secrets))]
        }
        Act::ScrollTo {
            on,
            direction,
            within,
            scrolls,
        } => {
            let mut options = Map::new();
            if *direction != Direction::Down {
                options.insert("direction".to_owned(), json!(direction.word()));
            }
            if let Some(within) = within {
                options.insert("in".to_owned(), secrets.selector(within));
            }
            // The step drags, which moves less than the recorded flings.
            if scrolls.saturating_mul(4) > DEFAULT_SCROLLS {
                let max = scrolls.saturating_mul(4).min(100);
                options.insert("max".to_owned(), json!(max));
            }
            on_element("scroll_to", on, options)
        }
        Act::Wait { on, limit } => {
            let mut step = element_step("wait_for", on, Map::new(), secrets);
            step.timeout = limit
                .filter(|limit| limit.as_secs() > DEFAULT_LIMIT_SECONDS)
                .map(|limit| HumanDuration(limit).to_string());
            vec![line(step)]
        }
        Act::Drag { .. } | Act::TwoFingers { .. } => gesture::step(act, secrets)
            .map(|(name, value)| line(value_step(name, value)))
            .into_iter()
            .collect(),
        Act::Expect { on, visible: true } => on_element("assert visible", on, Map::new()),
        Act::Expect { on, .. } => on_element("assert not visible", on, Map::new()),
        Act::Word(name) => vec![line(word(name))],
        Act::Unreported(what) => vec![Line {
            comments: vec![format!("Not recorded: {}", secrets.masked(what))],
            step: None,
        }],
    }
}

/// Returns the option `force`, if the element was disabled.
fn forced(force: bool) -> Map<String, Value> {
    let option = force.then(|| ("force".to_owned(), json!(true)));
    option.into_iter().collect()
}

/// Wraps a step without comments.
pub(super) fn line(step: EmittedStep) -> Line {
    Line {
        comments: Vec::new(),
        step: Some(step),
    }
}

pub(super) fn word(name: &'static str) -> EmittedStep {
    EmittedStep {
        name,
        value: None,
        timeout: None,
    }
}

fn value_step(name: &'static str, value: Value) -> EmittedStep {
    EmittedStep {
        name,
        value: Some(value),
        timeout: None,
    }
}

/// Builds a step on an element. The selector is its whole value; if there are options, the key `on`, which
/// comes first.
fn element_step(
    name: &'static str,
    on: &Selector,
    mut options: Map<String, Value>,
    secrets: &Secrets,
) -> EmittedStep {
    let on = secrets.selector(on);
    if options.is_empty() {
        return value_step(name, on);
    }
    // `on` comes first, where people look for it.
    options.shift_insert(0, "on".to_owned(), on);
    value_step(name, Value::Object(options))
}

/// Builds the step `launch`. `own` is the package if it is the flow's app, which the step need not name. The
/// value is left out if it is empty, and is the package alone if nothing else is in it.
fn launch(
    package: &str,
    start: Start,
    own: Option<&str>,
    options: &Map<String, Value>,
    secrets: &Secrets,
) -> EmittedStep {
    let mut value = Map::new();
    if own.is_none() {
        value.insert("app".to_owned(), json!(package));
    }
    match start {
        Start::Resumed => value.insert("stop".to_owned(), json!(false)),
        Start::Restarted => None,
        Start::Cleared => value.insert("clear".to_owned(), json!(true)),
    };
    value.extend(
        options
            .iter()
            .map(|(name, option)| (name.clone(), secrets.to_flow_value(option))),
    );
    let value = match value.len() {
        0 => None,
        1 if own.is_none() => Some(json!(package)),
        _ => Some(Value::Object(value)),
    };
    EmittedStep {
        name: "launch",
        value,
        timeout: None,
    }
}

/// Writes typed text as the step `type`, and `hide_keyboard` after it if the tool did so. A secret becomes an
/// expression, and the step has `secret: true`. A comment names the variable, if a run must be given one.
fn typed(typing: &Typing, secrets: &Secrets) -> Vec<Line> {
    let mut value = Map::new();
    if let Some(into) = &typing.into {
        value.insert("into".to_owned(), secrets.selector(into));
    }
    let mut comments = Vec::new();
    let secret = typing
        .secret
        .then(|| secrets.expression(&typing.text))
        .flatten();
    if let Some((name, expression)) = secret {
        comments.extend(name.map(|name| format!("{name} of the environment is typed here.")));
        value.insert("text".to_owned(), json!(expression));
    } else {
        value.insert(
            "text".to_owned(),
            secrets.to_flow_value(&json!(typing.text)),
        );
    }
    if typing.secret || secrets.has_given(&typing.text) {
        value.insert("secret".to_owned(), json!(true));
    }
    if typing.clear {
        value.insert("clear".to_owned(), json!(true));
    }
    value.extend(forced(typing.readiness == Readiness::Forced));
    let mut lines = vec![Line {
        comments,
        step: Some(value_step("type", Value::Object(value))),
    }];
    if typing.hides_keyboard {
        lines.push(line(word("hide_keyboard")));
    }
    lines
}

/// Writes a tool's own step, in its shortest form. Secrets become expressions.
fn raw_step(raw: &ToolStep, secrets: &Secrets) -> EmittedStep {
    let no_args = raw.args.as_object().is_none_or(Map::is_empty);
    EmittedStep {
        name: raw.name,
        value: (!(no_args && raw.value_optional)).then(|| secrets.to_flow_value(short(raw))),
        timeout: None,
    }
}

/// Returns the arguments of an everyday step in their short form, if it has one and its text is the only
/// argument: `rotate: landscape`. Otherwise all arguments.
fn short(raw: &ToolStep) -> &Value {
    let everyday = find(raw.name).filter(|entry| entry.catalogue == Catalogue::Everyday);
    let only = match (everyday.map(|entry| entry.writing), raw.args.as_object()) {
        (Some(StepSyntax::Scalar(name)), Some(args)) if args.len() == 1 => args.get(name),
        _ => None,
    };
    only.filter(|value| value.is_string()).unwrap_or(&raw.args)
}
