//! Writing a selector: as a flow does, on one line, and through serde. Both read back as the same selector.

use std::fmt::{Display, Formatter, Result};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{ElementWords, Pattern, Selector, WindowName};
use runner_text::flow_text;

/// The selector as a flow writes it, on one line: nothing in it is an expression. For people: what was made from the
/// beginning of a longer text is shown once its secrets are masked.
impl Display for Selector {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&flow_text::literal(&self.value(&Pattern::to_display)))
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
        self.value(&Pattern::to_value)
    }

    /// The selector as a value, where `cut` says anew where words end of which only the beginning is taken: it is given
    /// all of them and where they end now.
    pub fn to_value_cut(&self, cut: &dyn Fn(&str, usize) -> usize) -> Value {
        self.value(&|pattern| pattern.to_value_cut(cut))
    }

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
