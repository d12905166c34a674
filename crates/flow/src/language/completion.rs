//! Completion at the cursor.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use runner_text::flow_text::literal;

use super::position::{EntryPart, Level, Position, position};
use super::schema_at::{self, about, is_defined_as, leaves};
use crate::check::types;

/// Maximum number of offers. Chosen: nobody reads more.
const MAX_OFFERS: usize = 40;
/// Number of characters from which a text of the screen is not offered. Chosen: a longer one is no useful selector.
const MAX_TEXT_CHARS: usize = 120;

/// Words on the device's screen that a flow may refer to.
#[derive(Debug, Default)]
pub struct ScreenWords {
    pub ids: BTreeSet<String>,
    /// Texts, descriptions and hints.
    pub texts: BTreeSet<String>,
}

/// Offers for the cursor, best first.
#[derive(Debug, Serialize)]
pub struct Completion {
    /// Number of UTF-16 units before the cursor that an offer replaces.
    pub length: usize,
    pub offers: Vec<Offer>,
    /// True if the word at the cursor is already complete, or may be any other text.
    pub is_free: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// Text to insert.
    pub text: String,
    /// Text to display.
    pub label: String,
    /// Description from the schema, or where the word comes from; may be empty.
    pub about: String,
}

/// Returns at most `MAX_OFFERS` offers for the end of `before`, keys with `: ` behind them or values: first those that
/// begin with its unfinished word, then those that contain it. Returns `None` if none does. A word that is complete
/// already is not offered. `screen` is only called if words of the screen are possible there.
pub fn completion(before: &str, screen: impl FnOnce() -> ScreenWords) -> Option<Completion> {
    let position = position(before)?;
    let places = schema_at::at(&position);
    let mut offers = match position.part {
        EntryPart::Key => keys(&position, &places),
        EntryPart::Value => values(&places, screen),
    };
    let is_whole = offers.iter().any(|offer| offer.text == position.prefix);
    let takes_any = position.part == EntryPart::Value && is_text_of_screen(&places);
    offers.retain(|offer| offer.text != position.prefix);
    let offers = best(offers, position.prefix);
    (!offers.is_empty()).then(|| Completion {
        length: position.prefix.encode_utf16().count(),
        offers,
        is_free: is_whole || takes_any,
    })
}

/// Offers keys that the map does not have yet, with `: ` behind them, and the words that may stand in place of the map.
/// For a new item that may be one of several maps, only the key that selects each is offered. Does not look at the
/// unfinished word.
fn keys(position: &Position<'_>, places: &[&'static Value]) -> Vec<Offer> {
    let known: &[String] = match position.levels.last() {
        Some(Level::Map { keys, .. }) => keys,
        _ => &[],
    };
    let is_item = known.is_empty() && places.len() > 1;
    let mut offers: Vec<Offer> = Vec::new();
    let mut add = |label: &str, end: &str, about: &str| {
        let is_new = offers
            .iter()
            .all(|offer| offer.label != label || offer.text.ends_with(' ') != end.ends_with(' '));
        if is_new {
            offers.push(Offer {
                text: format!("{label}{end}"),
                label: label.to_owned(),
                about: about.to_owned(),
            });
        }
    };
    for place in places {
        for (number, word) in place["enum"].as_array().into_iter().flatten().enumerate() {
            let text = place["enumDescriptions"][number].as_str();
            add(
                word.as_str().unwrap_or_default(),
                "",
                text.or_else(|| about(place)).unwrap_or_default(),
            );
        }
        let snippets = place["defaultSnippets"].as_array().into_iter().flatten();
        for snippet in snippets {
            let label = snippet["label"]
                .as_str()
                .and_then(|label| label.strip_suffix(": …"));
            if let Some(name) = label {
                add(name, ": ", about(snippet).unwrap_or_default());
            }
        }
        // The first key selects one of several maps, as in a condition.
        let first = place["allOf"][0]["required"][0]
            .as_str()
            .filter(|_| is_item);
        for (name, property) in place["properties"].as_object().into_iter().flatten() {
            let is_offered = first.is_none_or(|first| first == name)
                && !known.contains(name)
                && property["doNotSuggest"] != true;
            if is_offered {
                add(name, ": ", about(property).unwrap_or_default());
            }
        }
    }
    offers
}

/// Offers the choices and examples of a value, `true` and `false` for a boolean, and last ids or texts of the screen
/// where they fit. The screen is read only there; texts of `MAX_TEXT_CHARS` or more are left out. Offers have the
/// form that YAML needs, in quotes if necessary. Does not look at the unfinished word.
fn values(places: &[&'static Value], screen: impl FnOnce() -> ScreenWords) -> Vec<Offer> {
    let mut offers = Vec::new();
    let mut add = |value: &Value, about: &str| {
        let text = literal(value);
        offers.push(Offer {
            label: value.as_str().map_or_else(|| text.clone(), str::to_owned),
            text,
            about: about.to_owned(),
        });
    };
    for leaf in leaves(places) {
        let words = ["enum", "examples"].into_iter();
        let words = words.filter_map(|key| leaf[key].as_array()).flatten();
        for word in words.chain(leaf.get("const")) {
            add(word, about(leaf).unwrap_or_default());
        }
        let types = types(leaf).unwrap_or_default();
        if types.contains(&"boolean") && !types.contains(&"string") {
            add(&json!(true), "");
            add(&json!(false), "");
        }
    }
    let of_screen = if places
        .iter()
        .any(|place| is_defined_as(place, "selector.id"))
    {
        Some((screen().ids, "an id of the screen"))
    } else if is_text_of_screen(places) {
        Some((screen().texts, "a text of the screen"))
    } else {
        None
    };
    if let Some((words, about)) = of_screen {
        for word in words
            .iter()
            .filter(|word| word.chars().count() < MAX_TEXT_CHARS)
        {
            add(&json!(word), about);
        }
    }
    offers.dedup();
    offers
}

/// Returns true if the position is a text of a selector, or a selector that may be a plain text.
fn is_text_of_screen(places: &[&'static Value]) -> bool {
    let names = ["selector.text", "selector.desc", "selector.hint"];
    let is_part = |place: &&Value| names.iter().any(|name| is_defined_as(place, name));
    let is_selector = |leaf: &Value| is_defined_as(&leaf["properties"]["text"], "selector.text");
    places.iter().any(is_part) || leaves(places).into_iter().any(is_selector)
}

/// Sorts offers: first those whose label starts with the prefix, then those that contain it, each in their order.
/// Case and quotes at the start of the prefix do not count. Drops all others, and those above `MAX_OFFERS`. An empty
/// prefix keeps the order.
fn best(offers: Vec<Offer>, prefix: &str) -> Vec<Offer> {
    let wanted = prefix.trim_start_matches(['"', '\'']).to_lowercase();
    let (first, others): (Vec<_>, Vec<_>) = offers
        .into_iter()
        .filter(|offer| offer.label.to_lowercase().contains(&wanted))
        .partition(|offer| offer.label.to_lowercase().starts_with(&wanted));
    first.into_iter().chain(others).take(MAX_OFFERS).collect()
}
