//! The one property of Maestro's selector that must be written anew after a rename.

use super::{Expression, MaestroSelector, Match};
use crate::Node;
use crate::identity::PropertyChange;
use crate::selector::{ElementWords, change, lasting};

impl MaestroSelector {
    /// As [`Selector::property_change`](crate::Selector::property_change). The new value is escaped where it holds signs of
    /// regular expressions. `from` is as it is written, without the escapes of YAML.
    pub fn property_change(&self, old: Node<'_>, new: Node<'_>) -> Option<PropertyChange> {
        let (edited, change) = self.change_of_id(old, new).or_else(|| {
            let mut words = ElementWords::ALL.into_iter();
            words.find_map(|words| self.change_of_words(words, old, new))
        })?;
        let found = edited.find(new.screen()).ok()?;
        (found == [Match::Node(new.index())]).then_some(change)
    }

    fn change_of_id(&self, old: Node<'_>, new: Node<'_>) -> Option<(Self, PropertyChange)> {
        let from = self.id.as_ref()?;
        let is_whole = says(from, old.resource_id());
        let to = if is_whole {
            new.resource_id()
        } else {
            new.resource_name()
        };
        if !is_whole && !says(from, old.resource_name()) || says(from, to) {
            return None;
        }
        let to = plain(to);
        let edited = Self {
            id: Some(Expression::new(&to).ok()?),
            ..self.clone()
        };
        Some((edited, change("id", from.source(), &to)?))
    }

    fn change_of_words(
        &self,
        words: ElementWords,
        old: Node<'_>,
        new: Node<'_>,
    ) -> Option<(Self, PropertyChange)> {
        let from = self.text.as_ref()?;
        let to = lasting(new, words)?;
        if !says(from, &lasting(old, words)?) || says(from, &to) {
            return None;
        }
        let to = plain(&to);
        let edited = Self {
            text: Some(Expression::new(&to).ok()?),
            ..self.clone()
        };
        Some((edited, change("text", from.source(), &to)?))
    }
}

/// Whether an expression is just these words, letter case aside, and no pattern.
fn says(expression: &Expression, words: &str) -> bool {
    let written = expression.source();
    written.eq_ignore_ascii_case(words) || written == plain(words)
}

/// The words as an expression that matches only them.
fn plain(words: &str) -> String {
    let mut out = String::new();
    for letter in words.chars() {
        if r"\^$.|?*+()[]{}".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
