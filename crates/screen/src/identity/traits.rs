//! What an element is told by, apart from its place.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::selector::{ElementWords, is_list_item, lasting_words, untyped};
use crate::{Node, Screen};

/// So many texts of its parts stand for an element without words of its own.
const MAX_PARTS: usize = 8;

/// What an element is told by. What was typed or masked is no part of it.
#[derive(Debug)]
pub(super) struct Traits<'a> {
    pub(super) node: Node<'a>,
    /// The id without its package; empty where there is none.
    pub(super) id: &'a str,
    /// Its own words that last.
    pub(super) words: Vec<Cow<'a, str>>,
    /// The words of its parts, where it has none itself.
    pub(super) parts: Vec<Cow<'a, str>>,
    /// Characters of its longest words, those that change too.
    pub(super) shown: usize,
    /// Of all that.
    pub(super) look: u64,
}

impl<'a> Traits<'a> {
    /// The traits of all elements of a screen, in document order.
    pub(super) fn all(screen: &'a Screen) -> Vec<Self> {
        screen.nodes().map(Self::of).collect()
    }

    fn of(node: Node<'a>) -> Self {
        let words: Vec<_> = lasting_words(node).collect();
        let parts: Vec<_> = if words.is_empty() {
            let parts = node.descendants().flat_map(lasting_words);
            parts.take(MAX_PARTS).collect()
        } else {
            Vec::new()
        };
        // Words that change tell nothing once they did, but say which it is until then.
        let all = ElementWords::ALL.map(|words| untyped(node, words));
        let lengths = all.iter().flatten().map(|words| words.chars().count());
        let id = node.resource_name();
        let mut hasher = DefaultHasher::new();
        (node.short_class(), id, &all, &parts).hash(&mut hasher);
        Self {
            node,
            id,
            words,
            parts,
            shown: lengths.max().unwrap_or(0),
            look: hasher.finish(),
        }
    }

    /// Whether anything but its class and place tells it from others.
    pub(super) fn is_named(&self) -> bool {
        !self.id.is_empty() || self.shown > 0 || !self.parts.is_empty()
    }

    /// Whether its look alone may say which it is: a list's items have their ids from the template, and a letter or two
    /// stand on many elements.
    pub(super) fn tells_itself_apart(&self) -> bool {
        let has_id = !self.id.is_empty() && !is_list_item(self.node);
        has_id || self.shown > 2 || !self.parts.is_empty()
    }
}
