//! Documentation of the key at the cursor.

use serde_json::Value;

use super::position::{EntryPart, Level, position};
use super::schema_at::{self, about};

/// Returns `name: description` of the key at a byte offset, or of the word that stands for a step there; inside of a
/// step's map it is `name of step: description`. Returns `None` at a value, if there is no key of the language, and
/// if the offset is outside of the text or inside of a character.
pub fn hover(text: &str, offset: usize) -> Option<String> {
    let (_, behind) = text.split_at_checked(offset)?;
    let rest = behind.find([':', ',', '{', '}', '[', ']', '\n']);
    let position = position(&text[..offset + rest.unwrap_or(behind.len())])?;
    if position.part != EntryPart::Key {
        return None;
    }
    let name = position.prefix.trim();
    let places = schema_at::at(&position);
    let property = |place: &&'static Value| place["properties"].get(name).and_then(about);
    let meant = places.iter().find_map(property);
    let is_word = |place: &&&Value| {
        let words = place["enum"].as_array();
        words.is_some_and(|words| words.iter().any(|word| word == name))
    };
    let meant = meant.or_else(|| places.iter().find(is_word).and_then(|place| about(place)))?;
    // For a key inside of a step's map, also names the step.
    Some(match position.levels.iter().rev().nth(1) {
        Some(Level::Map {
            current: Some(step),
            ..
        }) => format!("{name} of {step}: {meant}"),
        _ => format!("{name}: {meant}"),
    })
}
