//! Advice for parts of a map: places and regions under another name, and lists without brackets.

use super::foreign;
use super::yaml::{Key, Node, NodeKind};

/// Message about a text in place of a list.
pub(crate) const NO_LIST: &str = "a list is expected here, not text";

/// Returns advice for a place in an element under another name, as in `position: { x: 10, y: 5 }`, and for a part of the
/// screen that a snapshot is to be of, as in `region: [0, 0, 100, 100]`. `word` is the key without separators. Returns
/// `None` for other keys and values, and if `names` are not those of such a step.
pub(crate) fn place_or_region(word: &str, value: &Node, names: &[&str]) -> Option<String> {
    const PLACES: [&str; 6] = [
        "position",
        "offset",
        "point",
        "location",
        "coordinates",
        "place",
    ];
    const REGIONS: [&str; 11] = [
        "region",
        "area",
        "crop",
        "clip",
        "rect",
        "rectangle",
        "bounds",
        "roi",
        "frame",
        "box",
        "cropon",
    ];
    let part = |name: &str| Some(value.entry(name)?.1.scalar()?.text.as_str());
    let has = |name: &str| names.contains(&name);
    if has("at") && PLACES.contains(&word) {
        // Other tools write a share as a fraction.
        let share = |text: &str| match text.parse::<f64>() {
            Ok(share) if share > 0.0 && share < 1.0 => format!("{}%", (share * 100.0).round()),
            _ => text.to_owned(),
        };
        let (x, y) = (share(part("x")?), share(part("y")?));
        return Some(format!("write `at: {{ x: {x}, y: {y} }}`"));
    }
    let is_numbers = match &value.kind {
        NodeKind::Sequence(items) => items.len() == 4,
        NodeKind::Map(_) => ["x", "left", "top", "width"]
            .into_iter()
            .any(|side| part(side).is_some()),
        NodeKind::Scalar(_) => false,
    };
    (has("of") && has("mask") && is_numbers && REGIONS.contains(&word)).then(|| {
        "a snapshot is of the whole screen, or of the element under `of: …`; `mask: [ { rect: [ … ] } ]` leaves a part out"
            .to_owned()
    })
}

/// Returns the value of a key that takes a list, with advice, where its items stand in braces without brackets:
/// `{ any_of: Allow, OK }`. YAML reads all but the first as keys without a value. Returns `None` for other maps.
pub(crate) fn without_brackets(entries: &[(Key, Node)]) -> Option<(&Node, String)> {
    let is_list = |key: &Key| ["any_of", "mask"].contains(&key.text.as_str());
    let at = entries.iter().position(|(key, _)| is_list(key))?;
    let (key, value) = &entries[at];
    let first = value.scalar().filter(|_| !value.is_missing())?;
    let rest = entries[at + 1..].iter();
    let rest = rest.take_while(|(_, value)| value.is_missing() && value.span.is_empty());
    let words = [first.text.as_str()].into_iter();
    let words: Vec<String> = words
        .chain(rest.map(|(key, _)| key.text.as_str()))
        .map(foreign::yaml)
        .collect();
    (words.len() > 1).then(|| {
        let help = format!("write `{}: [ {} ]`", key.text, words.join(", "));
        (value, help)
    })
}
