//! Places of secrets in texts: how they join, which are words, and how short one may be.

use std::ops::Range;

/// Fewest characters of a secret that is masked inside of texts. Chosen: a shorter one occurs in too many
/// other words by chance. It is masked only where it is the whole value, and `lint` warns.
pub const MIN_MASKED_CHARS: usize = 4;

/// Fewest characters of a beginning of a typed secret that is masked where a word goes on behind it. Chosen: a
/// shorter one begins ordinary words.
pub(super) const MIN_INNER_BEGINNING: usize = 8;

/// Sorts ranges and joins those that overlap or touch.
pub(super) fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
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

/// Returns the part of a secret's beginning that is masked: all of a long one, of a shorter one as much as ends with
/// a word. `None` if fewer than [`MIN_MASKED_CHARS`] would be masked.
pub(super) fn maskable_beginning(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let begin = place.start;
    let length = |end: usize| text[begin..end].chars().count();
    if length(place.end) >= MIN_INNER_BEGINNING {
        return Some(place);
    }
    // The secret may have a space where the text has the end of its last word: `O'Neil x` in `O'Neil end`.
    let mut ends = place
        .rev()
        .map(|at| at + 1)
        .filter(|end| text.is_char_boundary(*end));
    let end = ends.find(|end| ends_word(text, &(begin..*end)))?;
    (length(end) >= MIN_MASKED_CHARS).then_some(begin..end)
}

/// Returns true if no letter, digit or `_` comes directly before or after a place.
pub(super) fn is_word(text: &str, place: &Range<usize>) -> bool {
    begins_word(text, place) && ends_word(text, place)
}

/// Returns true if no letter, digit or `_` comes directly before a place. A character that ends an escape such
/// as `%20`, `%s` or `\n` does not count.
pub(super) fn begins_word(text: &str, place: &Range<usize>) -> bool {
    let before = text[..place.start].chars().next_back();
    // An escape before it may end in a letter or digit: `%20word`, `%sword`, `\\nword`.
    let is_encoded = {
        let mut head = text[..place.start].chars().rev().skip(1);
        let (first, second) = (head.next(), head.next());
        matches!(first, Some('%' | '\\')) || second == Some('%')
    };
    is_encoded || !before.is_some_and(is_in_word)
}

/// Returns true if no letter, digit or `_` comes directly after a place.
pub(super) fn ends_word(text: &str, place: &Range<usize>) -> bool {
    !text[place.end..].chars().next().is_some_and(is_in_word)
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
