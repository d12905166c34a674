//! Secret values, and what is left of those that were typed.

use std::collections::BTreeSet;
use std::ops::Range;

use super::forms::{forms_of, spacings};
use super::needles::Needles;
use super::pieces::Pieces;
use super::places::{
    MIN_INNER_BEGINNING, MIN_MASKED_CHARS, begins_word, ends_word, maskable_beginning,
};

/// Secret values in all forms in which an output may write them.
#[derive(Clone, Default)]
pub(super) struct Values {
    /// All forms of the values that are searched for inside of texts.
    pub(super) inside: Needles,
    /// Values that are compared with whole texts only, trimmed.
    pub(super) full_texts: BTreeSet<String>,
    /// Short values that are searched for inside of texts until the next step.
    pub(super) temporary: Needles,
    /// All forms of the values whose beginnings are searched for.
    begun: Needles,
    /// Runs of characters of the values that were typed.
    pieces: Pieces,
}

impl Values {
    /// Adds a value in all its forms. A short one is kept apart: typed, it is searched for inside of texts until the
    /// next step; declared, only as a whole text.
    pub(super) fn add(&mut self, value: &str) {
        self.full_texts.insert(value.trim().to_owned());
        let spacings = spacings(value);
        let forms = spacings.iter().flat_map(|value| forms_of(value));
        if value.trim().chars().count() >= MIN_MASKED_CHARS {
            let is_long = |form: &String| form.trim().chars().count() >= MIN_MASKED_CHARS;
            forms
                .filter(is_long)
                .for_each(|form| self.inside.insert(form));
        } else {
            forms.for_each(|form| self.temporary.insert(form));
        }
    }

    /// Adds a value that was typed: what may be left of it in a field is searched for.
    pub(super) fn add_edited(&mut self, value: &str) {
        self.add_begun(value);
        self.pieces.add(value);
    }

    pub(super) fn add_begun(&mut self, value: &str) {
        let spacings = spacings(value);
        let forms = spacings.iter().flat_map(|value| forms_of(value));
        forms.for_each(|form| self.begun.insert(form));
    }

    /// Returns the places in `text` that may be left of a typed value, not sorted; they may overlap. A beginning counts
    /// at the start of a word; with fewer than [`MIN_INNER_BEGINNING`] characters only as far as a word ends. What a
    /// deleted middle leaves counts from that many characters on, at the start and the end of a word, as `conned` of
    /// `connected` may be an ordinary word. Runs from within a value count anywhere.
    pub(super) fn remains(&self, text: &str) -> Vec<Range<usize>> {
        let begun = self.begun.beginnings(text).into_iter();
        let begun = begun
            .filter(|place| begins_word(text, place))
            .filter_map(|place| maskable_beginning(text, place));
        let left = self.begun.remains(text, |place| ends_word(text, place));
        let is_long = |place: &Range<usize>| {
            let length = text[place.clone()].chars().count();
            length >= MIN_INNER_BEGINNING && begins_word(text, place)
        };
        let left = left.into_iter().filter(is_long);
        begun.chain(left).chain(self.pieces.places(text)).collect()
    }
}
