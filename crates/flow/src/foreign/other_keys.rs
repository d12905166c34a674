//! Keys of other tools, with their equivalents.

use super::tables::{lists, plain, rows};

/// Table of keys: a key that must be valid here, the equivalent, and words for it.
pub(super) const KEYS: &str = include_str!("keys.tsv");

/// Returns advice for a key of another tool: how to write its equivalent here, or that there is none. Returns `None`
/// if it is not known or the key that its equivalent needs is not among `names`. The first fitting row of [`KEYS`]
/// counts. Case, separators and all before the last dot of the key do not count.
pub(crate) fn key(word: &str, names: &[&str]) -> Option<String> {
    let word = plain(word);
    let means = |[need, _, words]: &[&str; 3]| names.contains(need) && lists(words, &word);
    let [_, ours, _] = rows(KEYS).find(means)?;
    Some(match ours.contains('`') {
        _ if ours.starts_with("leave ") || ours.starts_with("there is no ") => ours.to_owned(),
        true => format!("write {ours}"),
        false if ours.contains(':') => format!("write `{ours}`"),
        false => format!("write `{ours}: …`"),
    })
}
