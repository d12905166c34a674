//! Explains keys that stand inside of a text: `- click: Save, index: 0` without braces, and a map without a
//! comma.

use runner_text::diagnostic::Diagnostic;
use runner_tools::StepSyntax;

use super::lines_of_error::{is_step, line_of, line_start};
use super::words_in_line;
use crate::foreign;
use crate::keys;
use crate::vocabulary::Vocabulary;

/// Keys whose value is any text, which may contain a word and a colon.
const WORDS: [&str; 9] = [
    "text",
    "desc",
    "hint",
    "contains",
    "ignore_case",
    "regex",
    "label",
    "message",
    "body",
];

/// Returns the step of an item and the rest of its line; `None` for other lines.
pub(super) fn step_and_value<'l>(
    line: &'l str,
    vocabulary: &Vocabulary,
) -> Option<(&'l str, &'l str)> {
    let (step, value) = line.trim().strip_prefix("- ")?.split_once(": ")?;
    is_step(step, vocabulary).then_some((step, value.trim()))
}

/// Returns the keys of a step's map, and the one that a plain value stands for; `None` for a step that takes no plain
/// value, and for unknown ones.
pub(super) fn keys_of<'v>(
    step: &str,
    vocabulary: &'v Vocabulary,
) -> Option<(Vec<&'v str>, &'static str)> {
    let selector = || vocabulary.properties(&vocabulary.selector);
    if step == "assert" {
        return Some((selector(), "text"));
    }
    if step == "snapshot" {
        return Some((vocabulary.properties(&vocabulary.snapshot), "name"));
    }
    let Some(tool) = vocabulary.tool(step) else {
        let inside = keys::inside_control(step);
        return Some((inside.to_vec(), *inside.first()?));
    };
    let mut known = vocabulary.properties(&tool.schema);
    let main = match tool.entry.writing {
        StepSyntax::Map => return None,
        StepSyntax::Scalar(name) | StepSyntax::Sequence(name) => name,
        StepSyntax::Element => {
            known.extend(selector());
            "text"
        }
    };
    Some((known, main))
}

/// Explains keys behind a step's plain value: `- click: Save, index: 0` is a map, and `- click: Save, timeout:
/// 5s` a step with a modifier. Returns `None` for other lines, also if any key is not known at the step.
pub(super) fn keys_behind_value(line: &str, vocabulary: &Vocabulary) -> Option<String> {
    let (step, value) = step_and_value(line, vocabulary)?;
    if value.starts_with(['{', '[', '|', '>']) {
        return None;
    }
    let (known, main) = keys_of(step, vocabulary)?;
    let behind = modifier_behind_blanks(step, value)
        .or_else(|| words_in_line::option_behind_words(step, value, &known, main));
    if behind.is_some() {
        return behind;
    }
    let mut parts = value.split(", ");
    let is_one = parts.next().is_some_and(|first| !first.contains(": "));
    let names: Option<Vec<&str>> = parts
        .map(|part| part.split_once(':').map(|(key, _)| key.trim()))
        .collect();
    let names = names.filter(|names| is_one && !names.is_empty())?;
    let is_option = |name: &&str| known.contains(name);
    let (own, others): (Vec<&str>, Vec<&str>) = names.into_iter().partition(is_option);
    if others.iter().any(|name| !keys::MODIFIERS.contains(name)) {
        return None;
    }
    let listed = |names: &[&str]| {
        let names = names.iter().map(|name| format!("{name}: …"));
        names.collect::<Vec<_>>()
    };
    let step = if own.is_empty() {
        format!("{step}: …")
    } else {
        format!("{step}: {{ {main}: …, {} }}", listed(&own).join(", "))
    };
    Some(match listed(&others).as_slice() {
        [] => format!("write `{step}`"),
        others => format!(
            "write `{step}`, and on a line of its own below it `{}`",
            others.join("` and `")
        ),
    })
}

