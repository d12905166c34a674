//! What to do about text that is not YAML: mostly, to quote it.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Source};
use crate::suggest::{Place, error};

/// The diagnostic for a syntax error at a byte offset.
pub fn explain(source: &Arc<Source>, at: usize, message: &str) -> Diagnostic {
    let line_start = source.text[..at]
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    let line = source.text[line_start..].lines().next().unwrap_or_default();
    let column = at - line_start;
    let end = source.text[at..]
        .chars()
        .next()
        .filter(|char| *char != '\n' && *char != '\r')
        .map_or(at, |char| at + char.len_utf8());
    let mut diagnostic = error(
        &Place::new(source, at..end),
        Code::Yaml,
        format!("not valid YAML: {message}"),
    );
    diagnostic.help = before(source, line_start, message).or_else(|| advice(line, column, message));
    diagnostic
}

/// Advice from the line before: a key that is too deep, an item without its dash.
fn before(source: &Source, line_start: usize, message: &str) -> Option<String> {
    let line = source.text[line_start..].lines().next()?;
    let before = source.text[..line_start].lines().next_back();
    let item = |line: &str| line.trim_start().starts_with("- ");
    let text = line.trim_start();
    if let Some(rest) = text.strip_prefix("* ").or_else(|| text.strip_prefix("• ")) {
        return Some(format!(
            "an item of a list begins with `- `: write `- {rest}`"
        ));
    }
    if let Some(rest) = text.strip_prefix('-')
        && rest.starts_with(char::is_alphabetic)
    {
        return Some("put a space after the dash".to_owned());
    }
    let before = before?;
    let depth = |line: &str| line.len() - line.trim_start().len();
    if item(before) && !item(line) && depth(line) <= depth(before) && text.contains(':') {
        return Some("begin the item with `- `, as the one before it".to_owned());
    }
    if !message.contains("mapping values are not allowed") {
        return None;
    }
    bare_word(before).or_else(|| too_deep(before, text))
}

/// A key below one that has its value already.
fn too_deep(before: &str, text: &str) -> Option<String> {
    let (_, value) = before.trim().trim_start_matches("- ").split_once(':')?;
    let (key, _) = text.split_once(':')?;
    let has_value = value.starts_with(' ') && !value.trim().is_empty();
    let is_word = !key.contains([' ', '"', '{']);
    (has_value && is_word).then(|| {
        "this key is indented too deep: begin it in the same column as the key above it".to_owned()
    })
}

/// A modifier under a step that is a bare word: the step then needs a colon.
fn bare_word(before: &str) -> Option<String> {
    let word = before.trim().strip_prefix("- ")?.trim();
    let is_word = !word.is_empty()
        && word
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_');
    is_word.then(|| format!("with modifiers the step before needs a colon: `- {word}:`"))
}

/// Advice for one line, from the character that YAML takes for its own.
fn advice(line: &str, column: usize, message: &str) -> Option<String> {
    if line.trim_start().starts_with('\t')
        || line.starts_with('\t')
        || message.contains("found a tab")
    {
        return Some("indent with spaces; YAML does not take tabs".to_owned());
    }
    let value = value_of(line);
    if message.contains("multiline quoted scalar") || message.contains("unclosed quote") {
        return Some(
            "a quoted text before this line is not closed; add its second quote".to_owned(),
        );
    }
    let quoted = |text: &str| format!("quote the text: {}", quote(text));
    if line[..column.min(line.len())].contains("${") || line.contains("${") && !is_quoted(value) {
        return Some(
            "inside `{ … }` and `[ … ]` an expression must be quoted: \"${NAME}\"".to_owned(),
        );
    }
    match value.chars().next() {
        Some('@' | '`' | '%') => {
            return Some(format!(
                "a value cannot begin with `{}` unless it is quoted; {}",
                value.chars().next().unwrap_or_default(),
                quoted(value)
            ));
        }
        Some('*') => {
            return Some(format!("`*` begins an alias in YAML; {}", quoted(value)));
        }
        Some('{' | '[') => {
            return Some(format!(
                "`{}` begins a map or a list in YAML; if text is meant, quote it; else look for a bracket or comma that is missing",
                value.chars().next().unwrap_or_default()
            ));
        }
        Some('"' | '\'') => {
            return Some(
                "a quoted text ends at its second quote; inside \"…\" write \\\" for a quote, inside '…' write ''"
                    .to_owned(),
            );
        }
        _ => {}
    }
    if value.contains(": ") || value.ends_with(':') {
        return Some(format!(
            "text with `: ` in it must be quoted; {}",
            quoted(value)
        ));
    }
    if message.contains("indent") || message.contains("block") {
        return Some(
            "check the indentation: entries of one list or map begin in the same column".to_owned(),
        );
    }
    None
}

fn is_quoted(value: &str) -> bool {
    value.starts_with(['"', '\''])
}

/// What follows the first `key:` of a line, or its dash.
fn value_of(line: &str) -> &str {
    let line = line.trim_start().trim_start_matches("- ").trim_start();
    line.split_once(": ")
        .map_or(line, |(_, value)| value)
        .trim()
}

fn quote(text: &str) -> String {
    if text.contains(['"', '\\']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("\"{text}\"")
    }
}
