//! The change of one property of a selector after a rename.

use super::find::short_id;
use super::pattern::one_space;
use super::pick::lasting_words_of;
use super::volatility::is_volatile;
use super::{ElementWords, Node, Pattern, Selector};
use crate::identity::PropertyChange;

impl Selector {
    /// Returns the change of one property after which the selector, which selected `old`, selects only `new`
    /// on the new screen.
    ///
    /// The id is changed if it was the old element's; only else the first of text, description and hint that can
    /// be. Nothing else of the selector changes. Returns `None` if one property is not enough, if the old value is
    /// a pattern, or if the new value was typed, is masked, or may change in the next run.
    pub fn property_change(&self, old: Node<'_>, new: Node<'_>) -> Option<PropertyChange> {
        let by_id = || self.change_of_id(old, new);
        let by_words = || {
            let mut words = ElementWords::ALL.into_iter();
            words.find_map(|words| self.change_of_words(words, old, new))
        };
        let (edited, change) = by_id().or_else(by_words)?;
        (edited.find(new.screen()) == [new.index()]).then_some(change)
    }

    /// Returns the selector with the new element's id, short or whole as the old one was written, and the change.
    /// Returns `None` if the selector's id is not the old element's, or is the same.
    fn change_of_id(&self, old: Node<'_>, new: Node<'_>) -> Option<(Self, PropertyChange)> {
        let from = self.id.as_ref()?;
        let is_whole = from == old.resource_id();
        let to = if is_whole {
            new.resource_id()
        } else {
            short_id(new.resource_id())
        };
        if !is_whole && from != short_id(old.resource_id()) || to == from {
            return None;
        }
        let edited = Self {
            id: Some(to.to_owned()),
            ..self.clone()
        };
        Some((edited, change("id", from, to)?))
    }

    /// Returns the selector with the new element's words of this kind, and the change. The string form changes
    /// too. Returns `None` if the selector has a pattern or other words than the old element, or if the new ones
    /// would not last or have a `*`.
    fn change_of_words(
        &self,
        words: ElementWords,
        old: Node<'_>,
        new: Node<'_>,
    ) -> Option<(Self, PropertyChange)> {
        let named = words.wanted(self);
        let wanted = named.or(self.any.as_ref())?;
        let from = wanted.literal_words()?;
        let to = lasting_words_of(new, words)?;
        if one_space(words.value_in(old)) != from || to == from || to.contains('*') {
            return None;
        }
        let pattern = Pattern::full(&to);
        let mut edited = self.clone();
        let property = if named.is_some() {
            *words.slot(&mut edited) = Some(pattern);
            words.name()
        } else {
            edited.any = Some(pattern);
            "any"
        };
        Some((edited, change(property, wanted.source(), &to)?))
    }
}

/// Returns the change, if both values may be written in a flow: the new one is not empty and not likely to
/// change, and neither has an expression `${…}`.
pub(crate) fn change(property: &'static str, from: &str, to: &str) -> Option<PropertyChange> {
    let is_expression = from.contains("${") || to.contains("${");
    let is_usable = !to.is_empty() && !is_expression && !is_volatile(to);
    is_usable.then(|| PropertyChange {
        property,
        from: from.to_owned(),
        to: to.to_owned(),
    })
}
