//! From a call of a device tool to what a flow says of it. What the [table](super::table) does not know stays the
//! tool's own step.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::CallRecord;
use super::act::{Act, Field, Start, ToolStep, Touch, Typing};
use super::locate::{self, element};
use super::table::{Kind, kind, may_change};
use super::words::{self, Property};
use super::{gesture, scrolling, steps};
use runner_device::Key;
use runner_engine::{Readiness, is_disabled};
use runner_screen::{Node, Point, Selector};
use runner_tools::{Outcome, Verdict};

/// What a call did; nothing where it failed or only looked.
pub(super) fn acts(acquired: &CallRecord<'_>) -> Vec<Act> {
    let Ok(outcome) = acquired.outcome else {
        return Vec::new();
    };
    if outcome.verdict != Verdict::Passed {
        return Vec::new();
    }
    let Some(kind) = kind(acquired.entry) else {
        return if may_change(acquired.entry) {
            vec![own_step(acquired, outcome)]
        } else {
            Vec::new()
        };
    };
    let own = || vec![own_step(acquired, outcome)];
    match kind {
        Kind::Touch(how) => vec![touch(acquired, outcome, how)],
        Kind::Hold => vec![touch(
            acquired,
            outcome,
            Touch::LongClick(hold_duration(acquired)),
        )],
        Kind::Focus => focus(acquired).map_or_else(own, |act| vec![act]),
        Kind::Type {
            text,
            clear,
            hides_keyboard,
        } => {
            let clear = acquired.args.get(clear).and_then(Value::as_bool);
            let Some(text) = text_arg(acquired, text) else {
                return own();
            };
            let typed = type_text(acquired, outcome, text, clear.unwrap_or(false));
            typed.map_or_else(own, |typed| {
                vec![Act::Type(Typing {
                    hides_keyboard,
                    ..typed
                })]
            })
        }
        Kind::TypeHere => type_here(acquired, outcome).map_or_else(own, |act| vec![act]),
        Kind::Rewrite(text) => vec![rewrite(acquired, outcome, text)],
        Kind::Erase => erase(acquired).map_or_else(own, |act| vec![act]),
        Kind::Key(name) => key(acquired, name).map_or_else(own, |act| vec![act]),
        Kind::Word(word) => vec![Act::Word(word)],
        Kind::Launch { package, start } => {
            launched(acquired, outcome, package, start).map_or_else(own, |act| vec![act])
        }
        Kind::LaunchStep => steps::launch(acquired).map_or_else(own, |act| vec![act]),
        Kind::TouchStep(how) => {
            steps::touch(acquired, outcome, how).map_or_else(own, |act| vec![act])
        }
        Kind::Scroll(path) => {
            let raw = raw(acquired, outcome);
            vec![scrolling::act(acquired, path, raw).unwrap_or_else(|| own_step(acquired, outcome))]
        }
        Kind::ScrollTo => {
            scrolling::to_element(acquired, outcome).map_or_else(own, |act| vec![act])
        }
        Kind::Gesture => {
            let before = acquired.before.as_deref();
            let act =
                before.and_then(|screen| gesture::of(acquired.entry.name, acquired.args, screen));
            act.map_or_else(own, |act| vec![act])
        }
        Kind::Pause => vec![Act::Pause(raw(acquired, outcome))],
        Kind::WaitFor => wait_for(acquired).map_or_else(own, |act| vec![act]),
        Kind::Check => vec![check(acquired, outcome)],
        Kind::Expect { visible } => expect(acquired, visible).unwrap_or_else(own),
        Kind::Video(action) => vec![Act::Raw(ToolStep {
            name: "record",
            value_optional: false,
            args: json!({ "action": action }),
            hidden: None,
        })],
    }
}

fn text_arg<'a>(acquired: &'a CallRecord<'_>, name: &str) -> Option<&'a str> {
    acquired.args.get(name)?.as_str()
}

/// What the call itself says nobody may read.
fn declared_secret(args: &Value) -> Option<String> {
    let is_secret = args.get("secret").is_some_and(|secret| *secret == true);
    let text = args.get("text").filter(|_| is_secret)?;
    text.as_str().map(str::to_owned)
}

fn raw(acquired: &CallRecord<'_>, outcome: &Outcome) -> ToolStep {
    let hidden = outcome.hidden.clone();
    let hidden = hidden.or_else(|| declared_secret(acquired.args));
    let mut args = acquired.args.clone();
    // Whoever runs the flow may not read it either.
    if acquired.entry.name == "type" && hidden.is_some() {
        args["secret"] = json!(true);
    }
    ToolStep {
        name: acquired.entry.name,
        value_optional: acquired.entry.value_optional,
        args,
        hidden,
    }
}

