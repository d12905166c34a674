//! Parses a selector from a string or a map, with errors that say what to write.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{ElementState, ElementWords, Pattern, Relation, Selector, WindowName};

/// Largest depth of selectors in selectors. Chosen: parsing is recursive, and nobody reads deeper ones.
const MAX_NESTING: usize = 16;

/// Largest number of selectors in `any_of`. Chosen: each is a search of the screen.
const MAX_CHOICES: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {fault}", at.join("."))]
pub struct SelectorError {
    /// Path to the fault: `selector`, then keys and indexes of lists.
    pub at: Vec<String>,
    pub fault: SelectorFault,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorFault {
    #[error("a selector is a text or a map such as {{ id: total }}, not {found}")]
    NotASelector {
        /// Type of the actual value.
        found: &'static str,
    },
    /// A map has no condition, or a text that must say something is blank.
    #[error("an empty selector matches everything; name a text or an id")]
    Empty,
    #[error("selectors have no key `{key}`{}", did_you_mean(nearest.as_deref()))]
    UnknownKey {
        key: String,
        /// Most similar known key.
        nearest: Option<String>,
    },
    #[error("must be {wanted}, not {found}{}", hint(found, wanted))]
    WrongType {
        /// Type that is needed.
        wanted: &'static str,
        /// Type of the actual value.
        found: &'static str,
    },
    /// The map is not exactly one of the known forms.
    #[error(
        "a pattern is a text or one of {{ contains: … }}, {{ regex: … }}, {{ ignore_case: … }}"
    )]
    NotAPattern,
    /// The regular expression is invalid or too large.
    #[error("{fault}")]
    BadRegex {
        /// Message of the `regex` crate.
        fault: String,
    },
    /// The value is not a list, or the list is empty or too long.
    #[error("write a list of 1 to {MAX_CHOICES} selectors, such as [Allow, {{ id: ok }}]")]
    NotAList,
    /// A condition stands beside `any_of`.
    #[error("`any_of` takes only `index` beside it; put `{key}` into each of its selectors")]
    BesideAnyOf {
        /// Key of the condition.
        key: String,
    },
    #[error("selectors are nested more than {MAX_NESTING} deep")]
    TooDeep,
}

impl SelectorFault {
    fn at(self, at: &[String]) -> SelectorError {
        SelectorError {
            at: at.to_vec(),
            fault: self,
        }
    }
}

/// Returns the path with one more part.
fn below(at: &[String], part: impl ToString) -> Vec<String> {
    at.iter().cloned().chain([part.to_string()]).collect()
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_value(&value).map_err(D::Error::custom)
    }
}

impl Selector {
    /// Parses a selector: a text that is not blank, or a map of conditions. An unknown key is an error.
    ///
    /// # Errors
    /// [`SelectorError`] with the path to the fault.
    pub fn from_value(value: &Value) -> Result<Self, SelectorError> {
        read(value, &["selector".to_owned()], 0)
    }
}

/// Reads a selector: a text that is not blank, or a map that is not empty. `at` is its path, for errors. More
/// than [`MAX_NESTING`] selectors in each other are an error.
fn read(value: &Value, at: &[String], nesting: usize) -> Result<Selector, SelectorError> {
    if nesting > MAX_NESTING {
        return Err(SelectorFault::TooDeep.at(at));
    }
    match value {
        Value::String(words) if words.trim().is_empty() => Err(SelectorFault::Empty.at(at)),
        Value::String(words) => Ok(Selector {
            any: Some(Pattern::full(words)),
            ..Selector::default()
        }),
        Value::Object(map) if map.is_empty() => Err(SelectorFault::Empty.at(at)),
        Value::Object(map) => read_map(map, at, nesting),
        other => {
            let found = type_of(other);
            Err(SelectorFault::NotASelector { found }.at(at))
        }
    }
}

/// Reads the conditions of a map. An unknown key fails first, with the most similar known one.
fn read_map(
    map: &Map<String, Value>,
    at: &[String],
    nesting: usize,
) -> Result<Selector, SelectorError> {
    if let Some(key) = map
        .keys()
        .find(|key| !Selector::KEYS.contains(&key.as_str()))
    {
        let fault = SelectorFault::UnknownKey {
            key: key.clone(),
            nearest: nearest(key, &Selector::KEYS).map(str::to_owned),
        };
        return Err(fault.at(at));
    }
    let path = |key: &str| below(at, key);
    let mut selector = Selector::default();
    if let Some(value) = map.get("any_of") {
        selector.any_of = choices(map, value, at, nesting)?;
    }
    for words in ElementWords::ALL {
        if let Some(value) = map.get(words.name()) {
            *words.slot(&mut selector) = Some(pattern(value, &path(words.name()))?);
        }
    }
    for (key, slot) in [("id", &mut selector.id), ("class", &mut selector.class)] {
        if let Some(value) = map.get(key) {
            *slot = Some(name(value, &path(key))?);
        }
    }
    for state in ElementState::ALL {
        if let Some(value) = map.get(state.name()) {
            let on = value
                .as_bool()
                .ok_or_else(|| wrong(&path(state.name()), "true or false", value))?;
            selector.states.push((state, on));
        }
    }
    for relation in Relation::ALL {
        if let Some(value) = map.get(relation.name()) {
            let anchor = read(value, &path(relation.name()), nesting + 1)?;
            selector.relations.push((relation, anchor));
        }
    }
    if let Some(value) = map.get("index") {
        let index = value.as_i64();
        selector.index = Some(index.ok_or_else(|| wrong(&path("index"), "a whole number", value))?);
    }
    if let Some(value) = map.get("window") {
        selector.window = Some(window(value, &path("window"))?);
    }
    Ok(selector)
}

