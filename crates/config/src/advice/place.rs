//! Places in `runner.yaml`: the keys that lead to a value.

use std::ops::Range;

use runner_flow::yaml::{Key, Node, NodeKind};

/// Value or key of the file, with the keys that lead to it. An item of a list has `*` as its key.
pub(super) struct Spot<'n> {
    place: Vec<&'n str>,
    /// The key, if the spot is a key and not a value.
    pub key: Option<&'n Key>,
    /// The value, or that of the key.
    pub node: &'n Node,
    /// Keys of the map around it.
    siblings: Vec<&'n str>,
}

impl<'n> Spot<'n> {
    /// Finds the first value or key with this range of bytes; `None` if there is none, or if the range is empty.
    pub(super) fn find(root: &'n Node, span: &Range<usize>) -> Option<Self> {
        if span.is_empty() {
            return None;
        }
        let mut place = Vec::new();
        let (key, node, outer) = search(root, None, span, &mut place)?;
        let siblings = outer.map(Node::entries).unwrap_or_default();
        let siblings = siblings.iter().map(|(key, _)| key.text.as_str()).collect();
        Some(Self {
            place,
            key,
            node,
            siblings,
        })
    }

    /// Returns the keys that lead to the value, its own included.
    pub(super) fn place(&self) -> &[&'n str] {
        &self.place
    }

    /// Returns the keys that lead to the map around it.
    pub(super) fn outer(&self) -> &[&'n str] {
        let split = self.place.split_last();
        split.map(|(_, outer)| outer).unwrap_or_default()
    }

    /// Returns true if the map around it has one of these keys.
    pub(super) fn has_sibling(&self, keys: &[&str]) -> bool {
        self.siblings.iter().any(|key| keys.contains(key))
    }
}

/// A key if that was found, the value, and the node around it.
type Found<'n> = (Option<&'n Key>, &'n Node, Option<&'n Node>);

/// Finds the first node or key with this range, in the document's order, with the map or list around it. `place`
/// becomes the path to it; after a failed search it is as before.
fn search<'n>(
    node: &'n Node,
    outer: Option<&'n Node>,
    span: &Range<usize>,
    place: &mut Vec<&'n str>,
) -> Option<Found<'n>> {
    if node.span == *span {
        return Some((None, node, outer));
    }
    if let NodeKind::Sequence(items) = &node.kind {
        place.push("*");
        for item in items {
            if let Some(found) = search(item, Some(node), span, place) {
                return Some(found);
            }
        }
        place.pop();
    }
    for (key, value) in node.entries() {
        place.push(&key.text);
        if key.span == *span {
            return Some((Some(key), value, Some(node)));
        }
        if let Some(found) = search(value, Some(node), span, place) {
            return Some(found);
        }
        place.pop();
    }
    None
}

/// Returns true if a place of a table, such as `on_dialog.*.do`, is this one, with as many keys. `-` is the top, and
/// `*` any key.
pub(super) fn fits(pattern: &str, place: &[&str]) -> bool {
    if pattern == "-" {
        return place.is_empty();
    }
    let parts: Vec<&str> = pattern.split('.').collect();
    let mut pairs = parts.iter().zip(place);
    parts.len() == place.len() && pairs.all(|(part, key)| *part == "*" || part == key)
}
