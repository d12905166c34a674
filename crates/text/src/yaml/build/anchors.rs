//! Anchors, their aliases and the merge keys that use them.

use std::ops::Range;

use super::{BuildResult, Builder, MAX_ALIASES, MAX_ANCHORS, MAX_DEPTH};
use crate::diagnostic::Code;
use crate::yaml::{Key, Node, NodeKind};

impl Builder<'_> {
    /// Resolves `<<: *base` and `<<: [*a, *b]`: adds the entries to `merged`, except those whose key is there
    /// already. So the first source wins. Any other value is an error.
    pub(super) fn merge(
        &mut self,
        key: &Key,
        value: Node,
        merged: &mut Vec<(Key, Node)>,
    ) -> BuildResult<()> {
        let sources = match value.kind {
            NodeKind::Map(entries) => vec![entries],
            NodeKind::Sequence(items)
                if items
                    .iter()
                    .all(|item| matches!(item.kind, NodeKind::Map(_))) =>
            {
                items
                    .into_iter()
                    .filter_map(|item| match item.kind {
                        NodeKind::Map(entries) => Some(entries),
                        _ => None,
                    })
                    .collect()
            }
            _ => {
                return Err(self.fail(
                    Code::MergeKey,
                    "`<<` takes a map, or a list of maps, by its alias",
                    key.span.clone(),
                    Some("write `<<: *name` where `&name` marks the map"),
                ));
            }
        };
        for (key, value) in sources.into_iter().flatten() {
            if !merged.iter().any(|(have, _)| have.text == key.text) {
                merged.push((key, value));
            }
        }
        Ok(())
    }

    /// Returns a copy of the node that an alias names; its spans are those of the original. An error for an alias
    /// inside of that node, and beyond the limits for aliases, depth and values.
    pub(super) fn alias(
        &mut self,
        id: usize,
        range: &Range<usize>,
        depth: usize,
    ) -> BuildResult<Node> {
        self.aliases += 1;
        if self.aliases > MAX_ALIASES {
            return Err(self.too_large(
                format!("more than {MAX_ALIASES} uses of anchors"),
                range.clone(),
            ));
        }
        let Some(node) = self.anchors.get(&id).cloned() else {
            return Err(self.fail(
                Code::Alias,
                "this alias stands inside the value it names",
                range.clone(),
                None,
            ));
        };
        let (nodes, height) = size(&node);
        if depth + height > MAX_DEPTH + 1 {
            return Err(self.too_large(
                format!("nested deeper than {MAX_DEPTH} levels"),
                range.clone(),
            ));
        }
        // Counted each time it is used: aliases of aliases multiply.
        self.count(nodes, range)?;
        Ok(node)
    }

    /// Remembers the node for aliases if it has an anchor, in place of an earlier one of that number; an error
    /// beyond `MAX_ANCHORS`.
    pub(super) fn keep(&mut self, anchor: usize, node: &Node) -> BuildResult<()> {
        // Anchors are numbered from 1; 0 is none.
        if anchor == 0 {
            return Ok(());
        }
        if self.anchors.len() >= MAX_ANCHORS {
            return Err(self.too_large(
                format!("more than {MAX_ANCHORS} anchors"),
                node.span.clone(),
            ));
        }
        self.anchors.insert(anchor, node.clone());
        Ok(())
    }
}

/// Counts the nodes and levels of a tree, the root included.
fn size(node: &Node) -> (usize, usize) {
    let (nodes, height) = node
        .children()
        .map(size)
        .fold((0, 0), |(nodes, height), (n, h)| (nodes + n, height.max(h)));
    (nodes + 1, height + 1)
}
