//! The one scrubber: secrets never reach a terminal, a report, a log, an event or a file.
//!
//! Values are added while a flow is read and run; every output goes through [`Scrubber::scrub`], events go through
//! one by one before anyone sees them. A value is also found in the escaped forms that outputs commonly
//! give it (JSON, XML, URL, YAML, shell, and `%s` of `input text`), with its white space as single spaces, and of several
//! lines each line; it is not found cut in other pieces or encoded otherwise. So nothing but an [`Excerpt`] is cut before.

mod excerpt;
mod literals;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock, RwLock};

pub use excerpt::{Excerpt, from_outside, unmarkable};
pub use literals::{literals, sounds_secret};

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// A shorter secret stands in too many other places by chance: it is masked, and `lint` warns.
pub const SHORTEST: usize = 4;

/// Shared set of secret values. Cloning shares the set.
#[derive(Clone, Default)]
pub struct Scrubber {
    values: Arc<RwLock<BTreeSet<String>>>,
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

/// Knows every value that any scrubber was told since [`Scrubber::of_process`] was first asked for.
static OF_PROCESS: OnceLock<Scrubber> = OnceLock::new();

impl Scrubber {
    /// The scrubber for what outlives runs and servers, such as a log: from its first use on it learns what every other
    /// scrubber is told.
    pub fn of_process() -> &'static Self {
        OF_PROCESS.get_or_init(Self::default)
    }

    /// Remembers `value`; an empty or blank value is ignored, for it would mask everything.
    pub fn add(&self, value: &str) {
        if value.trim().is_empty() {
            return;
        }
        if let Some(all) = OF_PROCESS.get()
            && !Arc::ptr_eq(&all.values, &self.values)
        {
            all.add(value);
        }
        let mut values = self
            .values
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        values.extend(spacings(value).iter().flat_map(|value| forms(value)));
    }

    /// One of its own with the values that are known now.
    #[must_use]
    pub fn copy(&self) -> Self {
        let values = self.read().clone();
        Self {
            values: Arc::new(RwLock::new(values)),
        }
    }

    /// `text` with every secret replaced by [`MASK`]; then [`Excerpt`]s are cut. Secrets that touch or overlap become one
    /// mask.
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let (whole, hidden) = excerpt::unmarked(text);
        let masks = self.find(&whole);
        if masks.is_empty() && hidden.is_empty() {
            return whole;
        }
        let mut clean = String::with_capacity(whole.len());
        let mut hidden = hidden.into_iter().peekable();
        let mut masks = masks.into_iter().peekable();
        let mut at = 0;
        while at < whole.len() {
            if let Some(part) = hidden.next_if(|part| part.start <= at) {
                // A mask that reaches out of it hides the rest of its secret, too.
                while let Some(mask) = masks.next_if(|mask| mask.start < part.end) {
                    at = at.max(mask.end);
                }
                at = at.max(part.end);
            } else if let Some(mask) = masks.next_if(|mask| mask.start <= at) {
                clean.push_str(MASK);
                at = mask.end;
            } else {
                let starts = [
                    hidden.peek().map(|part| part.start),
                    masks.peek().map(|mask| mask.start),
                ];
                let next = starts.into_iter().flatten().min().unwrap_or(whole.len());
                clean.push_str(&whole[at..next]);
                at = next;
            }
        }
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
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
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

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeSet<String>> {
        self.values
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A text that no secret can stand in, such as one for which none is known: its [`Excerpt`]s are cut.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    Scrubber::default().scrub(text)
}

/// `value` as it is, with its white space as outputs on one line have it, and each of its lines.
fn spacings(value: &str) -> Vec<String> {
    let mut spacings = vec![value.to_owned()];
    if value.contains(|c: char| c.is_whitespace() && c != ' ')
        || value.trim() != value
        || value.contains("  ")
    {
        spacings.push(value.split_whitespace().collect::<Vec<_>>().join(" "));
        spacings.push(value.trim().to_owned());
        spacings.push(value.trim().replace("\r\n", "\n"));
        spacings.push(value.trim().replace(['\t', '\n', '\r'], " "));
        // As reports print the lines of a text, each after its margin.
        let lines = value.split(['\n', '\r']).map(str::trim);
        spacings.extend(
            lines
                .filter(|line| line.chars().count() >= SHORTEST)
                .map(str::to_owned),
        );
    }
    // As messages name the words that two texts share.
    let words = value.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.len() > 1 {
        spacings.push(words.join(" "));
    }
    spacings
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
    let debug = format!("{value:?}");
    forms.extend(debug.get(1..debug.len() - 1).map(str::to_owned));
    forms.retain(|form| !form.trim().is_empty());
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