/// The tool itself as a step. An id that holds an element's place means nothing in another run.
fn own_step(acquired: &CallRecord<'_>, outcome: &Outcome) -> Act {
    let names_place = |value: &Value| value.as_str().is_some_and(|v| v.starts_with("node_"));
    let args = acquired.args.as_object();
    if args.is_some_and(|args| args.values().any(names_place)) {
        return Act::Unreported(format!(
            "{}: the element it acted on has no name that lasts",
            acquired.entry.name
        ));
    }
    Act::Raw(raw(acquired, outcome))
}

/// Whether what takes the touch was disabled when it was touched: a step waits for it unless it is forced. A screen that
/// was read afterwards says nothing of that.
fn was_disabled(acquired: &CallRecord<'_>, target: Node<'_>) -> bool {
    let before = acquired.before.as_deref();
    before.is_some_and(|before| std::ptr::eq(before, target.screen())) && is_disabled(target)
}

fn hold_duration(acquired: &CallRecord<'_>) -> Duration {
    let millis = acquired.args.get("duration").and_then(Value::as_f64);
    Duration::from_millis(millis.map_or(1000, |millis| millis as u64))
}

fn touch(acquired: &CallRecord<'_>, outcome: &Outcome, how: Touch) -> Act {
    let point = acquired.number("x").zip(acquired.number("y"));
    let point = point.map(|(x, y)| Point { x, y });
    let node = match point {
        Some(point) => acquired
            .before
            .as_deref()
            .and_then(|screen| locate::touched(screen, point)),
        None => element(acquired, |node| node.flags().clickable),
    };
    let named = node.and_then(|node| {
        let target = locate::target(node, matches!(how, Touch::LongClick(_)));
        touched(node, how, was_disabled(acquired, target))
    });
    if let Some(act) = named {
        return act;
    }
    let place = outcome.bounds.map(|bounds| bounds.center()).or(point);
    place.map_or_else(
        || own_step(acquired, outcome),
        |place| Act::Raw(raw_touch(how, place)),
    )
}

/// A touch at a place.
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

/// A touch on this element.
pub(super) fn touched(node: Node<'_>, how: Touch, force: bool) -> Option<Act> {
    let on = locate::touch_selector(node, matches!(how, Touch::LongClick(_)))?;
    Some(match (how, bar_key(node)) {
        (Touch::Click, Some(word)) => Act::Word(word),
        _ => Act::Touch {
            how,
            on,
            field: gives_focus(node).then(|| Field::of(node)),
            force,
        },
    })
}

/// Whether a touch of the field only prepares it for text. One that has the focus already is touched to show the keyboard,
/// which no later step does.
fn gives_focus(node: Node<'_>) -> bool {
    let shows_keyboard = node.flags().focused && !node.screen().keyboard_shown();
    node.is_editable() && !shows_keyboard
}

