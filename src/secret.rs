//! The one scrubber: secrets never reach a terminal, a report, a log, an event or a file.
//!
//! Values are added while a flow is read and run; every output goes through [`Scrubber::scrub`], events through
//! [`Scrubber::scrub_event`] before anyone sees them. A value is also found in the escaped forms that outputs commonly
//! give it (JSON, XML, URL, YAML, shell, and `%s` of `input text`); it is not found cut in pieces or encoded otherwise.

mod event;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, RwLock};

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// Shared set of secret values. Cloning shares the set.
#[derive(Clone, Default)]
pub struct Scrubber {
    values: Arc<RwLock<Vec<String>>>,
}

/// Says how many values there are, never which.
impl std::fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.read().len();
        f.debug_struct("Scrubber")
            .field("values", &count)
            .finish_non_exhaustive()
    }
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
        for form in forms(value) {
            if !values.contains(&form) {
                values.push(form);
            }
        }
    }

    /// `text` with every secret replaced by [`MASK`]. Secrets that touch or overlap become one mask.
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let ranges = self.find(text);
        if ranges.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut clean = String::with_capacity(text.len());
        let mut end = 0;
        for range in ranges {
            clean.push_str(&text[end..range.start]);
            clean.push_str(MASK);
            end = range.end;
        }
        clean.push_str(&text[end..]);
        Cow::Owned(clean)
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

    /// Where secrets stand in `text`: sorted ranges that neither overlap nor touch.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for value in self.read().iter() {
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| rest.find(value.as_str())) {
                let start = from + at;
                found.push(start..start + value.len());
                // On by one character only: a secret may overlap itself.
                from = start + text[start..].chars().next().map_or(1, char::len_utf8);
            }
        }
        found.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Vec<String>> {
        self.values
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// `value` as it is and as the outputs escape it. Forms may be equal to each other.
fn forms(value: &str) -> Vec<String> {
    let mut forms = vec![
        value.to_owned(),
        value.replace('\'', r"'\''"),
        value.replace('\'', "''"),
        value.replace(' ', "%s"),
        quick_xml::escape::escape(value).into_owned(),
        quick_xml::escape::partial_escape(value).into_owned(),
        percent_encoded(value, "%20"),
        percent_encoded(value, "+"),
    ];
    if let Ok(json) = serde_json::to_string(value)
        && let Some(inner) = json.get(1..json.len().saturating_sub(1))
    {
        forms.push(inner.to_owned());
    }
    forms
}

/// As in the query of a URL: all but the unreserved characters of RFC 3986 as `%XX`, a space as `space`.
fn percent_encoded(value: &str, space: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push_str(space),
            _ => {
                // Writing to a string does not fail.
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
