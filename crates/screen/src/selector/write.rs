//! Writes a selector on one line, as a flow does, and through serde. Both can be parsed again to the same
//! selector.

use std::fmt::{Display, Formatter, Result};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{ElementWords, Pattern, Selector, WindowName};
use runner_text::flow_text;

/// Formats the selector on one line as a flow writes it, without expressions. It is for people: a text that
/// was cut is cut again after its secrets are masked.
impl Display for Selector {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&flow_text::literal(&self.to_shown_value()))
    }
}

impl Serialize for Selector {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl Selector {
    /// Returns the selector as a JSON value: a string or a map.
    pub fn to_value(&self) -> Value {
        self.value(&Pattern::to_value)
    }

    /// Returns the selector as a JSON value to be shown: a text that was cut is cut again after its secrets are
    /// masked, so it must pass the scrubber.
    pub fn to_shown_value(&self) -> Value {
        self.value(&Pattern::to_display)
    }

    /// Returns the selector as a JSON value with other cuts. For each pattern that was made from the
    /// beginning of a text, `cut` receives the whole text and the byte where it was cut, and returns the byte
    /// where to cut.
    pub fn to_value_cut(&self, cut: &dyn Fn(&str, usize) -> usize) -> Value {
        self.value(&|pattern| pattern.to_value_cut(cut))
    }

    /// Returns the selector as JSON, with patterns as `written` gives them, in this order: id, class, words, states,
    /// relations, window, `any_of`, `index`. The string form is one pattern, whatever else is set.
    fn value(&self, written: &dyn Fn(&Pattern) -> Value) -> Value {
        if let Some(any) = &self.any {
            return written(any);
        }
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
        if let Some(id) = &self.id {
            put("id", json!(id));
        }
        if let Some(class) = &self.class {
            put("class", json!(class));
        }
        for words in ElementWords::ALL {
            if let Some(pattern) = words.wanted(self) {
                put(words.name(), written(pattern));
            }
        }
        for (state, on) in &self.states {
            put(state.name(), json!(on));
        }
        for (relation, anchor) in &self.relations {
            put(relation.name(), anchor.value(written));
        }
        match &self.window {
            Some(WindowName::Id(id)) => put("window", json!(id)),
            Some(WindowName::Named(name)) => put("window", json!(name.source())),
            None => None,
        };
        if !self.any_of.is_empty() {
            let each = self.any_of.iter().map(|selector| selector.value(written));
            put("any_of", each.collect());
        }
        if let Some(index) = self.index {
            put("index", json!(index));
        }
        Value::Object(map)
    }
}
