//! Explains words and signs in a line that YAML takes for a part of a text or a tag: an option behind a value, a
//! selector without braces, a denied claim, a sign in place of a colon in the header.

use std::sync::LazyLock;

use regex::Regex;
use runner_text::diagnostic::Diagnostic;

use super::lines_of_error::{line_above, line_of};
use crate::foreign;
use crate::foreign_text::regex;
use crate::step_words::field_named;

/// Explains an option behind a plain value and blanks alone: `- type: ada into: username`. `known` are the keys of the
/// step's map, and `main` is the one of the value. What is typed is not quoted, because it may be a secret. Returns `None`
/// for other values, and for words that a text may end with, such as `Sign in`.
pub(super) fn option_behind_words(
    step: &str,
    value: &str,
    known: &[&str],
    main: &str,
) -> Option<String> {
    /// Keys that may belong to a text that an app shows.
    const WORDS: [&str; 12] = [
        "in", "on", "to", "of", "from", "has", "below", "above", "desc", "hint", "class", "at",
    ];
    let (before, given) = value.split_once(": ")?;
    let (text, key) = before.trim_end().rsplit_once(' ')?;
    let given = given.trim();
    let is_map = given.starts_with('{') && given.ends_with('}');
    let is_plain = !text.contains([',', ':', '"', '\'', '{', '[']) && !given.is_empty();
    let is_one = is_map || !given.contains(": ");
    let may_be_shown = main == "text" && step != "type";
    let is_word = may_be_shown && !is_map && WORDS.contains(&key);
    if !known.contains(&key) || key == main || is_word || !is_plain || !is_one {
        return None;
    }
    if (step, key) == ("type", "into") {
        let field = if is_map {
            given.to_owned()
        } else {
            field_named(given)
        };
        return Some(format!("write `type: {{ into: {field}, text: … }}`"));
    }
    let more = if may_be_shown {
        "; if it belongs to the text, quote the text"
    } else {
        ""
    };
    Some(format!(
        "write `{step}: {{ {main}: …, {key}: {given} }}`{more}"
    ))
}

/// Explains a selector without its braces behind the key that takes it: `into: id: username`. Returns `None` for other
/// lines.
pub(super) fn selector_without_braces(line: &str) -> Option<String> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?:^|[{,]\s*)(into|on|in|of|from|to|inside|has|below|above|left_of|right_of|visible|not_visible):\s+(id|text|desc|hint|class):\s+([^\s,{}\[\]][^,{}\[\]]*?)\s*(?:[,}]|$)",
        )
    });
    let found = FORM.captures(line.trim())?;
    Some(format!(
        "write `{}: {{ {}: {} }}`",
        &found[1], &found[2], &found[3]
    ))
}

/// Explains a claim with `!` before it, which YAML reads as a tag: `assert: !visible Save`, `when: !visible Save`. Returns
/// `None` for other lines.
pub(super) fn denied_claim(line: &str) -> Option<String> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?:^|[{,]\s*)(assert|if|when|while): !(?:is_?)?(?:[vV]isible|exists|[dD]isplayed|shown|present):?(?:\s+(\{[^{}]*\}|[^,{}]*?))?\s*(?:[,}]|$)",
        )
    });
    let found = FORM.captures(line.trim().trim_start_matches("- "))?;
    let element = match found.get(2).map_or("", |element| element.as_str()) {
        "" => "…".to_owned(),
        map if map.starts_with('{') => map.to_owned(),
        text => foreign::yaml(text.trim_matches(['"', '\''])),
    };
    Some(match &found[1] {
        "assert" => format!("write `assert not visible: {element}`"),
        // A step `if` needs its `then` too.
        "if" => format!("write `{{ not_visible: {element} }}` behind `if:`"),
        key => format!("write `{key}: {{ not_visible: {element} }}`"),
    })
}

/// Explains a sign in place of the colon behind a key of the header: `app; com.example.notes`. The error may be in the line
/// below. Returns `None` for other lines.
pub(super) fn sign_in_header(diagnostic: &Diagnostic) -> Option<String> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(app|name|env|tags|each|needs|matrix|setup|steps|teardown|timeout|step_timeout|retries|skip|secrets|outputs) ?([;,])\s*([^:]*)$",
        )
    });
    let lines = [Some(line_of(diagnostic)), line_above(diagnostic)];
    let mut lines = lines.into_iter().flatten();
    let found = lines.find_map(|line| FORM.captures(line.trim_end()))?;
    let (key, value) = (&found[1], &found[3]);
    let blank = if value.is_empty() { "" } else { " " };
    Some(format!(
        "a colon stands behind a key, and no `{}`: write `{key}:{blank}{value}`",
        &found[2]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_behind_a_value_are_told_from_texts() {
        let known = ["on", "index", "in", "text"];
        let told = option_behind_words("click", "Save index: 1", &known, "text");
        assert!(told.is_some_and(|help| help.contains("index: 1 }`")));
        for shown in ["Sign in: now", "Alt text: none", "Save: now", "Sign up: 3"] {
            let told = option_behind_words("click", shown, &known, "text");
            assert_eq!(told, None, "{shown}");
        }
    }

    #[test]
    fn denied_claims_and_selectors_are_told_in_a_map_and_alone() {
        for (line, ours) in [
            ("- assert: !visible Save", "`assert not visible: Save`"),
            (
                "  when: !visible: Sign in",
                "`when: { not_visible: Sign in }`",
            ),
            (
                "- { click: a, when: !exists Save }",
                "{ not_visible: Save }`",
            ),
            (
                "- if: !visible { id: a }",
                "`{ not_visible: { id: a } }` behind `if:`",
            ),
        ] {
            let told = denied_claim(line).unwrap_or_default();
            assert!(told.contains(ours), "{line}: {told}");
        }
        assert_eq!(denied_claim("- click: !visible Save"), None);
        for (line, ours) in [
            (
                "- type: { into: id: user, text: a }",
                "`into: { id: user }`",
            ),
            ("into: id: user", "`into: { id: user }`"),
            ("- drag: { from: id: a, to: id: b }", "`from: { id: a }`"),
        ] {
            let told = selector_without_braces(line).unwrap_or_default();
            assert!(told.contains(ours), "{line}: {told}");
        }
        assert_eq!(selector_without_braces("- click: { text: id: a }"), None);
    }
}
