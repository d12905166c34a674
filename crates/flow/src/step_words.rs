//! Finds texts of steps that are a sentence: an element with how often, how long or when, and words for a place.

use std::sync::LazyLock;

use regex::Regex;
use runner_text::diagnostic::Code;

use super::foreign;
use super::foreign_text::regex;
use super::step_finding::{StepFinding, entry, finding};
use super::step_slips::{shown, wrong};
use super::yaml::{Node, NodeKind};

/// Message about a text that stands for itself.
const JUST_THIS: &str = "this looks for an element with just this text";
/// Message about a text that is typed as it stands.
const TYPES_ALL: &str = "this types all of it into the field that has the focus";

/// Returns the first finding about a value that says more than which element is meant, such as `click: Save twice`,
/// or names nothing; `None` for all other values and steps. It is a warning or, by its code, an error.
pub(crate) fn check<'n>(step: &str, value: &'n Node) -> Option<StepFinding<'n>> {
    const ON_ELEMENTS: [&str; 6] = [
        "click",
        "double_click",
        "long_click",
        "wait_for",
        "find",
        "scroll_to",
    ];
    let of_step = match step {
        "click" | "double_click" => told(value, JUST_THIS, clicked),
        "wait_for" => told(value, JUST_THIS, awaited),
        "swipe_across" => told(value, "a swipe has a direction, or two places", swiped)
            .map(|found| wrong(Code::UnknownValue, found)),
        "type" => nothing_typed(value).or_else(|| told(value, TYPES_ALL, typed)),
        "open_link" => nowhere(entry(value, "link").unwrap_or(value)),
        "set_device" => nothing_set(value),
        "scroll_to" => without_element(value),
        _ => None,
    };
    if of_step.is_some() || !ON_ELEMENTS.contains(&step) {
        return of_step;
    }
    told(value, JUST_THIS, conditional).or_else(|| seen(step, value))
}

/// Returns a warning with `message` and the advice of `advise` for a text; `None` without advice, for a text with
/// `${…}`, and for lists and maps.
fn told<'n>(
    value: &'n Node,
    message: &str,
    advise: fn(&str) -> Option<String>,
) -> Option<StepFinding<'n>> {
    let text = value.scalar()?.text.as_str();
    let help = advise(text).filter(|_| !text.contains("${"))?;
    Some(finding(value, message, &help))
}

/// Adds to advice how to look for the text as it stands.
fn or_shown(help: &str) -> String {
    format!("{help}; where the app shows just this, write `{{ text: … }}`")
}

/// Returns advice for a click with how often or how long in its text, and for words for a place or an element, such
/// as `center`, `first` and `the Save button`; `None` for other texts. Twice becomes `double_click`.
fn clicked(text: &str) -> Option<String> {
    static TIMES: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(.+?) (?:(twice)|(\d{1,3}) times|x(\d{1,3}))$"));
    static HELD: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(.+) for (\d+(?:\.\d+)?) ?(ms|s|secs?|seconds?)$"));
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"^the ["']?(.+?)["']? (?:button|link|field|tab|icon|checkbox|switch|item)$"#)
    });
    let help = match text {
        "center" | "centre" | "middle" => {
            "write `click: { at: { x: 50%, y: 50% } }` for the middle of the screen".to_owned()
        }
        "first" => "write `{ id: …, index: 0 }` for the first of several".to_owned(),
        "last" => "write `{ id: …, index: -1 }` for the last of several".to_owned(),
        _ => {
            if let Some(found) = HELD.captures(text) {
                let unit = if &found[3] == "ms" { "ms" } else { "s" };
                let shown = foreign::yaml(&found[1]);
                format!(
                    "write `long_click: {{ text: {shown}, duration: {}{unit} }}`",
                    &found[2]
                )
            } else if let Some(found) = TIMES.captures(text) {
                let shown = foreign::yaml(&found[1]);
                let times = found.get(3).or(found.get(4)).map_or("2", |it| it.as_str());
                if times == "2" {
                    format!("write `double_click: {shown}`")
                } else {
                    format!("write `repeat: {{ times: {times}, steps: [ click: {shown} ] }}`")
                }
            } else {
                let found = NAMED.captures(text)?;
                format!("write the text alone: `{}`", foreign::yaml(&found[1]))
            }
        }
    };
    Some(or_shown(&help))
}

