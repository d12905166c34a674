//! The change of one property of Maestro's selector after a rename.

use super::{Expression, MaestroSelector, Match};
use crate::Node;
use crate::identity::PropertyChange;
use crate::selector::{ElementWords, change, lasting_words_of};

impl MaestroSelector {
    /// Returns the change of the id or else of the words after which the selector, which selected `old`, selects only
    /// `new` on the new screen, as [`Selector::property_change`](crate::Selector::property_change) does. The new value
    /// is escaped where it holds special characters of regular expressions. If the id can be changed, only that change
    /// is tried. Returns `None` if the old value is a pattern, if that single change is not enough, or if matching
    /// takes too many steps.
    pub fn property_change(&self, old: Node<'_>, new: Node<'_>) -> Option<PropertyChange> {
        let (edited, change) = self.change_of_id(old, new).or_else(|| {
            let mut words = ElementWords::ALL.into_iter();
            words.find_map(|words| self.change_of_words(words, old, new))
        })?;
        let found = edited.find(new.screen()).ok()?;
        (found == [Match::Node(new.index())]).then_some(change)
    }

    /// Returns the selector with the new element's id, whole or short as the old one was written, and the change.
    /// Returns `None` if the id is not literally the old element's, or fits the new one already.
    fn change_of_id(&self, old: Node<'_>, new: Node<'_>) -> Option<(Self, PropertyChange)> {
        let from = self.id.as_ref()?;
        let is_whole = is_literally(from, old.resource_id());
        let to = if is_whole {
            new.resource_id()
        } else {
            new.resource_name()
        };
        if !is_whole && !is_literally(from, old.resource_name()) || is_literally(from, to) {
            return None;
        }
        let to = escape(to);
        let edited = Self {
            id: Some(Expression::new(&to).ok()?),
            ..self.clone()
        };
        Some((edited, change("id", from.source(), &to)?))
    }

    /// Returns the selector with the new element's words of this kind, and the change. Returns `None` if the text
    /// is not literally the old element's, fits the new one already, or either element has no words that last.
    fn change_of_words(
        &self,
        words: ElementWords,
        old: Node<'_>,
        new: Node<'_>,
    ) -> Option<(Self, PropertyChange)> {
        let from = self.text.as_ref()?;
        let to = lasting_words_of(new, words)?;
        if !is_literally(from, &lasting_words_of(old, words)?) || is_literally(from, &to) {
            return None;
        }
        let to = escape(&to);
        let edited = Self {
            text: Some(Expression::new(&to).ok()?),
            ..self.clone()
        };
        Some((edited, change("text", from.source(), &to)?))
    }
}

/// Returns true if an expression is these words, with the case of ASCII letters aside, or is them with special
/// characters escaped. Without the escapes it may match other words too, as `a.c` does.
fn is_literally(expression: &Expression, words: &str) -> bool {
    let written = expression.source();
    written.eq_ignore_ascii_case(words) || written == escape(words)
}

/// Escapes the words as a regular expression that matches only them.
fn escape(words: &str) -> String {
    let mut out = String::new();
    for letter in words.chars() {
        if r"\^$.|?*+()[]{}".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
