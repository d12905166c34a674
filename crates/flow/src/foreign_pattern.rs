//! Recognizes patterns of other tools in texts: regular expressions, and choices such as `Save || Done`.

use std::sync::LazyLock;

use regex::Regex;
use runner_text::flow_text;
use serde_json::json;

use super::foreign_text::{ForeignText, regex};
use super::foreign_words;

/// Message about a text that stands for itself.
const JUST_THIS: &str = "this looks for an element with just this text";

/// Warns of a text of the key `key` that says how it compares (`contains Save`), is a choice (`Save || Done`), or
/// looks like a regular expression; the first of them counts. `is_alone` is true if the selector has no other
/// condition: then a choice becomes `any_of`, else a regular expression. Returns `None` for other texts.
pub(crate) fn pattern_of(key: &str, text: &str, is_alone: bool) -> Option<ForeignText> {
    if let Some(help) = foreign_words::compared(key, text) {
        return Some(ForeignText {
            message: JUST_THIS.to_owned(),
            help,
        });
    }
    let parts = choices(text);
    let help = if parts.is_empty() {
        format!("write `{key}: {{ regex: {} }}`", pattern(text)?)
    } else if is_alone {
        let each: Vec<_> = parts.iter().map(|part| json!({ key: part })).collect();
        let ours = flow_text::with_expressions(&json!({ "any_of": each }));
        format!("write `{ours}` in place of the whole selector")
    } else {
        let parts: Vec<String> = parts.into_iter().map(regex::escape).collect();
        let either = quoted(&format!("^({})$", parts.join("|")));
        format!("write `{key}: {{ regex: {either} }}`")
    };
    Some(ForeignText {
        message: JUST_THIS.to_owned(),
        help,
    })
}

/// Warns of a regular expression in a literal of JavaScript, `/…/i`, where its slashes and flags would be a part of
/// it. It is for values of `regex`; the advice is the pattern without them. Returns `None` for all else.
pub(crate) fn literal_of(text: &str) -> Option<ForeignText> {
    let inner = in_slashes(text)?;
    Some(ForeignText {
        message: "the slashes and what follows them belong to this regular expression".to_owned(),
        help: format!("write `regex: {}`", quoted(&inner)),
    })
}

