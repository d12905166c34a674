//! Writes the element that a mistake names into the code of advice.

use regex::Regex;
use runner_text::flow_text;
use serde_json::Value;

use super::tables::{lists, plain};
use crate::yaml::Node;

/// Compiles a pattern that is a constant. Panics for an invalid one.
#[expect(clippy::unwrap_used, reason = "the patterns are constants with tests")]
pub(super) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

/// Formats a text as a value of a flow, in quotes where YAML needs them. `${…}` stays as it is.
pub(crate) fn yaml(text: &str) -> String {
    flow_text::with_expressions(&Value::String(text.to_owned()))
}

/// Puts a text with an expression in quotes for YAML: double ones if it has neither a backslash nor both kinds of
/// quotes. Its own double quotes become single ones then. Otherwise it gets single quotes, and its own single ones are
/// doubled.
pub(crate) fn quoted(text: &str) -> String {
    if !text.contains(['"', '\\']) {
        format!("\"{text}\"")
    } else if text.contains(['\'', '\\']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("\"{}\"", text.replace('"', "'"))
    }
}

/// Formats a node as a value of a flow, for an example in advice. A number or boolean stays as it is written, a text
/// gets quotes where YAML needs them. A list, a map, a null and an empty text become `…`, a place to fill in.
fn written(node: &Node) -> String {
    match node.scalar() {
        Some(scalar) if node.is_missing() || scalar.text.is_empty() => "…".to_owned(),
        Some(scalar) if scalar.boolean().is_some() || scalar.number().is_some() => {
            scalar.text.clone()
        }
        Some(scalar) => yaml(&scalar.text),
        None => "…".to_owned(),
    }
}

/// Element in the words of a selector.
pub(crate) struct Element {
    /// Keys and values of the selector, without braces: `id: save`.
    inside: String,
    /// The value of `text` in YAML, if that is the only key.
    text: Option<String>,
}

impl Element {
    /// Builds an element from one key of a selector and its value, which gets quotes where YAML needs them.
    pub(super) fn new(key: &str, value: &str) -> Self {
        let value = yaml(value);
        Self {
            inside: format!("{key}: {value}"),
            text: (key == "text").then_some(value),
        }
    }

    /// Builds an element with a part of its text.
    pub(super) fn containing(text: &str) -> Self {
        Self {
            inside: format!("text: {{ contains: {} }}", yaml(text)),
            text: None,
        }
    }

    /// Adds an index, which counts from 0.
    pub(super) fn at_index(self, index: u32) -> Self {
        Self {
            inside: format!("{}, index: {index}", self.inside),
            text: None,
        }
    }

    /// Adds where the element is: `relation` is a key such as `inside`.
    pub(super) fn beside(self, relation: &str, other: &Self) -> Self {
        Self {
            inside: format!("{}, {relation}: {}", self.inside, other.in_braces()),
            text: None,
        }
    }

    /// Returns the element with a text beside its other keys; `None` if it has one already.
    pub(super) fn with_text(&self, text: &str) -> Option<Self> {
        (!self.inside.contains("text: ")).then(|| Self {
            inside: format!("{}, text: {}", self.inside, yaml(text)),
            text: None,
        })
    }

    /// Builds an element from keys of a selector and their values. A list, a map, a null and an empty text
    /// become `…`. Returns `None` without entries.
    pub(crate) fn from_entries<'n>(
        entries: impl IntoIterator<Item = (&'n str, &'n Node)>,
    ) -> Option<Self> {
        let entries = entries.into_iter();
        let entries: Vec<(&str, String)> =
            entries.map(|(key, node)| (key, written(node))).collect();
        let text = match entries.as_slice() {
            [] => return None,
            [("text", text)] => Some(text.clone()),
            _ => None,
        };
        let inside = entries.iter().map(|(key, value)| format!("{key}: {value}"));
        let inside: Vec<String> = inside.collect();
        Some(Self {
            inside: inside.join(", "),
            text,
        })
    }

    /// Returns the selector as a map in braces.
    pub(crate) fn in_braces(&self) -> String {
        format!("{{ {} }}", self.inside)
    }

    /// Returns the selector in its shortest form: a text alone, or a map.
    pub(crate) fn shortest(&self) -> String {
        self.text.clone().unwrap_or_else(|| self.in_braces())
    }
}

/// Puts an element and a text into `ours`, a row of the tables such as `` `type: { into: …, text: … }` ``. The element
/// goes to `into: …`, else to a `…` that is the whole value, else into the braces; the text goes to `text: …` and
/// `contains: …`. A place without its part keeps its `…`. Returns `ours` unchanged if it does not begin with code, its
/// step takes no element, or `assert` would get `text` twice.
pub(crate) fn fill(ours: &str, element: Option<&Element>, text: Option<&str>) -> String {
    const TAKES: [&str; 10] = [
        "click",
        "long_click",
        "double_click",
        "find",
        "assert visible",
        "assert not visible",
        "wait_for",
        "scroll_to",
        "erase",
        "type",
    ];
    let parts = ours
        .strip_prefix('`')
        .and_then(|code| code.split_once('`'))
        .and_then(|(code, rest)| Some((code, code.split_once(':')?.0, rest)));
    let Some((code, step, rest)) = parts else {
        return ours.to_owned();
    };
    if step != "assert" && !TAKES.contains(&step) {
        return ours.to_owned();
    }
    let mut filled = code.to_owned();
    if let Some(element) = element {
        let (inside, whole) = (&element.inside, element.shortest());
        let is_twice = inside.contains("text: ") && code.contains(", text:") && step == "assert";
        if is_twice {
            return ours.to_owned();
        }
        filled = if code.contains("into: …") {
            code.replacen("into: …", &format!("into: {whole}"), 1)
        } else if let Some(begin) = code.strip_suffix(": …") {
            format!("{begin}: {whole}")
        } else if code.contains("{ id: …") {
            code.replacen("id: …", inside, 1)
        } else {
            code.replacen("{ …,", &format!("{{ {inside},"), 1)
        };
    }
    if let Some(text) = text {
        let text = yaml(text);
        filled = filled.replacen("text: …", &format!("text: {text}"), 1);
        filled = filled.replacen("contains: …", &format!("contains: {text}"), 1);
    }
    format!("`{filled}`{rest}")
}

/// Returns the key of a selector that a word of another tool means: `id` for `withId`, `getByTestId` and
/// `resourceId`. Returns `None` for words that mean no property of an element.
pub(super) fn property(word: &str) -> Option<&'static str> {
    const BEGINS: [&str; 12] = [
        "onallnodeswith",
        "onnodewith",
        "findelementsby",
        "findelementby",
        "getallby",
        "findallby",
        "queryby",
        "getby",
        "findby",
        "with",
        "has",
        "by",
    ];
    const PROPERTIES: [(&str, &str); 5] = [
        (
            "id",
            "id resourceid resource res testid testtag tag viewid resourcename",
        ),
        ("text", "text linktext"),
        (
            "desc",
            "desc description contentdesc contentdescription accessibilityid accessibilitylabel label labeltext alttext",
        ),
        ("hint", "hint hinttext placeholder placeholdertext"),
        ("class", "class classname clazz"),
    ];
    let word = plain(word);
    let bare = BEGINS
        .iter()
        .find_map(|begin| word.strip_prefix(begin).filter(|rest| !rest.is_empty()));
    let means = |word: &str| {
        let mut rows = PROPERTIES.iter();
        rows.find(|(_, words)| lists(words, word))
            .map(|(key, _)| *key)
    };
    means(&word).or_else(|| means(bare?))
}