/// Returns advice for a wait with its limit in the text, `Done 10s`, and for one for nothing that a screen shows,
/// such as `network`; `None` for other texts. Text with ` in ` is not taken for a limit.
fn awaited(text: &str) -> Option<String> {
    static LIMITED: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(.+?),? (?:for |max |timeout )?(\d+) ?(ms|s|secs?|seconds?)$"));
    const REST: [&str; 13] = [
        "networkidle",
        "network idle",
        "domcontentloaded",
        "idle",
        "animation",
        "animations",
        "network",
        "page",
        "page load",
        "load",
        "loading",
        "screen",
        "app",
    ];
    if REST.contains(&text) {
        return Some(or_shown("write `wait_for_idle` until the screen rests"));
    }
    let is_other = text.contains(" in ") || foreign::is_time(text);
    let found = LIMITED.captures(text).filter(|_| !is_other)?;
    let unit = if &found[3] == "ms" { "ms" } else { "s" };
    Some(or_shown(&format!(
        "write `wait_for: {}`, and below it, in the column of `wait_for`, `timeout: {}{unit}`",
        foreign::yaml(&found[1]),
        &found[2]
    )))
}

/// Returns advice for the two ends of a swipe in one text, `90%,50% to 10%,50%`, for how often, `up 3`, and for its
/// element, `up on the list`; `None` for other texts, such as a direction alone.
fn swiped(text: &str) -> Option<String> {
    static ENDS: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^\(?(\d+%?), ?(\d+%?)\)?(?: ?to ?| ?=?-?> ?|, ?| )\(?(\d+%?), ?(\d+%?)\)?$")
    });
    static AGAIN: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(up|down|left|right),? (?:x ?)?(\d{1,2})(?: ?x| times)?$"));
    static ON: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"^(up|down|left|right) (?:on|in|over|across) (?:the )?["']?(.+?)["']?$"#)
    });
    if let Some(found) = AGAIN.captures(text) {
        return Some(format!(
            "write `repeat: {{ times: {}, steps: [ swipe_across: {} ] }}`",
            &found[2], &found[1]
        ));
    }
    if let Some(found) = ON.captures(text) {
        return Some(format!(
            "write `swipe_across: {{ on: {}, direction: {} }}`",
            field_named(&found[2]),
            &found[1]
        ));
    }
    let found = ENDS.captures(text)?;
    Some(format!(
        "write `swipe_across: {{ from: {{ x: {}, y: {} }}, to: {{ x: {}, y: {} }} }}`",
        &found[1], &found[2], &found[3], &found[4]
    ))
}

/// Returns advice for a text that begins with the usual name of a field, `username, ada`, or is a quoted text with a
/// field behind it, `"ada" into username`; `None` for others. It does not quote what is typed.
fn typed(text: &str) -> Option<String> {
    static FIELD: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^(user_?name|user|login|pass_?word|e?mail|phone|pin|field)(?:, ?| ?= ?)\S.*$")
    });
    // What is typed is in quotes, which YAML has not read: `"ada" into username`.
    static INTO: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"^(?:"[^"]*"|'[^']*') (?:into|in|to|on) (?:the )?(.+?)(?: field| input| box)?$"#)
    });
    let field = match (FIELD.captures(text), INTO.captures(text)) {
        (Some(found), _) => found[1].to_owned(),
        (None, Some(found)) => field_named(found[1].trim_matches(['"', '\''])),
        (None, None) => return None,
    };
    Some(format!("write `type: {{ into: {field}, text: … }}`"))
}

/// Returns the shortest selector that a word probably means: an id in lower case, or else a text.
pub(crate) fn field_named(text: &str) -> String {
    let is_id = text
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_id {
        format!("{{ id: {text} }}")
    } else {
        foreign::yaml(text)
    }
}

