//! Properties that identify an element, apart from its place.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::selector::{ElementWords, is_list_item, lasting_words, untyped_words};
use crate::{Node, Screen};

/// Number of texts of descendants that stand for an element without words. Chosen: a list would otherwise be
/// identified by all its rows, which change.
const MAX_PARTS: usize = 8;

/// Properties that identify an element. Typed and masked texts do not count.
#[derive(Debug)]
pub(super) struct Traits<'a> {
    pub(super) node: Node<'a>,
    /// Id without its package; empty where there is none.
    pub(super) id: &'a str,
    /// Own words that are likely to stay in another run.
    pub(super) words: Vec<Cow<'a, str>>,
    /// Words of descendants that are likely to stay, if `words` is empty.
    pub(super) parts: Vec<Cow<'a, str>>,
    /// Number of characters of its longest words, changing ones included.
    pub(super) shown: usize,
    /// Hash of class, id, words and parts.
    pub(super) look: u64,
}

impl<'a> Traits<'a> {
    /// Returns the traits of all elements of a screen, in document order.
    pub(super) fn all(screen: &'a Screen) -> Vec<Self> {
        screen.nodes().map(Self::new).collect()
    }

    /// Collects what tells an element from others: its id, words that last, and without such words those of the
    /// elements in it, at most [`MAX_PARTS`].
    fn new(node: Node<'a>) -> Self {
        let words: Vec<_> = lasting_words(node).collect();
        let parts: Vec<_> = if words.is_empty() {
            let parts = node.descendants().flat_map(lasting_words);
            parts.take(MAX_PARTS).collect()
        } else {
            Vec::new()
        };
        // Changing words identify an element until they change.
        let all = ElementWords::ALL.map(|words| untyped_words(node, words));
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

    /// Returns true if it has anything but its class and place to tell it from others.
    pub(super) fn is_named(&self) -> bool {
        !self.id.is_empty() || self.shown > 0 || !self.parts.is_empty()
    }

    /// Returns true if its look alone may identify it. Items of a list share the ids of their template, and
    /// texts of one or two letters are on many elements, so these do not count.
    pub(super) fn is_distinctive(&self) -> bool {
        let has_id = !self.id.is_empty() && !is_list_item(self.node);
        has_id || self.shown > 2 || !self.parts.is_empty()
    }
}
