//! What an element is told by, apart from its place.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::selector::lasting_words;
use crate::{Node, Screen};

/// So many texts of its parts stand for an element without words of its own.
const MAX_PARTS: usize = 8;

/// What an element is told by.
#[derive(Debug)]
pub(super) struct Traits<'a> {
    pub(super) node: Node<'a>,
    /// The id without its package; empty where there is none.
    pub(super) id: &'a str,
    /// Its own words that last.
    pub(super) words: Vec<Cow<'a, str>>,
    /// The words of its parts, where it has none itself.
    pub(super) parts: Vec<Cow<'a, str>>,
    /// Of its class, id, words and the words of its parts.
    pub(super) look: u64,
}

impl<'a> Traits<'a> {
    fn of(node: Node<'a>) -> Self {
        let words: Vec<_> = lasting_words(node).collect();
        let parts: Vec<_> = if words.is_empty() {
            let parts = node.descendants().flat_map(lasting_words);
            parts.take(MAX_PARTS).collect()
        } else {
            Vec::new()
        };
        let id = node.resource_name();
        let mut hasher = DefaultHasher::new();
        (node.short_class(), id, &words, &parts).hash(&mut hasher);
        Self {
            node,
            id,
            words,
            parts,
            look: hasher.finish(),
        }
    }

    /// The traits of all elements of a screen, in document order.
    pub(super) fn all(screen: &'a Screen) -> Vec<Self> {
        screen.nodes().map(Self::of).collect()
    }

    /// Whether anything but its class and place tells it from others.
    pub(super) fn is_named(&self) -> bool {
        !self.id.is_empty() || !self.words.is_empty() || !self.parts.is_empty()
    }
}
