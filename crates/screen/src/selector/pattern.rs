//! How words are compared: whole with `*`, a part, a regular expression, in any letter case.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};

use runner_text::secret::Excerpt;

/// Bytes a compiled regular expression may take.
const REGEX_SIZE: usize = 1 << 20;

/// A pattern for text, desc or hint. Runs of white space count as one space, at the ends as none.
#[derive(Debug, Clone)]
pub struct Pattern {
    kind: Kind,
    /// As it was written.
    source: String,
    /// What is compared: white space as one, lower case where case does not count.
    compared: String,
    /// The words it was made from the beginning of, and where they were cut.
    of: Option<(String, usize)>,
}

#[derive(Debug, Clone)]
enum Kind {
    Full,
    Contains,
    IgnoreCase,
    Regex(Regex),
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        // A `Regex` cannot be compared; what it was written as can.
        self.kind.name() == other.kind.name() && self.source == other.source
    }
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Self::Full => "whole",
            Self::Contains => "contains",
            Self::IgnoreCase => "ignore_case",
            Self::Regex(_) => "regex",
        }
    }
}

impl Pattern {
    /// The whole value; `*` stands for anything.
    pub fn full(source: &str) -> Self {
        Self::new(Kind::Full, source)
    }

    /// A part of the value, letter by letter.
    pub fn contains(source: &str) -> Self {
        Self::new(Kind::Contains, source)
    }

    /// The whole value in any letter case; `*` stands for anything.
    pub fn ignore_case(source: &str) -> Self {
        let mut pattern = Self::new(Kind::IgnoreCase, source);
        pattern.compared = pattern.compared.to_lowercase();
        pattern
    }

    /// A regular expression that matches somewhere in the value; `^` and `$` tie it to the ends.
    ///
    /// # Errors
    /// The expression is faulty, or too large once compiled.
    pub fn regex(source: &str) -> Result<Self, regex::Error> {
        let mut builder = RegexBuilder::new(source);
        builder.size_limit(REGEX_SIZE).dfa_size_limit(REGEX_SIZE);
        Ok(Self::new(Kind::Regex(builder.build()?), source))
    }

    /// Exactly these words, whatever characters they have.
    pub fn literal(words: &str) -> Self {
        let words = one_space(words);
        if words.contains('*')
            && let Ok(exact) = Self::regex(&format!("^{}$", regex::escape(&words)))
        {
            return exact;
        }
        Self::full(&words)
    }

    /// Words that begin as these do, up to the byte `end`.
    pub(super) fn beginning(words: &str, end: usize) -> Self {
        Self {
            of: Some((words.to_owned(), end)),
            ..Self::full(&format!("{}*", &words[..end]))
        }
    }

    fn new(kind: Kind, source: &str) -> Self {
        Self {
            kind,
            source: source.to_owned(),
            compared: one_space(source).into_owned(),
            of: None,
        }
    }

    /// Whether `value` matches.
    pub fn matches(&self, value: &str) -> bool {
        let value = one_space(value);
        match &self.kind {
            Kind::Full => matches_whole(&self.compared, &value),
            Kind::Contains => value.contains(&self.compared),
            Kind::IgnoreCase => matches_whole(&self.compared, &value.to_lowercase()),
            Kind::Regex(regex) => regex.is_match(&value),
        }
    }

    /// The same in any letter case; nothing where letter case does not count already.
    pub(super) fn in_any_case(&self) -> Option<Self> {
        match self.kind {
            Kind::Full => Some(Self::ignore_case(&self.source)),
            Kind::Contains => Self::regex(&format!("(?i){}", regex::escape(&self.compared))).ok(),
            Kind::IgnoreCase => None,
            Kind::Regex(_) => Self::regex(&format!("(?i){}", self.source)).ok(),
        }
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether it is compared with the whole value, letter case and all.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.kind, Kind::Full)
    }

    /// Whether it is just these words, and no others.
    pub(super) fn is_literal(&self) -> bool {
        self.is_whole() && !self.source.contains('*')
    }

    /// The words, where it is just these.
    pub(super) fn literal_words(&self) -> Option<&str> {
        self.is_literal().then_some(self.compared.as_str())
    }

    pub(super) fn is_regex(&self) -> bool {
        matches!(self.kind, Kind::Regex(_))
    }

    /// As a selector holds it.
    pub(super) fn to_value(&self) -> Value {
        match self.kind {
            Kind::Full => json!(self.source),
            _ => json!({ self.kind.name(): self.source }),
        }
    }

    /// As a person is shown it, once its secrets are masked.
    pub(super) fn to_display(&self) -> Value {
        match &self.of {
            Some((words, end)) => json!(Excerpt::until(words, *end).ending("*").to_string()),
            None => self.to_value(),
        }
    }

    /// As a selector holds it, where words that were cut may have to be cut elsewhere.
    pub(super) fn to_value_cut(&self, cut: &dyn Fn(&str, usize) -> usize) -> Value {
        let Some((words, end)) = &self.of else {
            return self.to_value();
        };
        match cut(words, *end) {
            moved if moved == *end => self.to_value(),
            moved if moved < words.len() && !words[..moved].contains('*') => {
                Self::beginning(words, moved).to_value()
            }
            _ => Self::literal(words).to_value(),
        }
    }
}

/// As people see it: the words, or `contains: …`.
impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            Kind::Full => f.write_str(&self.source),
            _ => write!(f, "{}: {}", self.kind.name(), self.source),
        }
    }
}

/// Runs of white space as one space, none at the ends.
pub(super) fn one_space(value: &str) -> Cow<'_, str> {
    let mut words = value.split_whitespace();
    let is_so = value.len()
        == words.next().map_or(0, str::len) + words.map(|word| word.len() + 1).sum::<usize>();
    if is_so && !value.contains(|c: char| c.is_whitespace() && c != ' ') {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether all of `value` matches; `*` in `pattern` stands for anything.
fn matches_whole(pattern: &str, value: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == value;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let inner = value
        .strip_prefix(first)
        .and_then(|value| value.strip_suffix(last));
    let Some(mut inner) = inner else {
        return false;
    };
    // The earliest place for each part leaves the most room for the next.
    for part in middle.split('*') {
        match inner.find(part) {
            Some(at) => inner = &inner[at + part.len()..],
            None => return false,
        }
    }
    true
}