/// The navigation bar's buttons are keys; another device has gestures in their place.
fn bar_key(node: Node<'_>) -> Option<&'static str> {
    match node.resource_id() {
        "com.android.systemui:id/back" => Some("back"),
        "com.android.systemui:id/home" => Some("home"),
        _ => None,
    }
}

fn takes_text(node: Node<'_>) -> bool {
    node.is_editable()
}

fn field_of<'a>(acquired: &'a CallRecord<'_>) -> Option<Node<'a>> {
    element(acquired, takes_text)
}

fn focus(acquired: &CallRecord<'_>) -> Option<Act> {
    let node = field_of(acquired).filter(|node| node.is_editable())?;
    Some(Act::Touch {
        how: Touch::Click,
        on: locate::touch_selector(node, false)?,
        field: Some(Field::of(node)),
        force: was_disabled(acquired, locate::target(node, false)),
    })
}

fn type_text(
    acquired: &CallRecord<'_>,
    outcome: &Outcome,
    text: &str,
    clear: bool,
) -> Option<Typing> {
    let node = field_of(acquired)?;
    Some(Typing {
        into: Some(Selector::stable(node.screen(), node.index())?),
        field: Some(Field::of(node)),
        text: text.to_owned(),
        clear,
        secret: outcome.hidden.is_some() || node.flags().password,
        hides_keyboard: false,
        readiness: Readiness::from_force(was_disabled(acquired, node)),
    })
}

/// Text for the field that the step `type` names, or the one with the focus; `None` where a key each was asked for.
fn type_here(acquired: &CallRecord<'_>, outcome: &Outcome) -> Option<Act> {
    let is_plain = |name: &str| acquired.args.get(name).is_none_or(|value| value == false);
    if !is_plain("keys") {
        return None;
    }
    let (text, clear) = (text_arg(acquired, "text")?, !is_plain("clear"));
    let named = acquired.args.get("into").filter(|into| !into.is_null());
    let mut typing = match named {
        None => type_text(acquired, outcome, text, clear)?,
        Some(into) => {
            let into = Selector::from_value(into).ok()?;
            let node = steps::named(acquired, outcome, &into).filter(|node| node.is_editable());
            Typing {
                field: node.map(Field::of),
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

/// What the field holds in the end says as much, and needs no offset.
fn rewrite(acquired: &CallRecord<'_>, outcome: &Outcome, added: &str) -> Act {
    let content = outcome.value.get("text").and_then(Value::as_str);
    let added = text_arg(acquired, added).unwrap_or_default();
    match type_text(acquired, outcome, content.unwrap_or(added), true) {
        Some(typing) if typing.secret => Act::Unreported(format!(
            "{}: nobody can read what the password field held then",
            acquired.entry.name
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
        _ => own_step(acquired, outcome),
    }
}

fn erase(acquired: &CallRecord<'_>) -> Option<Act> {
    let node = field_of(acquired)?;
    Some(Act::Erase {
        on: Selector::stable(node.screen(), node.index())?,
        field: Field::of(node),
        force: was_disabled(acquired, node),
    })
}

fn key(acquired: &CallRecord<'_>, arg: &str) -> Option<Act> {
    let name = match acquired.args.get(arg)? {
        Value::String(name) => name.clone(),
        other => other.to_string(),
    };
    let key: Key = name.parse().ok()?;
    if acquired.args.get("long").is_some_and(|long| long == true) {
        return None;
    }
    let times = acquired.args.get("times").and_then(Value::as_u64);
    let times = times.map_or(Some(1), |times| u32::try_from(times).ok())?;
    match key.name() {
        "BACK" | "4" if times == 1 => Some(Act::Word("back")),
        "HOME" | "3" if times == 1 => Some(Act::Word("home")),
        // Here the tool types the character, and the key would move the focus.
        "TAB" if acquired.entry.name == "press_key" => None,
        name => Some(Act::Key {
            name: name.to_owned(),
            times,
        }),
    }
}

/// The package that was asked for, or the one that the tool says it opened.
fn launched(acquired: &CallRecord<'_>, outcome: &Outcome, arg: &str, start: Start) -> Option<Act> {
    let message = outcome.value.get(arg).and_then(Value::as_str);
    let package = message.or_else(|| text_arg(acquired, arg))?;
    // Some tools also take an app's name, and a flow needs its package.
    package.contains('.').then(|| Act::Launch {
        app: package.to_owned(),
        start,
        options: Map::new(),
    })
}

fn wait_for(acquired: &CallRecord<'_>) -> Option<Act> {
    let property = Property::of_by(text_arg(acquired, "by")?)?;
    let screen = acquired.after.as_deref()?;
    let on = words::found(screen, &[property], text_arg(acquired, "value")?)?;
    let limit = acquired.args.get("timeout").and_then(Value::as_u64);
    Some(Act::Wait {
        on,
        limit: limit.map(Duration::from_millis),
    })
}

/// A step of the flow language that only looks, as it was written.
fn check(acquired: &CallRecord<'_>, outcome: &Outcome) -> Act {
    let on = acquired.args.get("on");
    let count = acquired.args.get("count");
    let is_gone = acquired.args.get("gone").is_some_and(|gone| *gone == true);
    let selector = on.and_then(|on| serde_json::from_value::<Selector>(on.clone()).ok());
    match (acquired.entry.name, selector) {
        ("wait_for", Some(on)) if !is_gone => Act::Wait {
            on,
            limit: acquired.limit,
        },
        ("assert visible", Some(on)) => Act::Expect { on, visible: true },
        ("assert not visible", Some(on)) => Act::Expect { on, visible: false },
        ("assert", Some(_)) => {
            // The step has no key for its element: what locates it and what is expected of it stand side by side.
            let mut value = match on {
                Some(Value::String(words)) if count.is_some() => json!({ "text": words }),
                other => json!(other),
            };
            if let Some(count) = count {
                value["count"] = count.clone();
            }
            Act::Raw(ToolStep {
                args: value,
                ..raw(acquired, outcome)
            })
        }
        _ => own_step(acquired, outcome),
    }
}

fn expect(acquired: &CallRecord<'_>, visible: bool) -> Option<Vec<Act>> {
    let text = text_arg(acquired, "text")?;
    let kind = text_arg(acquired, "selectorType").unwrap_or("any");
    let properties = Property::of_selector_type(kind);
    let expected = |on| Act::Expect { on, visible };
    if visible {
        let on = words::found(acquired.after.as_deref()?, properties, text)?;
        return Some(vec![expected(on)]);
    }
    let absent = words::absent(properties, text);
    (!absent.is_empty()).then(|| absent.into_iter().map(expected).collect())
}
