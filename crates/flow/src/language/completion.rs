//! What may stand at the cursor.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use runner_text::flow_text::literal;

use super::position::{Level, Part, Position, position};
use super::schema_at::{self, about, is_defined_as, leaves};
use crate::check::types;

/// Offers at most: nobody reads more.
const MOST: usize = 40;
/// A text that is longer is none to write into a flow, in characters.
const LONGEST: usize = 120;

/// Words of the screen that a flow may name.
#[derive(Debug, Default)]
pub struct ScreenWords {
    /// Ids of resources.
    pub ids: BTreeSet<String>,
    /// Texts, descriptions and hints.
    pub texts: BTreeSet<String>,
}

/// What may stand at the cursor, the best first.
#[derive(Debug, Serialize)]
pub struct Completion {
    /// UTF-16 units before the cursor that an offer replaces.
    pub length: usize,
    /// The offers.
    pub offers: Vec<Offer>,
    /// What stands there already is whole, or any other text of the screen may stand there.
    pub is_free: bool,
}

/// A word that may stand there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// What is written.
    pub text: String,
    /// What it is called.
    pub label: String,
    /// What it means.
    pub about: String,
}

/// What may stand at the end of `before`; `None` where nothing is known to. `screen` is asked only where its words may
/// stand.
pub fn completion(before: &str, screen: impl FnOnce() -> ScreenWords) -> Option<Completion> {
    let position = position(before)?;
    let places = schema_at::at(&position);
    let mut offers = match position.part {
        Part::Key => keys(&position, &places),
        Part::Value => values(&places, screen),
    };
    let is_whole = offers.iter().any(|offer| offer.text == position.prefix);
    let takes_any = position.part == Part::Value && is_text_of_screen(&places);
    offers.retain(|offer| offer.text != position.prefix);
    let offers = best(offers, position.prefix);
    (!offers.is_empty()).then(|| Completion {
        length: position.prefix.encode_utf16().count(),
        offers,
        is_free: is_whole || takes_any,
    })
}

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
        // The first key chooses one of several maps, as that of a condition.
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
        for word in words.iter().filter(|word| word.chars().count() < LONGEST) {
            add(&json!(word), about);
        }
    }
    offers.dedup();
    offers
}

/// Whether a text of the screen stands there: a part of a selector, or a selector that is only a text.
fn is_text_of_screen(places: &[&'static Value]) -> bool {
    let names = ["selector.text", "selector.desc", "selector.hint"];
    let is_part = |place: &&Value| names.iter().any(|name| is_defined_as(place, name));
    let is_selector = |leaf: &Value| is_defined_as(&leaf["properties"]["text"], "selector.text");
    places.iter().any(is_part) || leaves(places).into_iter().any(is_selector)
}

/// Those that begin with the prefix, then those that hold it.
fn best(offers: Vec<Offer>, prefix: &str) -> Vec<Offer> {
    let wanted = prefix.trim_start_matches(['"', '\'']).to_lowercase();
    let (first, others): (Vec<_>, Vec<_>) = offers
        .into_iter()
        .filter(|offer| offer.label.to_lowercase().contains(&wanted))
        .partition(|offer| offer.label.to_lowercase().starts_with(&wanted));
    first.into_iter().chain(others).take(MOST).collect()
}
