//! What `assert` reads in a selector: what locates an element, and what is expected of it.

use super::{ElementWords, NodeIndex, Pattern, Screen, Selector, State};

/// One expected property of an element.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// Its name as in the selector: `text`, `enabled`.
    pub property: &'static str,
    /// What is expected, as it is shown.
    pub expected: String,
    condition: Condition,
}

#[derive(Debug, Clone, PartialEq)]
enum Condition {
    Words(ElementWords, Pattern),
    State(State, bool),
}

impl Selector {
    /// Splits into what locates an element and what is expected of it, as `assert` reads it:
    /// `id`, `class`, relations, `index` and `window` locate; all else is expected. With only a text, it locates.
    ///
    /// Where nothing says which element it is (`id`, `class`, a relation), the words locate and the states are expected;
    /// with states alone, they locate.
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
                expected.extend(pattern.map(|pattern| Expectation::of_words(words, pattern)));
            }
        }
        if is_named || has_words {
            let states = std::mem::take(&mut locating.states);
            expected.extend(states.into_iter().map(Expectation::of_state));
        }
        (locating, expected)
    }
}

impl Expectation {
    fn of_words(words: ElementWords, pattern: Pattern) -> Self {
        Self {
            property: words.name(),
            expected: pattern.to_string(),
            condition: Condition::Words(words, pattern),
        }
    }

    fn of_state((state, on): (State, bool)) -> Self {
        Self {
            property: state.name(),
            expected: on.to_string(),
            condition: Condition::State(state, on),
        }
    }

    /// Whether it is as expected, and the actual value.
    pub fn check(&self, screen: &Screen, node: NodeIndex) -> (bool, String) {
        let node = screen.node(node);
        match &self.condition {
            Condition::Words(words, pattern) => {
                let actual = words.of(node);
                (pattern.matches(actual), actual.to_owned())
            }
            Condition::State(state, on) => {
                let actual = state.of(node);
                (actual == *on, actual.to_string())
            }
        }
    }
}
