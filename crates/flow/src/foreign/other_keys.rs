//! Keys of other tools and in other languages, with their equivalents.

use super::tables::{lists, plain, rows};

/// Table of keys: a key that must be valid here, the equivalent, and words for it.
pub(super) const KEYS: &str = include_str!("keys.tsv");

/// Table of keys in languages other than English: the key, and words for it.
const LANGUAGES: &str = include_str!("key_languages.tsv");

/// Words for `true`, and for `false`, in languages other than English.
const ANSWERS: [(&str, bool); 2] = [
    (
        "ja wahr oui vrai sí si verdadero vero sì sim verdadeiro",
        true,
    ),
    ("nein falsch non faux falso não nao", false),
];

/// Returns the first of the keys `names` that a word of another language means; `None` for other words.
pub(super) fn translated(word: &str, names: &[&str]) -> Option<&'static str> {
    let word = plain(word);
    let means = |[name, words]: &[&str; 2]| names.contains(name) && lists(words, &word);
    rows(LANGUAGES).find(means).map(|[name, _]| name)
}

/// Returns the answer that a word of another language means, such as `nein`; `None` for other words.
pub(super) fn answer(word: &str) -> Option<bool> {
    let word = plain(word);
    let mut answers = ANSWERS.iter();
    let (_, answer) = answers.find(|(words, _)| lists(words, &word))?;
    Some(*answer)
}

/// Returns advice for a key of another tool or in another language: how to write its equivalent here, or that there is
/// none. Returns `None` if it is not known or the key that its equivalent needs is not among `names`. The first fitting
/// row of [`KEYS`] counts, then of [`LANGUAGES`]. Case, separators and all before the last dot of the key do not count.
pub(crate) fn key(word: &str, names: &[&str]) -> Option<String> {
    let name = word;
    let word = plain(word);
    let means = |[need, _, words]: &[&str; 3]| names.contains(need) && lists(words, &word);
    let Some([_, ours, _]) = rows(KEYS).find(means) else {
        return translated(name, names).map(|ours| format!("write `{ours}: …`"));
    };
    Some(match ours.contains('`') {
        _ if ours.starts_with("leave ") || ours.starts_with("there is no ") => ours.to_owned(),
        true => format!("write {ours}"),
        false if ours.contains(':') => format!("write `{ours}`"),
        false => format!("write `{ours}: …`"),
    })
}
