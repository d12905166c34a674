//! Translates calls that type into a field, change it or give it the focus.

use serde_json::Value;

use super::act::{Act, Field, Touch, Typing};
use super::call_record::CallRecord;
use super::locate::{self, element};
use super::own_step::{own_step, text_arg};
use super::steps;
use super::touch::gives_focus;
use super::touch_call::{touch, was_disabled};
use runner_engine::Readiness;
use runner_screen::{Node, Selector};
use runner_tools::Outcome;

fn takes_text(node: Node<'_>) -> bool {
    node.is_editable()
}

fn field_of<'a>(call: &'a CallRecord<'_>) -> Option<Node<'a>> {
    element(call, takes_text)
}

/// Translates a call that focuses a field, as a click on it. `None` if no field or name is found.
pub(super) fn focus(call: &CallRecord<'_>) -> Option<Act> {
    let node = field_of(call).filter(|node| node.is_editable())?;
    Some(Act::Touch {
        how: Touch::Click,
        on: locate::touch_selector(node, false)?,
        field: Some(Field::from_node(node)),
        force: was_disabled(call, locate::target(node, false)),
    })
}

/// Translates the click of a tool on the field into which it types, if that had the focus and no keyboard was shown:
/// the click shows it, which typing alone does not. `None` otherwise, as typing gives the focus.
pub(super) fn click_for_keyboard(call: &CallRecord<'_>, outcome: &Outcome) -> Option<Act> {
    let node = field_of(call).filter(|node| node.is_editable() && !gives_focus(*node))?;
    let is_before = call.before.as_deref();
    let is_before = is_before.is_some_and(|before| std::ptr::eq(before, node.screen()));
    is_before.then(|| touch(call, outcome, Touch::Click))
}

/// Translates text that went into a field. It is a secret if the tool hid it or the field is one for passwords.
/// `None` if the field is not found or has no name.
pub(super) fn type_text(
    call: &CallRecord<'_>,
    outcome: &Outcome,
    text: &str,
    clear: bool,
) -> Option<Typing> {
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
pub(super) fn type_here(call: &CallRecord<'_>, outcome: &Outcome) -> Option<Act> {
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
pub(super) fn rewrite(call: &CallRecord<'_>, outcome: &Outcome, added: &str) -> Act {
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
pub(super) fn erase(call: &CallRecord<'_>) -> Option<Act> {
    let node = field_of(call)?;
    Some(Act::Erase {
        on: Selector::stable(node.screen(), node.index())?,
        field: Field::from_node(node),
        force: was_disabled(call, node),
    })
}
