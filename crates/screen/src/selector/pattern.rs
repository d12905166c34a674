//! Patterns for words: the whole text with `*`, a part of it, a regular expression, or any letter case.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};

use runner_text::secret::Excerpt;

/// Largest size of a compiled regular expression in bytes. Chosen: a tenth of the default of the `regex`
/// crate, and more than a label needs.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// Pattern for text, desc or hint. For a whole text runs of white space count as one space, and those at the
/// ends do not count. A part keeps its ends, and a regular expression sees the value also as it is.
#[derive(Debug, Clone)]
pub struct Pattern {
    kind: PatternKind,
    /// Pattern as written.
    source: String,
    /// Text to compare with: runs of white space are one space, none at the ends of a whole text, and in lower
    /// case if letter case does not count.
    compared: String,
    /// Whole text and the byte at which it was cut, for a pattern made from the beginning of a text.
    of: Option<(String, usize)>,
}

#[derive(Debug, Clone)]
enum PatternKind {
    Full,
    Contains,
    IgnoreCase,
    Regex(Regex),
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        // A `Regex` cannot be compared, but its source can.
        self.kind.name() == other.kind.name() && self.source == other.source
    }
}

impl PatternKind {
    /// Returns the pattern's key in a selector, such as `contains`. A pattern for the whole value has no key; it
    /// is `whole`.
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
    /// Creates a pattern for the whole value; `*` stands for any text, also none. Letter case counts. Runs of
    /// white space are one space, and those at the ends do not count.
    pub fn full(source: &str) -> Self {
        Self::new(PatternKind::Full, source)
    }

    /// Creates a pattern for a part of the value, without wildcards. Letter case counts, and runs of white
    /// space are one space, also at the ends.
    pub fn contains(source: &str) -> Self {
        let mut pattern = Self::new(PatternKind::Contains, source);
        pattern.compared = with_single_spaces(source);
        pattern
    }

    /// Creates a pattern for the whole value in any letter case; `*` stands for any text, and runs of white
    /// space are one space.
    pub fn ignore_case(source: &str) -> Self {
        let mut pattern = Self::new(PatternKind::IgnoreCase, source);
        pattern.compared = lower_case(&pattern.compared);
        pattern
    }

    /// Creates a pattern that matches a regular expression somewhere in the value, as it is or with single
    /// spaces and none at the ends; `^` and `$` anchor it. Letter case counts.
    ///
    /// # Errors
    /// The expression is invalid, or too large once compiled.
    pub fn regex(source: &str) -> Result<Self, regex::Error> {
        let mut builder = RegexBuilder::new(source);
        builder
            .size_limit(MAX_REGEX_BYTES)
            .dfa_size_limit(MAX_REGEX_BYTES);
        Ok(Self::new(PatternKind::Regex(builder.build()?), source))
    }

    /// Creates a pattern that matches exactly these words, whatever characters they have; a `*` stands for itself.
    /// Letter case counts, runs of white space count as one space, and white space at the ends is dropped. Words with a
    /// `*` that are too long for a regular expression may be a part of the value.
    pub fn literal(words: &str) -> Self {
        let words = one_space(words);
        if !words.contains('*') {
            return Self::full(&words);
        }
        let exact = Self::regex(&format!("^{}$", regex::escape(&words)));
        // A wildcard would match other words too.
        exact.unwrap_or_else(|_| Self::contains(&words))
    }

    /// Creates a pattern for words that begin like these, up to the byte `end`. It remembers the whole words, so
    /// that the cut can be moved. Panics if `end` is not at a character's begin or is behind the end.
    pub(super) fn beginning(words: &str, end: usize) -> Self {
        Self {
            of: Some((words.to_owned(), end)),
            ..Self::full(&format!("{}*", &words[..end]))
        }
    }

    /// Creates a pattern of a kind, without a cut. The text that it compares has single spaces and none at the
    /// ends.
    fn new(kind: PatternKind, source: &str) -> Self {
        Self {
            kind,
            source: source.to_owned(),
            compared: one_space(source).into_owned(),
            of: None,
        }
    }

    /// Returns true if the pattern matches these words. Runs of white space count as one space, and none at the
    /// ends but for `contains`. A regular expression is tried on the value as it is too.
    pub fn matches(&self, value: &str) -> bool {
        let words = one_space(value);
        match &self.kind {
            PatternKind::Full => matches_whole(&self.compared, &words),
            PatternKind::Contains => with_single_spaces(value).contains(&self.compared),
            PatternKind::IgnoreCase => matches_whole(&self.compared, &lower_case(&words)),
            PatternKind::Regex(regex) => {
                regex.is_match(value) || words != value && regex.is_match(&words)
            }
        }
    }

    /// Returns the same pattern in any letter case. Returns `None` if letter case does not count already, or if the
    /// pattern would be too large. The result is a regular expression unless this pattern is for the whole value.
    pub(super) fn in_any_case(&self) -> Option<Self> {
        match self.kind {
            PatternKind::Full => Some(Self::ignore_case(&self.source)),
            PatternKind::Contains => {
                Self::regex(&format!("(?i){}", regex::escape(&self.compared))).ok()
            }
            PatternKind::IgnoreCase => None,
            PatternKind::Regex(_) => Self::regex(&format!("(?i){}", self.source)).ok(),
        }
    }

    /// Returns the value of a key of words that matches `actual` in any letter case, if that is all in which `actual`
    /// differs: `{ "ignore_case": … }`, and a regular expression for a part. `None` if this pattern matches, or more
    /// differs.
    pub(super) fn any_case_for(&self, actual: &str) -> Option<Value> {
        let any_case = self.in_any_case()?;
        let is_all = !self.matches(actual) && any_case.matches(actual);
        is_all.then(|| any_case.to_value())
    }

