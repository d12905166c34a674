//! Translates calls of device tools into acts. A tool that [table](super::table) does not know stays its own
//! step.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::act::{Act, Field, Start, ToolStep, Touch, Typing};
use super::call_record::CallRecord;
use super::locate::{self, element};
use super::table::{ActKind, kind, may_change};
use super::touch::touched;
use super::words::{self, Property};
use super::{gesture, scrolling, steps};
use runner_device::Key;
use runner_engine::{Readiness, is_disabled};
use runner_screen::{Node, Point, Selector};
use runner_tools::{Outcome, Verdict};

/// Returns the acts of a call; none if it failed, also by a negative verdict, or only looked. A call that has no
/// translation, or whose element cannot be named, is recorded as the tool's own step.
pub(super) fn acts(call: &CallRecord<'_>) -> Vec<Act> {
    let Ok(outcome) = call.outcome else {
        return Vec::new();
    };
    if outcome.verdict != Verdict::Passed {
        return Vec::new();
    }
    let Some(kind) = kind(call.entry) else {
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
        ActKind::Focus => focus(call).map_or_else(own, |act| vec![act]),
        ActKind::Type {
            text,
            clear,
            hides_keyboard,
        } => {
            let clear = call.args.get(clear).and_then(Value::as_bool);
            let Some(text) = text_arg(call, text) else {
                return own();
            };
            let typed = type_text(call, outcome, text, clear.unwrap_or(false));
            typed.map_or_else(own, |typed| {
                vec![Act::Type(Typing {
                    hides_keyboard,
                    ..typed
                })]
            })
        }
        ActKind::TypeHere => type_here(call, outcome).map_or_else(own, |act| vec![act]),
        ActKind::Rewrite(text) => vec![rewrite(call, outcome, text)],
        ActKind::Erase => erase(call).map_or_else(own, |act| vec![act]),
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
        ActKind::ScrollTo => scrolling::to_element(call, outcome).map_or_else(own, |act| vec![act]),
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

fn text_arg<'a>(call: &'a CallRecord<'_>, name: &str) -> Option<&'a str> {
    call.args.get(name)?.as_str()
}

/// Returns the argument `text` if the call itself declares it secret by `secret: true`.
fn declared_secret(args: &Value) -> Option<String> {
    let is_secret = args.get("secret").is_some_and(|secret| *secret == true);
    let text = args.get("text").filter(|_| is_secret)?;
    text.as_str().map(str::to_owned)
}

/// Returns the tool itself as a step, with all arguments. A hidden text, or one with `secret: true`, is noted as a
/// secret; the step `type` then has `secret: true`.
fn raw(call: &CallRecord<'_>, outcome: &Outcome) -> ToolStep {
    let hidden = outcome.hidden.clone();
    let hidden = hidden.or_else(|| declared_secret(call.args));
    let mut args = call.args.clone();
    // The secret stays one in the flow.
    if call.entry.name == "type" && hidden.is_some() {
        args["secret"] = json!(true);
    }
    ToolStep {
        name: call.entry.name,
        value_optional: call.entry.value_optional,
        args,
        hidden,
    }
}

/// Returns the tool itself as a step, with all arguments. If an argument is an id `node_…` of an element,
/// which means nothing in another run, it returns a comment instead.
fn own_step(call: &CallRecord<'_>, outcome: &Outcome) -> Act {
    let names_place = |value: &Value| value.as_str().is_some_and(|v| v.starts_with("node_"));
    let args = call.args.as_object();
    if args.is_some_and(|args| args.values().any(names_place)) {
        return Act::Unreported(format!(
            "{}: the element it acted on has no name that lasts",
            call.entry.name
        ));
    }
    Act::Raw(raw(call, outcome))
}

/// Returns true if the touched element was disabled before the call: the step then needs `force`. A screen
/// from after the call does not count.
fn was_disabled(call: &CallRecord<'_>, target: Node<'_>) -> bool {
    let before = call.before.as_deref();
    before.is_some_and(|before| std::ptr::eq(before, target.screen())) && is_disabled(target)
}

/// Returns the argument `duration`, in milliseconds; 1 s without it.
fn hold_duration(call: &CallRecord<'_>) -> Duration {
    let millis = call.args.get("duration").and_then(Value::as_f64);
    Duration::from_millis(millis.map_or(1000, |millis| millis as u64))
}

/// Translates a touch on an element, or at a point on what was there. Without a name for it, it stays a touch at the
/// place; without a place either, the tool's own step.
fn touch(call: &CallRecord<'_>, outcome: &Outcome, how: Touch) -> Act {
    let point = call.number("x").zip(call.number("y"));
    let point = point.map(|(x, y)| Point { x, y });
    let node = match point {
        Some(point) => call
            .before
            .as_deref()
            .and_then(|screen| locate::touched(screen, point)),
        None => element(call, |node| node.flags().clickable),
    };
    let named = node.and_then(|node| {
        let target = locate::target(node, matches!(how, Touch::LongClick(_)));
        touched(node, how, was_disabled(call, target))
    });
    if let Some(act) = named {
        return act;
    }
    let place = outcome.bounds.map(|bounds| bounds.center()).or(point);
    place.map_or_else(
        || own_step(call, outcome),
        |place| Act::Raw(raw_touch(how, place)),
    )
}

/// Returns the step for a touch at a point, in pixels: `tap`, `double_tap`, or `long_press` with its duration
/// in milliseconds.
fn raw_touch(how: Touch, at: Point) -> ToolStep {
    let (name, args) = match how {
        Touch::Click => ("tap", json!({ "x": at.x, "y": at.y })),
        Touch::DoubleClick => ("double_tap", json!({ "x": at.x, "y": at.y })),
        Touch::LongClick(held) => {
            let millis = held.as_millis() as u64;
            let args = json!({ "x": at.x, "y": at.y, "duration": millis });
            ("long_press", args)
        }
    };
    ToolStep {
        name,
        value_optional: false,
        args,
        hidden: None,
    }
}

fn takes_text(node: Node<'_>) -> bool {
    node.is_editable()
}

fn field_of<'a>(call: &'a CallRecord<'_>) -> Option<Node<'a>> {
    element(call, takes_text)
}

/// Translates a call that focuses a field, as a click on it. `None` if no field or name is found.
fn focus(call: &CallRecord<'_>) -> Option<Act> {
    let node = field_of(call).filter(|node| node.is_editable())?;
    Some(Act::Touch {
        how: Touch::Click,
        on: locate::touch_selector(node, false)?,
        field: Some(Field::from_node(node)),
        force: was_disabled(call, locate::target(node, false)),
    })
}

/// Translates text that went into a field. It is a secret if the tool hid it or the field is one for passwords.
/// `None` if the field is not found or has no name.
fn type_text(call: &CallRecord<'_>, outcome: &Outcome, text: &str, clear: bool) -> Option<Typing> {
    let node = field_of(call)?;
    Some(Typing {
        into: Some(Selector::stable(node.screen(), node.index())?),
        field: Some(Field::from_node(node)),
        text: text.to_owned(),
        clear,
        secret: outcome.hidden.is_some() || node.flags().password,
        hides_keyboard: false,
        readiness: Readiness::from_force(was_disabled(call, node)),
    })
}

/// Translates the step `type`, into the field of `into` or the focused one. A selector in `into` that finds no field is
/// kept as written. The text is a secret if the step says so, the tool hid it, or it went into a password field. `None`
/// if the step asks for single keys or, without `into`, no field is found or it has no name.
fn type_here(call: &CallRecord<'_>, outcome: &Outcome) -> Option<Act> {
    let is_plain = |name: &str| call.args.get(name).is_none_or(|value| value == false);
    if !is_plain("keys") {
        return None;
    }
    let (text, clear) = (text_arg(call, "text")?, !is_plain("clear"));
    let named = call.args.get("into").filter(|into| !into.is_null());
    let mut typing = match named {
        None => type_text(call, outcome, text, clear)?,
        Some(into) => {
            let into = Selector::from_value(into).ok()?;
            let node = steps::named(call, outcome, &into).filter(|node| node.is_editable());
            Typing {
                field: node.map(Field::from_node),
                into: node
                    .and_then(|node| Selector::stable(node.screen(), node.index()))
                    .or(Some(into)),
                text: text.to_owned(),
                clear,
                secret: outcome.hidden.is_some() || node.is_some_and(|node| node.flags().password),
                hides_keyboard: false,
                readiness: Readiness::from_force(!is_plain("force")),
            }
        }
    };
    typing.secret |= !is_plain("secret");
    Some(Act::Type(typing))
}

/// Records an insertion as typing the whole content that the result reports, with `clear`. That needs no
/// offset. An empty content becomes an erase. For a password field, whose content nobody can read, it is a
/// comment; without a reported content, the tool's own step.
fn rewrite(call: &CallRecord<'_>, outcome: &Outcome, added: &str) -> Act {
    let content = outcome.value.get("text").and_then(Value::as_str);
    let added = text_arg(call, added).unwrap_or_default();
    match type_text(call, outcome, content.unwrap_or(added), true) {
        Some(typing) if typing.secret => Act::Unreported(format!(
            "{}: nobody can read what the password field held then",
            call.entry.name
        )),
        Some(Typing {
            into: Some(on),
            field: Some(field),
            text,
            readiness,
            ..
        }) if text.is_empty() => Act::Erase {
            on,
            field,
            force: readiness == Readiness::Forced,
        },
        Some(typing) if content.is_some() => Act::Type(typing),
        _ => own_step(call, outcome),
    }
}

/// Translates a call that empties a field. `None` if the field is not found or has no name.
fn erase(call: &CallRecord<'_>) -> Option<Act> {
    let node = field_of(call)?;
    Some(Act::Erase {
        on: Selector::stable(node.screen(), node.index())?,
        field: Field::from_node(node),
        force: was_disabled(call, node),
    })
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
