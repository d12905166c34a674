//! Splits the selector of an `assert` into conditions that locate an element and properties that are expected
//! of it.

use super::{ElementState, ElementWords, NodeIndex, Pattern, Screen, Selector};

/// Expected property of an element.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// Name as in the selector: `text`, `enabled`.
    pub property: &'static str,
    /// Expected value, as messages show it.
    pub expected: String,
    condition: Condition,
}

#[derive(Debug, Clone, PartialEq)]
enum Condition {
    Words(ElementWords, Pattern),
    State(ElementState, bool),
}

impl Selector {
    /// Splits the selector as `assert` reads it, into what locates an element and what is expected of it:
    /// `id`, `class`, relations, `index` and `window` locate, and all else is expected. The words are
    /// expected first, then the states.
    ///
    /// Without `id`, `class` and relations, the words locate and the states are expected. With nothing but
    /// states, these locate and nothing is expected. The string form always locates.
    pub fn split_expectations(&self) -> (Self, Vec<Expectation>) {
        let mut locating = self.clone();
        let mut expected = Vec::new();
        let is_named = self.id.is_some() || self.class.is_some() || !self.relations.is_empty();
        let has_words = self.any.is_some()
            || ElementWords::ALL
                .into_iter()
                .any(|words| words.wanted(self).is_some());
        if is_named {
            for words in ElementWords::ALL {
                let pattern = words.slot(&mut locating).take();
                expected.extend(pattern.map(|pattern| Expectation::from_words(words, pattern)));
            }
        }
        if is_named || has_words {
            let states = std::mem::take(&mut locating.states);
            expected.extend(states.into_iter().map(Expectation::from_state));
        }
        (locating, expected)
    }
}

impl Expectation {
    /// Expects the words of this kind to match; messages show the pattern as people write it.
    fn from_words(words: ElementWords, pattern: Pattern) -> Self {
        Self {
            property: words.name(),
            expected: pattern.to_string(),
            condition: Condition::Words(words, pattern),
        }
    }

    /// Expects a state to be on or off, which messages show as `true` or `false`.
    fn from_state((state, on): (ElementState, bool)) -> Self {
        Self {
            property: state.name(),
            expected: on.to_string(),
            condition: Condition::State(state, on),
        }
    }

    /// Returns true if the property is as expected, by the rules of [`Selector::find`], and its actual value as text:
    /// `true` or `false` for a state. The actual text of a field that shows its hint is empty, though the hint is
    /// accepted too.
    pub fn check(&self, screen: &Screen, node: NodeIndex) -> (bool, String) {
        let node = screen.node(node);
        match &self.condition {
            Condition::Words(words, pattern) => {
                let actual = words.value_in(node).to_owned();
                (words.match_in(node, pattern), actual)
            }
            Condition::State(state, on) => {
                let actual = state.is_set_on(node);
                (actual == *on, actual.to_string())
            }
        }
    }
}
