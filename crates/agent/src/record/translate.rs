//! Translates calls of device tools into acts. A tool that [table](super::table) does not know stays its own
//! step.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::act::{Act, Start, ToolStep, Touch, Typing};
use super::call_record::CallRecord;
use super::own_step::{own_step, raw, text_arg};
use super::table::{ActKind, kind, may_change};
use super::touch_call::touch;
use super::words::{self, Property};
use super::{fields, gesture, scrolling, steps};
use runner_device::Key;
use runner_screen::Selector;
use runner_tools::{Outcome, Verdict};

/// Returns the acts of a call; none if it failed, also by a negative verdict, or only looked. Of a call that clicked a
/// control and could not type into it, it is the click. A call that has no translation, or whose element cannot be
/// named, is recorded as the tool's own step.
pub(super) fn acts(call: &CallRecord<'_>) -> Vec<Act> {
    let Ok(outcome) = call.outcome else {
        return Vec::new();
    };
    let kind = kind(call.entry);
    if outcome.verdict != Verdict::Passed {
        let has_clicked = matches!(kind, Some(ActKind::Type { clicks: true, .. }));
        let click = has_clicked && outcome.bounds.is_some();
        return click
            .then(|| touch(call, outcome, Touch::Click))
            .into_iter()
            .collect();
    }
    let Some(kind) = kind else {
        return if may_change(call.entry) {
            vec![own_step(call, outcome)]
        } else {
            Vec::new()
        };
    };
    let own = || vec![own_step(call, outcome)];
    match kind {
        ActKind::Touch(how) => vec![touch(call, outcome, how)],
        ActKind::Hold => vec![touch(call, outcome, Touch::LongClick(hold_duration(call)))],
        ActKind::Focus => fields::focus(call).map_or_else(own, |act| vec![act]),
        ActKind::Type {
            text,
            clear,
            hides_keyboard,
            clicks,
        } => {
            let clear = call.args.get(clear).and_then(Value::as_bool);
            let Some(text) = text_arg(call, text) else {
                return own();
            };
            let typed = fields::type_text(call, outcome, text, clear.unwrap_or(false));
            typed.map_or_else(own, |typed| {
                let click = clicks
                    .then(|| fields::click_for_keyboard(call, outcome))
                    .flatten();
                let typed = Act::Type(Typing {
                    hides_keyboard,
                    ..typed
                });
                click.into_iter().chain([typed]).collect()
            })
        }
        ActKind::TypeHere => fields::type_here(call, outcome).map_or_else(own, |act| vec![act]),
        ActKind::Rewrite(text) => vec![fields::rewrite(call, outcome, text)],
        ActKind::Erase => fields::erase(call).map_or_else(own, |act| vec![act]),
        ActKind::Key(name) => key(call, name).map_or_else(own, |act| vec![act]),
        ActKind::Word(word) => vec![Act::Word(word)],
        ActKind::Launch { package, start } => {
            launched(call, outcome, package, start).map_or_else(own, |act| vec![act])
        }
        ActKind::LaunchStep => steps::launch(call).map_or_else(own, |act| vec![act]),
        ActKind::TouchStep(how) => {
            steps::touch(call, outcome, how).map_or_else(own, |act| vec![act])
        }
        ActKind::Scroll(path) => {
            let raw = raw(call, outcome);
            vec![scrolling::act(call, path, raw).unwrap_or_else(|| own_step(call, outcome))]
        }
        ActKind::ScrollTo => match scrolling::to_element(call, outcome) {
            Some(act) => vec![act],
            None if scrolling::has_not_scrolled(outcome) => Vec::new(),
            None => own(),
        },
        ActKind::Gesture => {
            let before = call.before.as_deref();
            let act = before.and_then(|screen| gesture::act(call.entry.name, call.args, screen));
            act.map_or_else(own, |act| vec![act])
        }
        ActKind::Pause => vec![Act::Pause(raw(call, outcome))],
        ActKind::WaitFor => wait_for(call).map_or_else(own, |act| vec![act]),
        ActKind::Check => vec![check(call, outcome)],
        ActKind::Expect { visible } => expect(call, visible).unwrap_or_else(own),
        ActKind::Video(action) => vec![Act::Raw(ToolStep {
            name: "record",
            value_optional: false,
            args: json!({ "action": action }),
            hidden: None,
        })],
    }
}

