//! Writes values as text of a flow: quoted where YAML would read something else, with `${` escaped where it
//! is no expression.
//!
//! Everything that writes or suggests a part of a flow goes through here, so that text from an app's screen
//! is never read as an expression.

use std::fmt::{Result, Write};

use serde_json::Value;

/// Formats a value for one line of a flow, so that it reads back unchanged. `${` is escaped.
pub fn literal(value: &Value) -> String {
    with_expressions(&escaped(value))
}

/// Formats a value as YAML in one line of a flow; texts are quoted unless they are harmless without. `${…}` stays
/// an expression; write `$${` for a plain `${`, or use [`literal`].
pub fn with_expressions(value: &Value) -> String {
    let mut written = String::new();
    // Writing to a string never fails.
    let _ = write_value(value, &mut written);
    written
}

/// Escapes `${` as `$${` in all texts of a value at any depth, so that a flow reads them as plain text. Keys
/// of maps stay. Pass the result to [`with_expressions`].
pub fn escaped(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(escaped_text(text)),
        Value::Array(items) => items.iter().map(escaped).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), escaped(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Escapes each `${` as `$${`.
pub fn escaped_text(text: &str) -> String {
    text.replace("${", "$${")
}

/// Appends a value as YAML in one line: `[ a, b ]`, `{ a: b }`; an empty list is `[ ]`, an empty map `{}`. Numbers,
/// booleans and `null` are as in JSON. It never fails.
fn write_value(value: &Value, f: &mut String) -> Result {
    match value {
        Value::String(words) => write_string(words, f),
        Value::Array(items) => {
            f.write_str("[")?;
            for (place, item) in items.iter().enumerate() {
                f.write_str(if place > 0 { ", " } else { " " })?;
                write_value(item, f)?;
            }
            f.write_str(" ]")
        }
        Value::Object(map) if map.is_empty() => f.write_str("{}"),
        Value::Object(map) => {
            f.write_str("{ ")?;
            for (place, (key, value)) in map.iter().enumerate() {
                if place > 0 {
                    f.write_str(", ")?;
                }
                write_key(key, f)?;
                f.write_str(": ")?;
                write_value(value, f)?;
            }
            f.write_str(" }")
        }
        other => write!(f, "{other}"),
    }
}

/// Writes a key of a map: without quotes if it begins with an ASCII letter or `_` and has only these, digits, `.` and
/// `-`. Any other is written by [`write_string`]. Keys are always read as text, so `on` and `y` need no quotes.
fn write_key(key: &str, f: &mut String) -> Result {
    let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    if is_name {
        f.write_str(key)
    } else {
        write_string(key, f)
    }
}

/// Appends words as YAML: plain if [`is_plain`], else in double quotes, with quotes, backslashes, control characters,
/// line separators and the byte order mark escaped. `${` stays.
fn write_string(words: &str, f: &mut String) -> Result {
    if is_plain(words) {
        return f.write_str(words);
    }
    f.write_str("\"")?;
    for character in words.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            // YAML takes some of these for line ends and refuses others.
            '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => {
                write!(f, "\\u{:04X}", character as u32)?;
            }
            _ if character.is_control() => write!(f, "\\u{:04X}", character as u32)?,
            _ => write!(f, "{character}")?,
        }
    }
    f.write_str("\"")
}

/// Returns true if YAML reads `words` as this very text without quotes, also inside `{ }`. It is stricter than YAML.
/// True are only percentages such as `50%`, and words that begin with a letter or `_`, go on with letters, digits,
/// spaces and `_-./()`, and end in no space. Words that a reader takes for a boolean or null, such as `yes`, are false,
/// and so is an empty text.
fn is_plain(words: &str) -> bool {
    // To older readers of YAML, such as those of editors, `yes`, `on` and `y` are booleans.
    const RESERVED: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_safe =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '(' | ')');
    let is_percentage = words.strip_suffix('%').is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_word = words.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && words.chars().all(is_safe)
        && !words.ends_with(' ')
        && !RESERVED.contains(&words.to_lowercase().as_str());
    is_word || is_percentage
}