    /// Returns the pattern as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns true if the pattern is compared with the whole value and letter case counts. It may have
    /// wildcards.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.kind, PatternKind::Full)
    }

    /// Returns true if the pattern matches only its own words: it is for the whole value and has no `*`. A
    /// regular expression is none.
    pub(super) fn is_literal(&self) -> bool {
        self.is_whole() && !self.source.contains('*')
    }

    /// Returns the words, with single spaces, if the pattern matches only these; `None` for any other
    /// pattern.
    pub(super) fn literal_words(&self) -> Option<&str> {
        self.is_literal().then_some(self.compared.as_str())
    }

    pub(super) fn is_regex(&self) -> bool {
        matches!(self.kind, PatternKind::Regex(_))
    }

    /// Returns the pattern as a selector's JSON value: the text of a pattern for the whole value, else a map of
    /// one key, such as `{ "contains": … }`.
    pub(super) fn to_value(&self) -> Value {
        match self.kind {
            PatternKind::Full => json!(self.source),
            _ => json!({ self.kind.name(): self.source }),
        }
    }

    /// Returns the value to show to people. The text it was cut from goes with it, so that secrets are masked
    /// before the cut. A pattern without a cut is as in [`Self::to_value`].
    pub(super) fn to_display(&self) -> Value {
        match &self.of {
            Some((words, end)) => json!(Excerpt::until(words, *end).ending("*").to_string()),
            None => self.to_value(),
        }
    }

    /// Returns the pattern as a selector's JSON value, with the cut moved: the place where a long text was
    /// cut and `*` put. `cut` receives the whole text and the old cut in bytes, and returns the new one.
    /// Behind the end of the text, or after a `*` in it, the whole text is written. A pattern without a cut
    /// stays.
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

/// Formats the pattern for people: the words, or `contains: …`.
impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            PatternKind::Full => f.write_str(&self.source),
            _ => write!(f, "{}: {}", self.kind.name(), self.source),
        }
    }
}

/// Returns the text in lower case. The two small forms of the Greek sigma are one: which of them stands for a capital
/// depends on the letters behind it, and a `*` in a pattern hides those.
fn lower_case(text: &str) -> String {
    text.to_lowercase().replace('ς', "σ")
}

/// Replaces each run of white space by one space, also at the ends.
fn with_single_spaces(value: &str) -> String {
    let mut words = String::with_capacity(value.len());
    for letter in value.chars() {
        if !letter.is_whitespace() {
            words.push(letter);
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
    }
    words
}

/// Replaces each run of white space by one space, and removes it at the ends.
pub(super) fn one_space(value: &str) -> Cow<'_, str> {
    let mut words = value.split_whitespace();
    let is_so = value.len()
        == words.next().map_or(0, str::len) + words.map(|word| word.len() + 1).sum::<usize>();
    if is_so && !value.contains(|c: char| c.is_whitespace() && c != ' ') {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns true if all of `value` matches; `*` in `pattern` stands for any text, also none. There is no other
/// special character, and letter case counts.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_counts_in_a_part_and_in_a_regular_expression_only() {
        let regex = |source: &str| Pattern::regex(source).unwrap();
        for (pattern, value, is_match) in [
            (Pattern::full(" Wrong password"), "Wrong\n\tpassword ", true),
            (Pattern::full("Wrong* "), "Wrong\npassword", true),
            (
                Pattern::ignore_case("wrong  PASSWORD"),
                "Wrong\npassword",
                true,
            ),
            (Pattern::contains("in "), "Sign in", false),
            (Pattern::contains("in "), "Sign in now", true),
            (Pattern::contains("in "), "Sign in\n", true),
            (Pattern::contains(" "), "Save", false),
            (Pattern::contains(" "), "Save all", true),
            (Pattern::contains("in now"), "Sign in\n now", true),
            (Pattern::contains("in\t now"), "Sign in now", true),
            (regex("Wrong\\npassword"), "Wrong\npassword", true),
            (regex("Wrong\npassword"), "Wrong\npassword", true),
            (regex("(?m)^password$"), "Wrong\npassword", true),
            (regex("^Wrong password$"), " Wrong\npassword", true),
            (regex("a\\tb"), "a\tb", true),
            (regex("a  b"), "a  b", true),
            (regex("a  b"), "a b", false),
            (regex("(?m)^password$"), "Wrong password", false),
        ] {
            assert_eq!(pattern.matches(value), is_match, "{pattern} on {value:?}");
        }
    }

    #[test]
    fn a_letter_has_no_case_before_a_star_either() {
        for (words, value) in [
            ("sign*", "SIGN IN"),
            ("*ÄNDERN", "Passwort ändern"),
            ("ΟΔΟΣ", "οδος"),
            ("ΟΔΟΣ*", "οδος 5"),
            ("ΟΔΟΣ*", "ΟΔΟΣΗΜΑΝΣΗ"),
            ("*Σ*Σ", "οδοσημανσης"),
        ] {
            let pattern = Pattern::ignore_case(words);
            for value in [value.to_uppercase(), value.to_lowercase()] {
                assert!(pattern.matches(&value), "{words} on {value}");
            }
        }
    }

    #[test]
    fn a_star_in_words_of_any_length_is_no_wildcard() {
        for length in [1, 200_000] {
            let words = format!("{}*b", "a".repeat(length));
            let literal = Pattern::literal(&words);
            assert!(literal.matches(&words), "{length}");
            assert!(!literal.matches(&words.replace('*', "x")), "{length}");
        }
    }
}
