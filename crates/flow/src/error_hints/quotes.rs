//! Explains words behind a text that is at its end: `- type: "ada": secret`, `- click: "Save" index: 1`.

use serde_json::Value;

use super::joined_keys::{keys_of, step_and_value};
use crate::check::types;
use crate::keys;
use crate::vocabulary::Vocabulary;

/// Explains an option or a modifier behind the quoted text of a step, or behind a colon after its plain text. No text is
/// quoted, because it may be a secret. Returns `None` for other lines, and for a text with a quote too many.
pub(super) fn behind_text(line: &str, vocabulary: &Vocabulary) -> Option<String> {
    let (step, value) = step_and_value(line, vocabulary)?;
    let (known, main) = keys_of(step, vocabulary)?;
    let (is_quoted, rest) = match behind_quote(value) {
        Some(rest) => (true, rest),
        None => (false, value.split_once(": ")?.1),
    };
    let words = rest.trim_start_matches([':', ',', ' ']);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = words.find(|c: char| !is_word(c)).unwrap_or(words.len());
    let (key, after) = words.split_at(end);
    let is_switch = is_answer(step, key, vocabulary);
    let given = match after.strip_prefix(": ").map(str::trim) {
        Some(given) if is_quoted && !given.is_empty() && !given.contains(": ") => Some(given),
        None if after.trim().is_empty() && is_switch => Some("true"),
        _ => None,
    };
    let is_field = words.starts_with(['"', '\'']) || ["into", "in", "on", "to"].contains(&key);
    match given {
        Some(given) if keys::MODIFIERS.contains(&key) => Some(format!(
            "write `{step}: …`, and on a line of its own below it `{key}: {given}`"
        )),
        Some(given) if known.contains(&key) || is_switch => {
            Some(format!("write `{step}: {{ {main}: …, {key}: {given} }}`"))
        }
        _ if is_quoted && step == "type" && is_field => {
            Some("write `type: { into: …, text: … }`".to_owned())
        }
        _ if is_quoted && rest.starts_with(':') => Some(format!(
            "behind a quoted text nothing may stand: what else `{step}` takes stands in braces, as `{step}: {{ {main}: …, … }}`"
        )),
        _ => None,
    }
}

/// Returns what stands behind the quoted text that a value begins with; `None` for a value that begins with no quote,
/// and if another quote or a letter follows at once, as in `"Say "hello""`.
fn behind_quote(value: &str) -> Option<&str> {
    let quote = value.chars().next().filter(|c| ['"', '\''].contains(c))?;
    let mut before = ' ';
    for (at, c) in value.char_indices().skip(1) {
        if c == quote && before != '\\' {
            let rest = &value[at + 1..];
            return rest.starts_with([':', ',', ' ']).then_some(rest);
        }
        before = c;
    }
    None
}

/// Returns true for an option of the step, or a modifier, that takes `true` or `false`. `secret` of `type` counts as
/// one.
fn is_answer(step: &str, key: &str, vocabulary: &Vocabulary) -> bool {
    let of_tool = || {
        let schema = vocabulary.resolve(&vocabulary.tool(step)?.schema);
        let option = schema.get("properties")?.get(key)?;
        let forms = vocabulary.alternatives(option);
        let is_boolean = |form: &&Value| types(form).is_some_and(|it| it.contains(&"boolean"));
        Some(forms.iter().any(is_boolean))
    };
    let is_modifier = keys::modifiers()["properties"][key]["type"] == "boolean";
    is_modifier || step == "type" && key == "secret" || of_tool() == Some(true)
}

#[cfg(test)]
mod tests {
    use super::behind_quote;

    #[test]
    fn the_end_of_a_quoted_text_is_its_second_quote() {
        for (value, rest) in [
            ("\"ada\": secret", Some(": secret")),
            ("'Sign in' now", Some(" now")),
            ("\"a \\\" b\", index: 1", Some(", index: 1")),
            ("\"Say \"hello\"\"", None),
            ("\"ada", None),
            ("ada: secret", None),
        ] {
            assert_eq!(behind_quote(value), rest, "{value}");
        }
    }
}
