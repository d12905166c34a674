//! Short ways to make diagnostics, and the search for the nearest name.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Source};

/// A range of a source.
pub struct Place<'a> {
    source: &'a Arc<Source>,
    span: Range<usize>,
}

impl<'a> Place<'a> {
    /// The bytes `span` of `source`.
    pub fn new(source: &'a Arc<Source>, span: Range<usize>) -> Self {
        Self { source, span }
    }
}

/// A diagnostic at a place, as bad as its code says.
pub fn error(place: &Place, code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic {
        code,
        severity: code.severity(),
        message: message.into(),
        source: Arc::clone(place.source),
        span: place.span.clone(),
        labels: Vec::new(),
        help: None,
    }
}

/// The name that was probably meant.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let wrong = plain(wrong);
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wrong, &plain(name)), name))
        .filter(|(distance, name)| *distance <= (name.chars().count().max(3) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// "did you mean", or the names there are.
pub fn suggest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    const MAX_DISPLAYED: usize = 24;
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(name) = nearest(wrong, names.iter().copied()) {
        return Some(format!("did you mean `{name}`?"));
    }
    if names.is_empty() {
        return None;
    }
    let mut list = names
        .iter()
        .take(MAX_DISPLAYED)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MAX_DISPLAYED {
        list.push_str(", …");
    }
    Some(format!("known here: {list}"))
}

/// What was probably meant by a key that is not among `names`.
pub fn suggestion<'a>(key: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.into_iter().collect();
    if ["contains", "ignore_case", "regex"].contains(&key) && names.contains(&"text") {
        return Some(format!(
            "it says how a text is compared, so write `text: {{ {key}: … }}`"
        ));
    }
    suggest(key, names)
}
