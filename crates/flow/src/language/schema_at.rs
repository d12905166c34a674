//! Looks up the schema of a position.

use std::sync::LazyLock;

use serde_json::Value;

use super::position::{EntryPart, Level, Position};
use crate::vocabulary::forms;

static SCHEMA: LazyLock<Value> = LazyLock::new(crate::schema);

/// Maximum nesting of references and alternatives. Chosen: deeper than the schema, and ends a circular
/// reference.
const MAX_NESTING: usize = 16;

/// Returns the schemas for a position: for a key those of the maps that may have it, and in a map without keys also
/// those of steps that are a single word; for a value its own, with references unresolved. Maps that lack a key that
/// is already written are left out, unless all do. Returns none where the language allows nothing.
pub(super) fn at(position: &Position<'_>) -> Vec<&'static Value> {
    let mut places = vec![&*SCHEMA];
    let last = position.levels.len().saturating_sub(1);
    for (number, level) in position.levels.iter().enumerate() {
        match level {
            Level::Map { keys, current } => {
                let is_written = |key: &&String| current.as_ref() != Some(*key);
                let known: Vec<&String> = keys.iter().filter(is_written).collect();
                let variants = maps(&places, &known);
                if number == last && position.part == EntryPart::Key {
                    // Steps without a map are valid there too.
                    let is_word = |leaf: &&Value| leaf.get("enum").is_some();
                    let words = leaves(&places).into_iter().filter(is_word);
                    return if keys.is_empty() {
                        words.chain(variants).collect()
                    } else {
                        variants
                    };
                }
                let values = |map: &&'static Value| {
                    let named = current.as_ref().and_then(|key| map["properties"].get(key));
                    named.or_else(|| {
                        map.get("additionalProperties")
                            .filter(|more| more.is_object())
                    })
                };
                places = variants.iter().filter_map(values).collect();
            }
            Level::List => {
                let lists = leaves(&places).into_iter();
                places = lists.filter_map(|list| list.get("items")).collect();
            }
        }
    }
    places
}

/// Returns the schemas of maps that have all of these keys, each followed by those of the modifiers that its keys
/// allow. Returns those of all maps if none has all keys, and if there are no keys. Schemas of other types are left
/// out.
fn maps(places: &[&'static Value], keys: &[&String]) -> Vec<&'static Value> {
    let is_map = |leaf: &&Value| leaf.get("properties").is_some() || leaf["type"] == "object";
    let beside = |map: &'static Value| {
        let allowed = keys.iter().filter_map(|key| map["dependencies"].get(*key));
        std::iter::once(map).chain(allowed.filter_map(definition))
    };
    let all: Vec<Vec<&Value>> = leaves(places)
        .into_iter()
        .filter(is_map)
        .map(|map| beside(map).collect())
        .collect();
    let has = |maps: &&Vec<&Value>| {
        let has = |key: &&String| maps.iter().any(|map| map["properties"].get(*key).is_some());
        keys.iter().all(has)
    };
    let fitting: Vec<&Vec<&Value>> = all.iter().filter(has).collect();
    let chosen = if fitting.is_empty() {
        all.iter().collect()
    } else {
        fitting
    };
    chosen.into_iter().flatten().copied().collect()
}

/// Returns the schemas behind references and alternatives, in their order; a schema without either is returned
/// itself. Those deeper than `MAX_NESTING` levels are left out. One that is reached twice is there twice.
pub(super) fn leaves(places: &[&'static Value]) -> Vec<&'static Value> {
    let mut found = Vec::new();
    for place in places {
        descend(place, MAX_NESTING, &mut found);
    }
    found
}

/// Adds the schema, or those behind its references and forms. Those deeper than `depth` levels are left out.
fn descend(schema: &'static Value, depth: usize, found: &mut Vec<&'static Value>) {
    let Some(deeper) = depth.checked_sub(1) else {
        return;
    };
    if let Some(definition) = definition(schema) {
        return descend(definition, deeper, found);
    }
    let mut alternatives = forms(schema).peekable();
    if alternatives.peek().is_none() {
        found.push(schema);
    }
    for alternative in alternatives {
        descend(alternative, deeper, found);
    }
}

/// Returns the definition that a schema itself refers to; `None` without a reference. Further references are not
/// followed.
fn definition(schema: &Value) -> Option<&'static Value> {
    let name = schema["$ref"].as_str()?.rsplit('/').next()?;
    SCHEMA["definitions"].get(name)
}

/// Returns the description of a property, or else of the definition that it refers to; `None` without both.
pub(super) fn about(schema: &Value) -> Option<&str> {
    let own = schema["description"].as_str();
    own.or_else(|| definition(schema)?["description"].as_str())
}

/// Returns true if a property is a common definition such as `selector.id`, by reference or as a copy.
pub(super) fn is_defined_as(schema: &Value, name: &str) -> bool {
    let path = schema["$ref"].as_str();
    path.is_some_and(|path| path.strip_prefix("#/definitions/") == Some(name))
        || SCHEMA["definitions"].get(name) == Some(schema)
}
