//! Texts, expressions and selectors in our own language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::super::tree::{RawText, Selector};
use super::script::{self, Kind, OwnExpression, Resolve};

/// What cannot be said, and why.
#[derive(Debug, Clone)]
pub(super) struct NotSaid(pub(super) String);

pub(super) type Said<T> = Result<T, NotSaid>;

pub(super) fn cannot<T>(why: impl Into<String>) -> Said<T> {
    Err(NotSaid(why.into()))
}

/// An expression of Maestro's: to the last `}` before the next `$`.
static EXPRESSION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\\?)\$\{([^$]*)\}").ok());
/// What makes a text a regular expression that somebody meant.
static MEANT_REGEX: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\.[*+]|\\|\||\[|^\^|[^}]\$$|\(\?|\{\d").ok());

/// Fields of `output` with what their values are.
pub(super) type Outputs = BTreeMap<String, Kind>;

/// The names that expressions use.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Given by the flow itself.
    pub(super) known: BTreeSet<String>,
    /// Used, and given by nobody in this file.
    pub(super) given: BTreeSet<String>,
    /// `copyTextFrom` kept a text.
    pub(super) has_copied: bool,
    /// Fields of `output` that are names here, with what their values are.
    pub(super) outputs: Outputs,
    /// The name of the header's `env` whose value is read now.
    pub(super) in_header: Option<String>,
    /// The name of the file, without its ending.
    pub(super) file: String,
}

impl Names {
    /// A text with `${}` in our own words.
    pub(super) fn text(&mut self, raw: &RawText) -> Said<String> {
        self.template(&raw.text)
    }

    fn template(&mut self, text: &str) -> Said<String> {
        let Some(pattern) = EXPRESSION.as_ref() else {
            return cannot("its expressions cannot be read");
        };
        let mut said = String::new();
        let mut from = 0;
        for found in pattern.captures_iter(text) {
            let whole = found.get(0).map(|it| it.range()).unwrap_or_default();
            said.push_str(&text[from..whole.start].replace("${", "$${"));
            if found.get(1).is_some_and(|it| !it.is_empty()) {
                said.push('$');
                said.push_str(&text[whole.start + 1..whole.end]);
            } else {
                let inner = found.get(2).map_or("", |it| it.as_str());
                said.push_str("${");
                said.push_str(&self.expression(inner)?);
                said.push('}');
            }
            from = whole.end;
        }
        said.push_str(&text[from..].replace("${", "$${"));
        Ok(said)
    }

    fn name(&mut self, name: &str) -> String {
        if !self.known.contains(name) {
            self.given.insert(name.to_owned());
        }
        name.to_owned()
    }

    fn expression(&mut self, text: &str) -> Said<String> {
        let given = self.given.clone();
        let said = script::expression(text, self);
        if said.is_err() {
            // Nobody needs the names of what is not said.
            self.given = given;
        }
        Ok(said?.text)
    }

    /// A condition that is one `${}`, without its braces.
    pub(super) fn condition(&mut self, raw: &RawText) -> Said<String> {
        let text = raw.text.trim();
        let inner = text.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
        self.expression(inner.unwrap_or(text))
    }

    /// Notes that a field of `output` has a value of this kind from here on.
    pub(super) fn output_is(&mut self, name: &str, kind: Kind) {
        let known = self.outputs.entry(name.to_owned()).or_insert(kind);
        if *known != kind {
            *known = Kind::Any;
        }
        self.known.insert(name.to_owned());
    }

    /// A text that an element must have: exact, where no regular expression was meant.
    fn matched(&mut self, raw: &RawText) -> Said<Value> {
        let text = &raw.text;
        let written = EXPRESSION.as_ref().map(|it| it.replace_all(text, ""));
        let written = written.as_deref().unwrap_or(text);
        if !MEANT_REGEX.as_ref().is_some_and(|it| it.is_match(written)) {
            return Ok(Value::String(self.template(text)?));
        }
        let plain = written.replace(".*", "");
        let others = [
            '\\', '|', '[', ']', '(', ')', '^', '$', '+', '?', '*', '{', '}',
        ];
        if !plain.contains(others) {
            return Ok(Value::String(self.template(&text.replace(".*", "*"))?));
        }
        let pattern = format!("(?is)^(?:{text})$");
        if !raw.has_script() && Regex::new(&pattern).is_err() {
            return cannot(format!("`{text}` is no regular expression here"));
        }
        Ok(json!({ "regex": self.template(&pattern)? }))
    }

    /// A selector as a map.
    pub(super) fn selector(&mut self, selector: &Selector) -> Said<Map<String, Value>> {
        let mut map = Map::new();
        if selector.width.is_some() || selector.height.is_some() {
            return cannot("no selector here goes by width and height");
        }
        if !selector.traits.is_empty() {
            return cannot("no selector here goes by traits");
        }
        if let Some(text) = &selector.text {
            map.insert("text".to_owned(), self.matched(text)?);
        }
        if let Some(id) = &selector.id {
            let Value::String(said) = self.matched(id)? else {
                return cannot("an id is no regular expression here");
            };
            if said.contains('*') {
                return cannot("an id is no pattern here");
            }
            map.insert("id".to_owned(), said.into());
        }
        for (name, state) in [
            ("enabled", selector.enabled),
            ("selected", selector.selected),
            ("checked", selector.checked),
            ("focused", selector.focused),
        ] {
            if let Some(state) = state {
                map.insert(name.to_owned(), state.into());
            }
        }
        for (name, other) in [
            ("below", &selector.below),
            ("above", &selector.above),
            ("left_of", &selector.left_of),
            ("right_of", &selector.right_of),
            ("inside", &selector.child_of),
            ("has", &selector.contains_child),
        ] {
            if let Some(other) = other {
                map.insert(name.to_owned(), short(self.selector(other)?));
            }
        }
        match selector.contains_descendants.as_slice() {
            [] => {}
            [only] if !map.contains_key("has") => {
                map.insert("has".to_owned(), short(self.selector(only)?));
            }
            _ => return cannot("`has` takes one element"),
        }
        if let Some(index) = &selector.index {
            let number: f64 = match index.text.trim().parse() {
                Ok(number) => number,
                Err(_) => return cannot("`index` takes no expression here"),
            };
            #[expect(clippy::cast_possible_truncation, reason = "Maestro cuts it too")]
            map.insert("index".to_owned(), (number as i64).into());
        }
        Ok(map)
    }
}

impl Resolve for Names {
    fn resolve(&mut self, path: &str) -> Option<OwnExpression> {
        if let Some(field) = path.strip_prefix("output.") {
            let kind = *self.outputs.get(field)?;
            return Some(OwnExpression::single(field, kind));
        }
        match path {
            "maestro.copiedText" if self.has_copied => {
                Some(OwnExpression::single("copied.text", Kind::Text))
            }
            "maestro.platform" => Some(OwnExpression::single("'android'", Kind::Text)),
            "MAESTRO_FILENAME" if !self.file.contains(['\'', '\\']) => {
                let name = format!("'{}'", self.file);
                Some(OwnExpression::single(name, Kind::Text))
            }
            // What the environment gives to a name that has a value of its own.
            name if self.in_header.as_deref() == Some(name) => {
                let given = OwnExpression::single(format!("os.{name}"), Kind::Text);
                Some(given.through("default('')", Kind::Text))
            }
            // Words of the language, and what is no name.
            "typeof" | "new" | "void" | "null" | "undefined" | "await" | "http" | "json"
            | "faker" => None,
            _ if path.contains('.') => None,
            name => Some(OwnExpression::single(self.name(name), Kind::Text)),
        }
    }

    fn is_missing(&self, name: &str) -> bool {
        !self.known.contains(name)
    }
}

/// A text alone is the selector's short form.
pub(super) fn short(mut map: Map<String, Value>) -> Value {
    match map.get("text") {
        Some(Value::String(_)) if map.len() == 1 => map.remove("text").unwrap_or_default(),
        _ => Value::Object(map),
    }
}