/// Returns advice for a text alone, without a key: `any_of` for a choice such as `Save || Done` and `Save|Done`, else
/// `{ text: { regex: … } }` for a regular expression. Parts of one letter or with blanks around a single `|` make no
/// choice. Returns `None` for other texts.
pub(crate) fn instead(text: &str) -> Option<String> {
    static BARS: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^[^|\s.*\\^(\[][^|.*\\(\[]*(?:\|[^|\s.*\\(\[][^|.*\\(\[]*)+$"));
    let mut parts = choices(text);
    if parts.is_empty() && BARS.is_match(text) {
        let each = text.split('|');
        parts = each
            .clone()
            .filter(|part| part.trim() == *part && part.chars().count() > 1)
            .collect();
        if parts.len() != each.count() {
            parts.clear();
        }
    }
    if parts.is_empty() {
        let pattern = pattern(text)?;
        return Some(format!("write `{{ text: {{ regex: {pattern} }} }}`"));
    }
    let ours = flow_text::with_expressions(&json!({ "any_of": parts }));
    Some(format!("write `{ours}`"))
}

/// Returns the trimmed parts of `Save || Done` and `Save OR Done`; none for any other text, and if one part is empty.
/// A text with both separators is split at ` OR ` alone.
fn choices(text: &str) -> Vec<&str> {
    let separator = [" OR ", "||"].into_iter().find(|it| text.contains(it));
    let Some(separator) = separator else {
        return Vec::new();
    };
    let parts: Vec<&str> = text.split(separator).map(str::trim).collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Vec::new();
    }
    parts
}

/// Returns the regular expression in a text that looks like one, in single quotes for YAML: between slashes, behind
/// `regex:`, with a part such as `.*` or `\d`, or a text that begins with `^` and a letter or ends with `$` too.
/// Slashes and prefix are dropped, but `re:` is one only before such a pattern. It is not checked. Returns `None` for
/// any other text.
pub(crate) fn pattern(text: &str) -> Option<String> {
    static PREFIX: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?i)^\s*(?:regexp?|matches|pattern)\s*[:=]\s*(.+)$"));
    if let Some(inner) = in_slashes(text) {
        return Some(quoted(&inner));
    }
    if let Some(found) = PREFIX.captures(text) {
        let inner = found[1].trim();
        let inner = in_slashes(inner).unwrap_or_else(|| inner.to_owned());
        return Some(quoted(&inner));
    }
    let behind_prefix = ["re:", "re=", "rx:", "r:"]
        .iter()
        .find_map(|begin| text.strip_prefix(begin));
    // `re: your mail` is a text.
    if let Some(inner) = behind_prefix.and_then(|inner| pattern(inner.trim_start())) {
        return Some(inner);
    }
    let is_pattern = [".*", ".+", r"\d", r"\w", r"\s", "[0-9]", "[a-z]", "[A-Z]"]
        .iter()
        .any(|part| text.contains(part));
    let is_whole = text.starts_with('^') && text.ends_with('$');
    let rest = text.strip_prefix('^').unwrap_or_default();
    let is_begin = rest.starts_with(|c: char| c.is_alphabetic());
    (is_pattern || is_whole || is_begin).then(|| quoted(text))
}

/// Returns the regular expression between slashes, with the flags behind them that exist here: `(?i)Save` of
/// `/Save/gi`. The others are dropped, and `\/` becomes `/`. Returns `None` for any other text.
fn in_slashes(text: &str) -> Option<String> {
    static SLASHES: LazyLock<Regex> = LazyLock::new(|| regex(r"^/(.+)/([dgimsuvxy]*)$"));
    let found = SLASHES.captures(text)?;
    let flags: String = found[2].chars().filter(|c| "imsx".contains(*c)).collect();
    let inner = found[1].replace(r"\/", "/");
    Some(if flags.is_empty() {
        inner
    } else {
        format!("(?{flags}){inner}")
    })
}

/// Writes a regular expression in single quotes, where a backslash stands for itself.
fn quoted(pattern: &str) -> String {
    format!("'{}'", pattern.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_expression_of_another_tool_is_read_with_its_flags() {
        for (text, ours) in [
            ("/sign in/i", "'(?i)sign in'"),
            ("/a\\/b/g", "'a/b'"),
            ("regex:Sign.*", "'Sign.*'"),
            ("regexp=/it's/i", "'(?i)it''s'"),
            ("Welcome.*", "'Welcome.*'"),
            ("re:^Welcome.*", "'^Welcome.*'"),
        ] {
            assert_eq!(pattern(text).as_deref(), Some(ours), "{text}");
        }
        assert_eq!(pattern("A/B"), None);
        assert_eq!(pattern("re: your mail"), None);
    }

    #[test]
    fn a_choice_is_told_from_a_text_with_a_bar() {
        for text in ["Save || Done", "Save|Done", "Save OR Done"] {
            let told = instead(text).unwrap_or_default();
            assert!(
                told.contains("{ any_of: [ Save, Done ] }"),
                "{text}: {told}"
            );
        }
        for shown in ["Home | Notes", "a|b", "|", "A | B | C", "Save or Done"] {
            assert_eq!(instead(shown), None, "{shown}");
        }
        let beside = pattern_of("text", "A || B", false).map(|told| told.help);
        assert_eq!(
            beside.as_deref(),
            Some("write `text: { regex: '^(A|B)$' }`")
        );
        let alone = pattern_of("text", "A || B", true).map(|told| told.help);
        assert_eq!(
            alone.as_deref(),
            Some("write `{ any_of: [ { text: A }, { text: B } ] }` in place of the whole selector")
        );
    }
}
