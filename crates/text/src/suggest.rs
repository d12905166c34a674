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

/// Returns the name that was probably meant: one whose parts are alike, and which does not say the opposite.
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

/// Returns the words of a name in small letters with `_` between them.
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

/// Returns true if two names differ by a slip. Of two with as many words, each word must be like the other's; a word more or
/// less is no slip, though one may be written as two. Two single letters have nothing in common.
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

/// Returns true if one of two names denies the other: it is nearer without its `not`, `in` or `un`.
pub fn is_opposite(one: &str, other: &str) -> bool {
    let distance = |one: &str, other: &str| strsim::damerau_levenshtein(one, other);
    let far = distance(one, other);
    distance(&affirmed(one), other) < far || distance(one, &affirmed(other)) < far
}

/// Returns true if one of two texts denies the other, or says the opposite in one of its words: `Wi-Fi on` and `Wi-Fi off`.
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
        let mut rests = DENYING.iter().filter_map(|prefix| one.strip_prefix(prefix));
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
    let affirmed = |words: &[String]| -> Vec<String> {
        let words = words
            .iter()
            .filter(|word| !DENIALS.contains(&word.as_str()));
        words.cloned().collect()
    };
    let is_denied = one != other && affirmed(&one) == affirmed(&other);
    is_turned || is_denied || is_opposite(&one.join("_"), &other.join("_"))
}

/// Words of apps that say the opposite of each other.
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

/// Words that deny what stands with them.
const DENIALS: [&str; 7] = ["not", "no", "non", "never", "none", "without", "cannot"];

/// What a word that denies another begins with.
const DENYING: [&str; 7] = ["non", "not", "dis", "in", "un", "im", "de"];

/// Returns a name without what denies it.
fn affirmed(name: &str) -> String {
    let affirm = |word: &'_ str| {
        let rest = DENYING.iter().find_map(|prefix| word.strip_prefix(prefix));
        let rest = rest.filter(|rest| rest.len() >= 4).unwrap_or(word);
        rest.to_owned()
    };
    let words = name.split('_').filter(|word| !DENIALS.contains(word));
    words.map(affirm).collect::<Vec<_>>().join("_")
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