/// Reads `any_of`, beside which only `index` may stand: 1 to [`MAX_CHOICES`] selectors. Another key is
/// [`SelectorFault::BesideAnyOf`], and all but a list of so many [`SelectorFault::NotAList`].
fn choices(
    map: &Map<String, Value>,
    value: &Value,
    at: &[String],
    nesting: usize,
) -> Result<Vec<Selector>, SelectorError> {
    let mut keys = map.keys();
    if let Some(key) = keys.find(|key| !["any_of", "index"].contains(&key.as_str())) {
        let fault = SelectorFault::BesideAnyOf { key: key.clone() };
        return Err(fault.at(&below(at, key)));
    }
    let at = below(at, "any_of");
    match value {
        Value::Array(each) if (1..=MAX_CHOICES).contains(&each.len()) => {
            let each = each.iter().enumerate();
            each.map(|(place, value)| read(value, &below(&at, place), nesting + 1))
                .collect()
        }
        _ => Err(SelectorFault::NotAList.at(&at)),
    }
}

/// Reads a text that is not empty. It may be blank.
fn name(value: &Value, at: &[String]) -> Result<String, SelectorError> {
    match value {
        Value::String(name) if name.is_empty() => Err(SelectorFault::Empty.at(at)),
        Value::String(name) => Ok(name.clone()),
        other => Err(wrong(at, "a text", other)),
    }
}

/// Reads a text, which is a pattern for the whole words, or a map of exactly one form of pattern. The text may be
/// empty, a form's value may not.
fn pattern(value: &Value, at: &[String]) -> Result<Pattern, SelectorError> {
    let map = match value {
        Value::String(whole) => return Ok(Pattern::full(whole)),
        Value::Object(map) => map,
        other => return Err(wrong(at, "a text or a pattern", other)),
    };
    let mut entries = map.iter();
    let (Some((form, value)), None) = (entries.next(), entries.next()) else {
        return Err(SelectorFault::NotAPattern.at(at));
    };
    let at = below(at, form);
    if !["contains", "regex", "ignore_case"].contains(&form.as_str()) {
        return Err(SelectorFault::NotAPattern.at(&at));
    }
    let source = name(value, &at)?;
    match form.as_str() {
        "contains" => Ok(Pattern::contains(&source)),
        "ignore_case" => Ok(Pattern::ignore_case(&source)),
        _ => Pattern::regex(&source).map_err(|fault| {
            let fault = fault.to_string();
            SelectorFault::BadRegex { fault }.at(&at)
        }),
    }
}

/// Reads a window's number, or a pattern for its type, package or title. A blank text and a number beyond 32 bits
/// are errors.
fn window(value: &Value, at: &[String]) -> Result<WindowName, SelectorError> {
    if let Some(id) = value.as_i64().and_then(|id| i32::try_from(id).ok()) {
        return Ok(WindowName::Id(id));
    }
    match value {
        Value::String(name) if name.trim().is_empty() => Err(SelectorFault::Empty.at(at)),
        Value::String(name) => Ok(WindowName::Named(Pattern::full(name))),
        other => Err(wrong(at, "a window's id, type, package or title", other)),
    }
}

fn wrong(at: &[String], wanted: &'static str, value: &Value) -> SelectorError {
    let found = type_of(value);
    SelectorFault::WrongType { wanted, found }.at(at)
}

/// Names the type of a value with its article, such as `a text`, for errors. Null is `nothing`.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

/// Returns the advice to quote a number or boolean where a text is wanted, else an empty text.
fn hint(found: &str, wanted: &str) -> &'static str {
    let is_scalar = found == "a number" || found == "true or false";
    if is_scalar && wanted.starts_with("a text") {
        "; put it in quotes"
    } else {
        ""
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Returns the most similar name, if one is similar at all (Jaro–Winkler above 0.75). Letter case of `key`
/// does not count.
fn nearest<'a>(key: &str, names: &[&'a str]) -> Option<&'a str> {
    let likeness = |name: &str| strsim::jaro_winkler(&key.to_lowercase(), name);
    let best = names
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > 0.75).then_some(*best)
}
