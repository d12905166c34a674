//! Tables of words and forms, and how a word or a place is looked up in them.

use super::place::fits;

/// Table of forms: the place of a value, and how it is written.
pub(super) const FORMS: &str = include_str!("forms.tsv");

/// Returns the rows of a table with `N` cells.
pub(super) fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok())
}

/// Returns the letters and digits of a word in lower case.
pub(super) fn plain(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

pub(super) fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

/// Returns how the value of a place is written, as advice; `None` for a place of no table.
pub(super) fn form(place: &[&str]) -> Option<String> {
    let mut rows = rows(FORMS);
    let [_, ours] = rows.find(|[it, _]| fits(it, place))?;
    Some(format!("write {ours}"))
}