/// Returns advice for a step with its condition in the text: `Allow if visible`, `Allow if any`; `None` for other
/// texts.
fn conditional(text: &str) -> Option<String> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(.+?) (?:(?:if|when) (?:it is |it's )?(?:visible|displayed|shown|present|there|it exists|exists)|if any|unless (?:gone|hidden|invisible))$",
        )
    });
    let found = FORM.captures(text)?;
    let shown = foreign::yaml(&found[1]);
    Some(or_shown(&format!(
        "write `{shown}` alone, and below it, in the column of the step, `when: {{ visible: {shown} }}`"
    )))
}

/// Returns the error about an element in a single key that says that it is there, or for `wait_for` that it is not:
/// `wait_for: { visible: Done }`. Returns `None` for other keys, and for a boolean or no value.
fn seen<'n>(step: &str, value: &'n Node) -> Option<StepFinding<'n>> {
    const SEEN: [&str; 8] = [
        "visible",
        "displayed",
        "exists",
        "present",
        "shown",
        "isvisible",
        "appears",
        "element_visible",
    ];
    const GONE: [&str; 8] = [
        "not_visible",
        "notVisible",
        "hidden",
        "invisible",
        "disappears",
        "absent",
        "not_exists",
        "notExists",
    ];
    let [(key, node)] = value.entries() else {
        return None;
    };
    let is_answer = node.is_missing() || node.scalar().is_some_and(|it| it.boolean().is_some());
    // `scroll_to` has an option of this name.
    let is_seen = SEEN.contains(&key.text.as_str()) && step != "scroll_to";
    let is_gone = GONE.contains(&key.text.as_str()) && step == "wait_for";
    if is_answer || !(is_seen || is_gone) {
        return None;
    }
    let element = shown(node);
    let help = match &node.kind {
        _ if is_seen => format!("write `{step}: {element}`"),
        NodeKind::Map(_) => {
            let inside = element.trim_matches(['{', '}', ' ']);
            format!("write `wait_for: {{ {inside}, gone: true }}`")
        }
        _ => format!("write `wait_for: {{ text: {element}, gone: true }}`"),
    };
    let message = format!("`{}` is no key of `{step}`", key.text);
    Some(wrong(Code::UnknownKey, finding(node, &message, &help)))
}

/// Returns the warning about an empty text in quotes to be typed; `None` for other texts and beside `clear`.
fn nothing_typed(value: &Node) -> Option<StepFinding<'_>> {
    let text = entry(value, "text").unwrap_or(value);
    let is_cleared = entry(value, "clear").is_some();
    let help = "write the text; `erase: …` empties a field";
    (is_empty(text) && !is_cleared).then(|| finding(text, "this types nothing", help))
}

/// Returns the error about an empty link in quotes; `None` for others.
fn nowhere(link: &Node) -> Option<StepFinding<'_>> {
    let help = "write a link, such as `open_link: https://example.com`";
    is_empty(link).then(|| wrong(Code::Argument, finding(link, "this link is empty", help)))
}

/// Returns the warning about an empty map of settings; `None` for all else, also for no value.
fn nothing_set(value: &Node) -> Option<StepFinding<'_>> {
    let is_nothing = matches!(&value.kind, NodeKind::Map(entries) if entries.is_empty());
    let help = "write a setting, such as `set_device: { dark: true }`, or take the step out";
    is_nothing.then(|| finding(value, "this sets nothing", help))
}