/// Explains a map in braces behind words: `- swipe_across: down on { id: notes }`. Returns `None` for other lines, and
/// for words that do not say how both belong together.
pub(super) fn map_behind_words(line: &str, vocabulary: &Vocabulary) -> Option<String> {
    let (step, value) = step_and_value(line, vocabulary)?;
    let (words, map) = value.split_once(" {")?;
    let map = format!("{{{map}");
    if words.starts_with(['{', '[', '"', '\'', '$']) || map.find('}')? + 1 != map.len() {
        return None;
    }
    let (text, link) = words.rsplit_once(' ').unwrap_or((words, ""));
    let text = text.trim();
    let shown = foreign::yaml(text);
    let code = match (step, link) {
        ("swipe_across", _) if ["up", "down", "left", "right"].contains(&text) => {
            format!("swipe_across: {{ on: {map}, direction: {text} }}")
        }
        ("type", "into" | "in" | "to" | "on") => {
            format!("type: {{ into: {map}, text: {shown} }}")
        }
        ("scroll_to", "in" | "inside" | "within" | "of") => {
            format!("scroll_to: {{ text: {shown}, in: {map} }}")
        }
        ("drag", "to" | "onto" | "on") => format!("drag: {{ from: {shown}, to: {map} }}"),
        _ if ["on", "element", "the element", "button", "field"].contains(&words) => {
            format!("{step}: {map}")
        }
        (_, "in" | "inside" | "within" | "of" | "on") => {
            format!("{step}: {{ text: {shown}, inside: {map} }}")
        }
        (_, "below" | "above") => format!("{step}: {{ text: {shown}, {link}: {map} }}"),
        _ => return None,
    };
    let takes_element = keys_of(step, vocabulary).is_some_and(|(_, main)| main == "text");
    let is_gesture = ["swipe_across", "drag"].contains(&step);
    (takes_element || is_gesture).then(|| format!("write `{code}`"))
}

/// Explains a modifier behind a plain value and blanks alone: `- click: Sign in  optional: true`. Returns `None` for
/// other values.
fn modifier_behind_blanks(step: &str, value: &str) -> Option<String> {
    let (before, given) = value.split_once(": ")?;
    let (text, key) = before.trim_end().rsplit_once(' ')?;
    let is_plain = !text.contains([',', ':', '"', '\'']) && !given.contains(": ");
    (keys::MODIFIERS.contains(&key) && is_plain).then(|| {
        format!(
            "write `{step}: …`, and on a line of its own below it `{key}: {}`",
            given.trim()
        )
    })
}

/// Explains keys behind the map of a step: `- wait_for: { text: Done }, timeout: 5s`. A modifier goes on a line of
/// its own, an option of the step before the `}`. Only the first key counts. Returns `None` for other lines, and for
/// keys that the step does not know.
pub(super) fn keys_behind_map(line: &str, vocabulary: &Vocabulary) -> Option<String> {
    let text = line.trim().trim_start_matches("- ");
    let (step, value) = text.split_once(": ")?;
    let is_balanced = |text: &str| text.matches('{').count() == text.matches('}').count();
    let mut ends = value.match_indices("}, ").map(|(at, _)| at);
    let at = ends.find(|at| value.starts_with('{') && is_balanced(&value[..=*at]))?;
    let behind = &value[at + 3..];
    let (key, _) = behind.split_once(':')?;
    if keys::MODIFIERS.contains(&key) {
        return Some(format!(
            "write `{}` on a line of its own, in the column of `{step}`",
            behind.trim()
        ));
    }
    let (known, _) = keys_of(step, vocabulary)?;
    known
        .contains(&key)
        .then(|| format!("write `, {key}: …` before the `}}`"))
}

/// Explains a second step behind the value of a step: `- click: Save and assert visible: Saved` becomes two lines.
/// Between them there may be a comma, `;`, an arrow, `&&`, `and` or `then`; with blanks alone the advice tells of a text
/// too. Returns `None` for other lines.
pub(super) fn step_behind_value(line: &str, vocabulary: &Vocabulary) -> Option<String> {
    const BLOCKS: [&str; 8] = [
        "if", "repeat", "retry", "group", "set", "pause", "record", "find",
    ];
    let (step, value) = step_and_value(line, vocabulary)?;
    let (before, second_value) = value.rsplit_once(": ")?;
    let names = keys::step_names(vocabulary);
    let names = names.filter(|name| before.ends_with(&format!(" {name}")));
    let second = names.max_by_key(|name| name.len())?;
    let before = before.strip_suffix(second)?.trim_end();
    let links = [",", ";", " and", " then", " &&", " ->", " =>"];
    let mut first = before;
    while let Some(shorter) = links.iter().find_map(|link| first.strip_suffix(*link)) {
        first = shorter.trim_end();
    }
    let is_linked = first.len() < before.len();
    // `Allow if: …` and `Note group: 3` are no two steps.
    let is_second = is_linked || !BLOCKS.contains(&second);
    let is_plain = is_second && !first.is_empty() && !first.contains([':', '"', '{', '[']);
    let first = if is_linked || step != "type" {
        first
    } else {
        "…"
    };
    let more = if is_linked {
        ""
    } else {
        "; if all of it is text, quote it"
    };
    is_plain.then(|| {
        format!("write each step on a line of its own: `- {step}: {first}` and `- {second}: {second_value}`{more}")
    })
}

