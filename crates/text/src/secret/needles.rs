//! Set of texts that are searched for in one pass.
//!
//! A run has hundreds of secrets in dozens of forms each: searching for one after the other took half of a
//! server's time with thirty of them (measured 2026-11-28). An Aho-Corasick automaton takes a node per byte,
//! which is too much memory for secrets of thousands of characters.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Length of the key by which texts are looked up, in bytes. Chosen: a secret that is searched
/// for inside of texts has at least so many characters.
const PREFIX: usize = 4;
/// Longest text in bytes that is found with its middle taken out. Chosen: nobody edits a longer one in a field,
/// and the search takes the square of it.
const MAX_EDITED: usize = 256;
/// Number of values of two bytes.
const BEGINNINGS: usize = 1 << 16;

/// Texts grouped by their first bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Needles {
    by_prefix: BTreeMap<[u8; PREFIX], BTreeSet<String>>,
    /// Bit set of the first two bytes of all texts in `by_prefix`: a quick test that rules out most places.
    /// Empty as long as there are none.
    beginnings: Vec<u64>,
    /// Texts shorter than [`PREFIX`].
    short: BTreeSet<String>,
}

impl Needles {
    /// Adds a text to search for. One shorter than [`PREFIX`] bytes is searched for on its own.
    pub(super) fn insert(&mut self, text: String) {
        let Some(prefix) = text.as_bytes().first_chunk::<PREFIX>() else {
            self.short.insert(text);
            return;
        };
        self.beginnings.resize(BEGINNINGS / 64, 0);
        let beginning = beginning(*prefix);
        if let Some(bits) = self.beginnings.get_mut(beginning / 64) {
            *bits |= 1 << (beginning % 64);
        }
        self.by_prefix.entry(*prefix).or_default().insert(text);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the byte ranges of all occurrences of all texts, also of those that overlap themselves. The
    /// ranges are not sorted.
    pub(super) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for needle in &self.short {
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| rest.find(needle.as_str())) {
                let start = from + at;
                found.push(start..start + needle.len());
                // On by one character only: a secret may overlap itself.
                from = start + text[start..].chars().next().map_or(1, char::len_utf8);
            }
        }
        for (start, same) in self.candidates(text) {
            let rest = text.as_bytes().get(start..).unwrap_or_default();
            let here = same.iter().filter(|it| rest.starts_with(it.as_bytes()));
            found.extend(here.map(|needle| start..start + needle.len()));
        }
        found
    }

    /// Returns the byte ranges of beginnings of all texts, at each place the longest. Those shorter than
    /// [`PREFIX`] are not found. The ranges are not sorted.
    pub(super) fn beginnings(&self, text: &str) -> Vec<Range<usize>> {
        let longest = self.candidates(text).filter_map(|(start, same)| {
            let rest = text.get(start..).unwrap_or_default();
            let length = same.iter().map(|needle| common(needle, rest)).max()?;
            Some(start..start + length)
        });
        longest.collect()
    }

    /// Returns the byte ranges of what is left of texts whose middle was taken out: a beginning of at least
    /// [`PREFIX`] bytes, directly followed by an end of the same text, together shorter than it. Of each text the
    /// longest at each place for which `is_end` holds. Texts longer than [`MAX_EDITED`] are not found. The ranges
    /// are not sorted.
    pub(super) fn remains(
        &self,
        text: &str,
        is_end: impl Fn(&Range<usize>) -> bool,
    ) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for (start, same) in self.candidates(text) {
            let rest = text.get(start..).unwrap_or_default();
            for needle in same.iter().filter(|needle| needle.len() <= MAX_EDITED) {
                let begun = common(needle, rest);
                let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
                let longest = ends
                    .take_while(|end| *end < needle.len())
                    .filter(|end| *end > begun && is_end(&(start..start + end)))
                    .filter(|end| *end <= begun + common_end(needle, &rest[..*end]))
                    .last();
                found.extend(longest.map(|end| start..start + end));
            }
        }
        found
    }

    /// Iterates over the places whose first [`PREFIX`] bytes begin some texts, each with these texts.
    fn candidates<'a>(
        &'a self,
        text: &'a str,
    ) -> impl Iterator<Item = (usize, &'a BTreeSet<String>)> {
        // Without texts nothing is searched.
        let searched = if self.by_prefix.is_empty() { "" } else { text };
        let windows = searched.as_bytes().windows(PREFIX).enumerate();
        windows.filter_map(|(start, window)| {
            let prefix = <[u8; PREFIX]>::try_from(window).ok()?;
            self.begins(prefix).then_some(())?;
            Some((start, self.by_prefix.get(&prefix)?))
        })
    }

    fn begins(&self, prefix: [u8; PREFIX]) -> bool {
        let beginning = beginning(prefix);
        let bits = self.beginnings.get(beginning / 64).copied();
        bits.unwrap_or_default() >> (beginning % 64) & 1 == 1
    }
}

/// Returns the length in bytes of the beginning that two texts share, in whole characters.
fn common(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars());
    same.take_while(|(one, other)| one == other)
        .map(|(one, _)| one.len_utf8())
        .sum()
}

/// Returns the length in bytes of the end that two texts share, in whole characters.
fn common_end(one: &str, other: &str) -> usize {
    let same = one.chars().rev().zip(other.chars().rev());
    same.take_while(|(one, other)| one == other)
        .map(|(one, _)| one.len_utf8())
        .sum()
}

/// Returns the first two bytes as a number below [`BEGINNINGS`].
fn beginning(prefix: [u8; PREFIX]) -> usize {
    usize::from(u16::from_le_bytes([prefix[0], prefix[1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the results with those of one search per text.
    #[test]
    fn places_are_those_of_single_searches() {
        let letters = ['a', 'b', 'ä', '漢', '😀', ' '];
        let mut random = fastrand::Rng::with_seed(5);
        let mut draw = |length: usize| -> String {
            (0..length)
                .map(|_| letters[random.usize(..letters.len())])
                .collect()
        };
        for round in 0..300 {
            let texts: Vec<String> = (0..8).map(|at| draw(1 + (round + at) % 5)).collect();
            let text = draw(60);
            let mut needles = Needles::default();
            let mut expected = BTreeSet::new();
            for needle in &texts {
                needles.insert(needle.clone());
                for (at, _) in text.char_indices() {
                    if text[at..].starts_with(needle.as_str()) {
                        expected.insert((at, at + needle.len()));
                    }
                }
            }
            let found: BTreeSet<(usize, usize)> = needles
                .places(&text)
                .into_iter()
                .map(|it| (it.start, it.end))
                .collect();
            assert_eq!(found, expected, "{texts:?} in {text}");
        }
    }
}
