//! Index of a screen's nodes by their ids and words. Choosing a selector for each node of a screen looks
//! names up thousands of times.

use std::collections::HashMap;

use super::pattern::one_space;
use super::{ElementWords, Node, NodeIndex, Screen, Selector};
use crate::name_index::NameIndex;
use crate::row_index::RowIndex;

impl Screen {
    /// Returns the index of nodes by name, built at the first call.
    pub(crate) fn names(&self) -> &NameIndex {
        self.names.get_or_init(|| NameIndex::new(self))
    }

    /// Returns the index of nodes by rows of pixels, built at the first call.
    pub(crate) fn row_index(&self) -> &RowIndex {
        let bounds = || self.nodes().map(|node| (node.index(), node.bounds()));
        self.rows.get_or_init(|| RowIndex::new(bounds()))
    }
}

impl NameIndex {
    /// Lists the nodes by id, whole and behind each `/`, and by words with single spaces. A field that shows its hint is
    /// listed under its hint as text too. Nodes without such words are listed under the empty text.
    fn new(screen: &Screen) -> Self {
        let mut index = Self::default();
        for node in screen.nodes() {
            let id = node.resource_id();
            add(&mut index.ids, id, node);
            for (at, _) in id.match_indices('/') {
                add(&mut index.ids, &id[at + 1..], node);
            }
            for (words, nodes) in ElementWords::ALL.into_iter().zip(&mut index.words) {
                let own = one_space(words.value_in(node));
                add(nodes, &own, node);
                // A field that shows its hint matches by its empty text and by its hint.
                let hint = one_space(node.hint());
                if words == ElementWords::Text && node.shows_hint() && hint != own {
                    add(nodes, &hint, node);
                }
            }
        }
        index
    }

    /// Returns the nodes that meet the most selective of the selector's conditions on id and words, in
    /// document order. They need not meet the others. Returns `None` if it has no such condition that is
    /// literal.
    pub(super) fn candidates(&self, selector: &Selector) -> Option<&[NodeIndex]> {
        let id = selector.id.as_ref().map(|id| found(&self.ids, id));
        let words = ElementWords::ALL.into_iter().zip(&self.words);
        let words = words.filter_map(|(words, nodes)| {
            let wanted = words.wanted(selector)?.literal_words()?;
            Some(found(nodes, wanted))
        });
        words.chain(id).min_by_key(|nodes| nodes.len())
    }

    /// Returns the nodes with exactly these words of a kind.
    pub(super) fn with_words(&self, kind: ElementWords, words: &str) -> &[NodeIndex] {
        found(&self.words[kind as usize], words)
    }
}

/// Appends the node to the list of this name; an empty name is a name too.
fn add(nodes: &mut HashMap<String, Vec<NodeIndex>>, name: &str, node: Node<'_>) {
    match nodes.get_mut(name) {
        Some(nodes) => nodes.push(node.index()),
        None => {
            nodes.insert(name.to_owned(), vec![node.index()]);
        }
    }
}

fn found<'a>(nodes: &'a HashMap<String, Vec<NodeIndex>>, name: &str) -> &'a [NodeIndex] {
    nodes.get(name).map_or(&[], Vec::as_slice)
}
