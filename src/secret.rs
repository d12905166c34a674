//! The one scrubber: secrets never reach a terminal, a report, a log, an event or a file.
//!
//! Values are added while a flow is read and run; every output goes through [`Scrubber::scrub`].

use std::borrow::Cow;
use std::sync::{Arc, RwLock};

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// Shared set of secret values. Cloning shares the set.
#[derive(Debug, Clone, Default)]
pub struct Scrubber {
    values: Arc<RwLock<Vec<String>>>,
}

impl Scrubber {
    /// Remembers `value`; an empty or blank value is ignored, for it would mask everything.
    pub fn add(&self, value: &str) {
        if value.trim().is_empty() {
            return;
        }
        let mut values = self
            .values
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if !values.iter().any(|known| known == value) {
            values.push(value.to_owned());
            // The longest first, so that a secret which contains another is masked whole.
            values.sort_by_key(|known| std::cmp::Reverse(known.len()));
        }
    }

    /// `text` with every secret replaced by [`MASK`].
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let values = self
            .values
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut result = Cow::Borrowed(text);
        for value in values.iter() {
            if result.contains(value.as_str()) {
                result = Cow::Owned(result.replace(value.as_str(), MASK));
            }
        }
        result
    }

    /// Scrubs every string inside a JSON value, keys too.
    pub fn scrub_json(&self, value: &mut serde_json::Value) {
        use serde_json::Value;
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.scrub(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.scrub_json(item)),
            Value::Object(map) => {
                let entries = std::mem::take(map);
                for (key, mut item) in entries {
                    self.scrub_json(&mut item);
                    map.insert(self.scrub(&key).into_owned(), item);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