/// Explains a condition, a name or a value in one line with its key: `when: visible: Allow` and `- set: A: b` become
/// `when: { visible: … }` and `set: { A: … }`. Returns `None` for other lines.
pub(super) fn nested_key(line: &str) -> Option<String> {
    let text = line.trim().trim_start_matches("- ");
    let mut parts = text.splitn(3, ": ");
    let (first, second, _) = (parts.next()?, parts.next()?, parts.next()?);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_condition =
        ["when", "if", "while"].contains(&first) && ["visible", "not_visible"].contains(&second);
    let is_value = ["set", "env"].contains(&first) && second.chars().all(is_name);
    (is_condition || is_value).then(|| format!("write `{first}: {{ {second}: … }}`"))
}

/// Explains a semicolon between the keys of a map in braces. Returns `None` if the error is not at a semicolon, or no
/// brace or bracket stands before it.
pub(super) fn semicolon(diagnostic: &Diagnostic) -> Option<String> {
    let line = line_of(diagnostic);
    let column = diagnostic.span.start.checked_sub(line_start(diagnostic))?;
    let (before, after) = (line.get(..column)?, line.get(column..)?);
    let is_here = after.starts_with(';') || before.trim_end().ends_with(';');
    let count = |signs: [char; 2]| before.matches(signs).count();
    let (opened, closed) = (count(['{', '[']), count(['}', ']']));
    (is_here && opened > 0).then(|| {
        let help = if opened > closed {
            "write a comma in place of `;`"
        } else {
            "leave out the `;` at the end"
        };
        help.to_owned()
    })
}

/// Explains a key of a map in braces behind a value without a comma: `{ into: name text: Ada }`. Returns `None` if
/// the word at the error is neither a key of the step or of a selector nor a name in capital letters, or if no value
/// stands before it in braces.
pub(super) fn missing_comma(diagnostic: &Diagnostic, vocabulary: &Vocabulary) -> Option<String> {
    let line = line_of(diagnostic);
    let column = diagnostic.span.start.checked_sub(line_start(diagnostic))?;
    let (before, after) = (line.get(..column)?, line.get(column..)?);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // The error stands at the colon, or at the key behind a quote or bracket.
    let (before, key) = if after.starts_with(':') {
        before.split_at(before.trim_end_matches(is_word).len())
    } else {
        let end = after.find(|c: char| !is_word(c))?;
        let (key, rest) = after.split_at(end);
        (before, rest.starts_with(':').then_some(key)?)
    };
    let known = match step_and_value(line, vocabulary) {
        Some((step, _)) => {
            let tool = vocabulary.tool(step);
            let own = tool.map(|tool| vocabulary.properties(&tool.schema));
            let mut known = own.unwrap_or_default();
            known.extend(keys::inside_control(step));
            known
        }
        None => Vec::new(),
    };
    let is_known =
        known.contains(&key) || vocabulary.properties(&vocabulary.selector).contains(&key);
    // Names of `env` and `set` are in capital letters.
    let is_name = key.starts_with(|c: char| c.is_ascii_uppercase())
        && !key.contains(|c: char| c.is_ascii_lowercase());
    let value = before.trim_end();
    let is_behind_value = value.len() < before.len()
        && value.contains(['{', '['])
        && !value.ends_with(['{', '[', ',', ':']);
    if !(is_known || is_name) || !is_behind_value {
        return None;
    }
    if value.ends_with(';') {
        return Some("write a comma in place of `;`".to_owned());
    }
    let start = value.rfind(['{', ',']).map_or(0, |at| at + 1);
    let (outer, _) = value[start..].split_once(':').unwrap_or_default();
    let is_text = WORDS.contains(&outer.trim()) && !value.ends_with(['"', '\'', '}', ']']);
    let rest = if is_text {
        "if it belongs to the text, quote the text".to_owned()
    } else {
        format!("write `, {key}: …`")
    };
    Some(format!("a comma is missing before `{key}`; {rest}"))
}