/// Returns advice for a scroll with a direction, and perhaps how often or how far, in place of what is to be seen:
/// `down`, `down 3`, `up twice`. Returns `None` for other texts.
pub(crate) fn scrolled(text: &str) -> Option<String> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(up|down|left|right)(?:,? (?:by |x ?)?(?:(\d{1,2})(?: ?x| times)?|(twice)|\d.*|once|again|more|a (?:bit|little)|(?:to|until) .*))?$",
        )
    });
    let text = text.to_lowercase();
    let found = FORM.captures(&text)?;
    let (direction, swipe) = match &found[1] {
        "up" => ("up", "down"),
        "left" => ("left", "right"),
        "right" => ("right", "left"),
        _ => ("down", "up"),
    };
    let times = found.get(2).map(|it| it.as_str());
    let times = times.or_else(|| found.get(3).map(|_| "2"));
    let once = format!("`swipe_across: {swipe}` to move once");
    let moved = times.map_or(once, |times| {
        format!("`repeat: {{ times: {times}, steps: [ swipe_across: {swipe} ] }}`")
    });
    Some(format!(
        "write `scroll_to: {{ text: …, direction: {direction} }}` with what is to be seen, or {moved}"
    ))
}

/// Returns the finding about a `scroll_to` that says how to scroll and not to what: a warning for texts such as `500`
/// and `the bottom`, an error for a map such as `{ direction: down }`. Returns `None` for all others.
fn without_element(value: &Node) -> Option<StepFinding<'_>> {
    static END: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(?:the )?(top|bottom|end)(?: of (?:the )?\w+)?$|^\d+(?:px)?$"));
    let help = |direction: &str, swipe: &str| {
        format!(
            "write `scroll_to: {{ text: …, direction: {direction} }}` with what is to be seen, or `swipe_across: {swipe}` to move once"
        )
    };
    let message = "this names nothing that is to be seen";
    if let Some(text) = value.scalar() {
        let found = END.captures(&text.text)?;
        let is_top = found.get(1).is_some_and(|end| end.as_str() == "top");
        let help = if is_top {
            help("up", "down")
        } else {
            help("down", "up")
        };
        return Some(finding(value, message, &or_shown(&help)));
    }
    let only = value.entries();
    let options = ["direction", "max", "visible", "center"];
    let is_only = !only.is_empty()
        && only
            .iter()
            .all(|(key, value)| options.contains(&key.text.as_str()) && !value.is_missing());
    let direction = entry(value, "direction").and_then(Node::scalar);
    let (direction, swipe) = match direction.map(|it| it.text.as_str()) {
        Some("up") => ("up", "down"),
        Some("left") => ("left", "right"),
        Some("right") => ("right", "left"),
        _ => ("down", "up"),
    };
    is_only.then(|| {
        wrong(
            Code::MissingKey,
            finding(value, message, &help(direction, swipe)),
        )
    })
}

/// Returns true for an empty text in quotes. A missing value is none.
fn is_empty(node: &Node) -> bool {
    node.scalar()
        .is_some_and(|text| text.text.is_empty() && !text.plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_about_an_element_are_told_from_texts_of_an_app() {
        for (advise, text, ours) in [
            (
                clicked as fn(&str) -> Option<String>,
                "Save twice",
                "`double_click: Save`",
            ),
            (clicked, "Next 3 times", "repeat: { times: 3"),
            (
                clicked,
                "Save for 2s",
                "`long_click: { text: Save, duration: 2s }`",
            ),
            (clicked, "the Save button", "`Save`"),
            (clicked, "center", "at: { x: 50%"),
            (awaited, "Done 10s", "`timeout: 10s`"),
            (awaited, "idle", "`wait_for_idle`"),
            (swiped, "90%,50% to 10%,50%", "to: { x: 10%, y: 50% }"),
            (swiped, "up 3", "times: 3, steps: [ swipe_across: up ]"),
            (typed, "username, ada", "into: username"),
            (
                conditional,
                "Allow if visible",
                "`when: { visible: Allow }`",
            ),
        ] {
            let told = advise(text).unwrap_or_default();
            assert!(told.contains(ours), "{text}: {told}");
        }
        for shown in [
            "Save",
            "Twice",
            "Center",
            "First",
            "Play button",
            "Wait for me",
            "Resend in 10s",
            "Idle",
            "10, 20",
            "name, street",
            "Visible if shared",
        ] {
            for advise in [clicked, awaited, swiped, typed, conditional] {
                assert_eq!(advise(shown), None, "{shown}");
            }
        }
    }
}
