//! Helpers to build diagnostics, and the search for the nearest name.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Source};

/// Range of bytes in a source.
pub struct SourceRange<'a> {
    source: &'a Arc<Source>,
    span: Range<usize>,
}

impl<'a> SourceRange<'a> {
    pub fn new(source: &'a Arc<Source>, span: Range<usize>) -> Self {
        Self { source, span }
    }
}

/// Builds a diagnostic at a range of a source, without help and labels. It is an error or a warning by the usual
/// severity of its code.
pub fn error(range: &SourceRange, code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic {
        code,
        severity: code.severity(),
        message: message.into(),
        source: Arc::clone(range.source),
        span: range.span.clone(),
        labels: Vec::new(),
        help: None,
    }
}

/// Returns the name that was probably meant: the nearest by edit distance among those that differ by a slip and do
/// not say the opposite, such as `enabled` and `disabled`. Case, and `-` or a space for `_`, do not count. An equal
/// name is the nearest. Of equally near ones the first counts; `None` if none differs by a slip only.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = snake_case(wrong);
    let near = |name: &'a str| {
        let other = snake_case(name);
        let is_near = is_like(&wrong, &other) && !is_opposite(&wrong, &other);
        is_near.then(|| (strsim::damerau_levenshtein(&wrong, &other), name))
    };
    let near = names.into_iter().filter_map(near);
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Converts a name such as `tapOn` or `tap-on` to lower-case words joined by `_`. A capital begins a word only
/// behind a small letter. Spaces become `_` too; other signs stay.
pub fn snake_case(name: &str) -> String {
    let mut text = String::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            text.push('_');
        }
        match letter {
            '-' | ' ' => text.push('_'),
            _ => text.extend(letter.to_lowercase()),
        }
        before = letter;
    }
    text
}

/// Returns true if two names in snake case differ by a slip: in at most a third of the letters of `other`; one letter
/// is always allowed. Names of as many words are compared as a whole and word by word. Names of different numbers of
/// words are compared without the `_`, and may differ in a fifth of the letters. Two single letters differ by a slip
/// only if they are equal.
fn is_like(one: &str, other: &str) -> bool {
    if one.chars().count() == 1 && other.chars().count() == 1 {
        return one == other;
    }
    let within = |one: &str, other: &str, share: usize| {
        let most = (other.chars().count() / share).max(1);
        strsim::damerau_levenshtein(one, other) <= most
    };
    let (words, others): (Vec<&str>, Vec<&str>) =
        (one.split('_').collect(), other.split('_').collect());
    if words.len() != others.len() {
        return within(&words.concat(), &others.concat(), 5);
    }
    let mut pairs = words.iter().zip(&others);
    within(one, other, 3) && pairs.all(|(one, other)| within(one, other, 3))
}

/// Returns true if one of two names in snake case negates the other: without its negating words and prefixes, such
/// as `not`, `no`, `un` or `dis`, it is nearer to the other. Equal names are false.
pub fn is_opposite(one: &str, other: &str) -> bool {
    let distance = |one: &str, other: &str| strsim::damerau_levenshtein(one, other);
    let far = distance(one, other);
    distance(&without_negation(one), other) < far || distance(one, &without_negation(other)) < far
}

/// Returns true if one of two texts negates the other, or if they have as many words and each that differs is
/// the antonym of the other: `Wi-Fi on` and `Wi-Fi off`. Case does not count; equal texts are false.
pub fn says_opposite(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let text = text
            .to_lowercase()
            .replace("n't", " not")
            .replace("n\u{2019}t", " not");
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let denies = |one: &str, other: &str| {
        let mut rests = NEGATING_PREFIXES
            .iter()
            .filter_map(|prefix| one.strip_prefix(prefix));
        rests.any(|rest| rest.len() >= 2 && rest == other)
    };
    let is_antonym = |one: &str, other: &str| {
        let mut pairs = ANTONYMS.iter();
        denies(one, other)
            || denies(other, one)
            || pairs.any(|(a, b)| one == *a && other == *b || one == *b && other == *a)
    };
    let mut differing = one.iter().zip(&other).filter(|(one, other)| one != other);
    let is_turned = one.len() == other.len()
        && differing.clone().next().is_some()
        && differing.all(|(one, other)| is_antonym(one, other));
    let without_negation = |words: &[String]| -> Vec<String> {
        let words = words
            .iter()
            .filter(|word| !NEGATING_WORDS.contains(&word.as_str()));
        words.cloned().collect()
    };
    let is_denied = one != other && without_negation(&one) == without_negation(&other);
    is_turned || is_denied || is_opposite(&one.join("_"), &other.join("_"))
}

/// Pairs of opposite words that are common in apps.
const ANTONYMS: [(&str, &str); 22] = [
    ("on", "off"),
    ("in", "out"),
    ("yes", "no"),
    ("true", "false"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("show", "hide"),
    ("shown", "hidden"),
    ("visible", "hidden"),
    ("open", "close"),
    ("open", "closed"),
    ("opened", "closed"),
    ("start", "stop"),
    ("started", "stopped"),
    ("more", "less"),
    ("allow", "deny"),
    ("accept", "reject"),
    ("accepted", "rejected"),
    ("add", "remove"),
    ("added", "removed"),
    ("online", "offline"),
    ("public", "private"),
];

/// Words that negate their neighbours.
const NEGATING_WORDS: [&str; 7] = ["not", "no", "non", "never", "none", "without", "cannot"];

/// Prefixes that negate a word.
const NEGATING_PREFIXES: [&str; 7] = ["non", "not", "dis", "in", "un", "im", "de"];

/// Removes negating words such as `not` and negating prefixes such as `un` from the words of a name in snake
/// case. A prefix counts only before 4 letters or more.
fn without_negation(name: &str) -> String {
    let affirm = |word: &'_ str| {
        let rest = NEGATING_PREFIXES
            .iter()
            .find_map(|prefix| word.strip_prefix(prefix));
        let rest = rest.filter(|rest| rest.len() >= 4).unwrap_or(word);
        rest.to_owned()
    };
    let words = name
        .split('_')
        .filter(|word| !NEGATING_WORDS.contains(word));
    words.map(affirm).collect::<Vec<_>>().join("_")
}

/// Returns `did you mean …?` for the nearest name, or else `known here: …` with the first 24 names in their order.
/// Returns `None` only if there are no names. More names than that end with `…`.
pub fn suggest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    /// Chosen: a longer list helps nobody.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_alike_in_each_word_and_never_the_opposite() {
        const NAMES: [&str; 8] = [
            "assert visible",
            "assert not visible",
            "enabled",
            "wait_for",
            "wait_for_idle",
            "install",
            "uninstall",
            "inside",
        ];
        for (wrong, meant) in [
            ("assertVisibel", Some("assert visible")),
            ("assert_notvisible", Some("assert not visible")),
            ("assert not visibel", Some("assert not visible")),
            ("wait_for_idel", Some("wait_for_idle")),
            ("unistall", Some("uninstall")),
            ("insde", Some("inside")),
            ("assert invisible", None),
            ("assert invisibel", None),
            ("waitforidel", Some("wait_for_idle")),
            ("wait_for_gone", None),
            ("wait_for_element", None),
            ("not enabled", None),
            ("notEnabled", None),
        ] {
            assert_eq!(nearest(wrong, NAMES), meant, "{wrong}");
        }
    }
}