/// Returns the argument `duration`, in milliseconds; 1 s without it.
fn hold_duration(call: &CallRecord<'_>) -> Duration {
    let millis = call.args.get("duration").and_then(Value::as_f64);
    Duration::from_millis(millis.map_or(1000, |millis| millis as u64))
}

/// Translates a key press. `back` and `home` have words of their own. `None` for a long press, an unknown name, and
/// a TAB that types its character.
fn key(call: &CallRecord<'_>, arg: &str) -> Option<Act> {
    let name = match call.args.get(arg)? {
        Value::String(name) => name.clone(),
        other => other.to_string(),
    };
    let key: Key = name.parse().ok()?;
    if call.args.get("long").is_some_and(|long| long == true) {
        return None;
    }
    let times = call.args.get("times").and_then(Value::as_u64);
    let times = times.map_or(Some(1), |times| u32::try_from(times).ok())?;
    match key.name() {
        "BACK" | "4" if times == 1 => Some(Act::Word("back")),
        "HOME" | "3" if times == 1 => Some(Act::Word("home")),
        // This tool types the character, while the step `press` would move the focus.
        "TAB" if call.entry.name == "press_key" => None,
        name => Some(Act::Key {
            name: name.to_owned(),
            times,
        }),
    }
}

/// Translates a launch of the package that the result reports as opened, else that the call names. `None` if
/// that has no dot: some tools also take an app's title, but a flow needs its package.
fn launched(call: &CallRecord<'_>, outcome: &Outcome, arg: &str, start: Start) -> Option<Act> {
    let message = outcome.value.get(arg).and_then(Value::as_str);
    let package = message.or_else(|| text_arg(call, arg))?;
    // Some tools also take an app's title, but a flow needs its package.
    package.contains('.').then(|| Act::Launch {
        app: package.to_owned(),
        start,
        options: Map::new(),
    })
}

/// Translates a wait for an element, by what it found. `None` if that has no selector.
fn wait_for(call: &CallRecord<'_>) -> Option<Act> {
    let property = Property::from_by(text_arg(call, "by")?)?;
    let screen = call.after.as_deref()?;
    let on = words::found(screen, &[property], text_arg(call, "value")?)?;
    let limit = call.args.get("timeout").and_then(Value::as_u64);
    Some(Act::Wait {
        on,
        limit: limit.map(Duration::from_millis),
    })
}

/// Translates a step of the flow language that only looks, as it was written: `wait_for`, `assert visible`,
/// `assert not visible` and `assert`. All else, such as a wait until an element is gone, stays the tool's own
/// step.
fn check(call: &CallRecord<'_>, outcome: &Outcome) -> Act {
    let on = call.args.get("on");
    let count = call.args.get("count");
    let is_gone = call.args.get("gone").is_some_and(|gone| *gone == true);
    let selector = on.and_then(|on| serde_json::from_value::<Selector>(on.clone()).ok());
    match (call.entry.name, selector) {
        ("wait_for", Some(on)) if !is_gone => Act::Wait {
            on,
            limit: call.limit,
        },
        ("assert visible", Some(on)) => Act::Expect { on, visible: true },
        ("assert not visible", Some(on)) => Act::Expect { on, visible: false },
        ("assert", Some(_)) => {
            // The step has no key for its element: selector and expected states are keys of one map.
            let mut value = match on {
                Some(Value::String(words)) if count.is_some() => json!({ "text": words }),
                other => json!(other),
            };
            if let Some(count) = count {
                value["count"] = count.clone();
            }
            Act::Raw(ToolStep {
                args: value,
                ..raw(call, outcome)
            })
        }
        _ => own_step(call, outcome),
    }
}

/// Translates an assertion of a text. That it is absent takes one act for each property. `None` if no selector says
/// it.
fn expect(call: &CallRecord<'_>, visible: bool) -> Option<Vec<Act>> {
    let text = text_arg(call, "text")?;
    let kind = text_arg(call, "selectorType").unwrap_or("any");
    let properties = Property::from_selector_type(kind);
    let expected = |on| Act::Expect { on, visible };
    if visible {
        let on = words::found(call.after.as_deref()?, properties, text)?;
        return Some(vec![expected(on)]);
    }
    let absent = words::absent(properties, text);
    (!absent.is_empty()).then(|| absent.into_iter().map(expected).collect())
}
