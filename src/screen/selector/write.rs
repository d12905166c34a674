//! Writing a selector: as YAML on one line, and through serde. Both read back as the same selector.

use std::fmt::{Display, Formatter, Result};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{Selector, WindowName, Words};

/// The selector as YAML on one line.
impl Display for Selector {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_value(&self.to_value(), f)
    }
}

impl Serialize for Selector {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl Selector {
    /// The selector as a value: a string or a map.
    pub fn to_value(&self) -> Value {
        if let Some(any) = &self.any {
            return any.to_value();
        }
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
        if let Some(id) = &self.id {
            put("id", json!(id));
        }
        if let Some(class) = &self.class {
            put("class", json!(class));
        }
        for words in Words::ALL {
            if let Some(pattern) = words.wanted(self) {
                put(words.name(), pattern.to_value());
            }
        }
        for (state, on) in &self.states {
            put(state.name(), json!(on));
        }
        for (relation, anchor) in &self.relations {
            put(relation.name(), anchor.to_value());
        }
        match &self.window {
            Some(WindowName::Id(id)) => put("window", json!(id)),
            Some(WindowName::Named(name)) => put("window", json!(name.source())),
            None => None,
        };
        if let Some(index) = self.index {
            put("index", json!(index));
        }
        Value::Object(map)
    }
}

/// A value as YAML on one line; strings are quoted where YAML would read something else.
pub(crate) fn one_line(value: &Value) -> String {
    struct OneLine<'a>(&'a Value);
    impl Display for OneLine<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> Result {
            write_value(self.0, f)
        }
    }
    OneLine(value).to_string()
}

fn write_value(value: &Value, f: &mut Formatter<'_>) -> Result {
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

/// Keys are read as text whatever they say, so `on` and `y` need no quotes.
fn write_key(key: &str, f: &mut Formatter<'_>) -> Result {
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

fn write_string(words: &str, f: &mut Formatter<'_>) -> Result {
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
            '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => {
                write!(f, "\\u{:04X}", character as u32)?;
            }
            _ if character.is_control() => write!(f, "\\u{:04X}", character as u32)?,
            _ => write!(f, "{character}")?,
        }
    }
    f.write_str("\"")
}

/// Whether YAML reads `words` as this very text without quotes, also inside `{ }`.
fn is_plain(words: &str) -> bool {
    const RESERVED: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_safe =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '(' | ')');
    words.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && words.chars().all(is_safe)
        && !words.ends_with(' ')
        && !RESERVED.contains(&words.to_lowercase().as_str())
}
