//! Builds a tree from nodes that a host sends as a list, parents first.

use serde::{Deserialize as _, Deserializer};

use super::HostNode;

/// Deepest tree; deeper nodes become their parent's siblings. Chosen: real screens are not as deep, and each
/// reader of the tree is recursive.
const MAX_DEPTH: usize = 200;

/// Deserializes the nodes of a window.
pub(super) fn read<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<HostNode>, D::Error> {
    Ok(build(Vec::deserialize(deserializer)?))
}

/// Builds the tree from nodes in document order with their depths; the first node is the root, whatever its
/// depth. Later nodes are always below it, at [`MAX_DEPTH`] at most. Returns `None` without nodes.
fn build(nodes: Vec<HostNode>) -> Option<HostNode> {
    let mut open: Vec<HostNode> = Vec::new();
    for node in nodes {
        let depth = (node.depth as usize).clamp(usize::from(!open.is_empty()), MAX_DEPTH);
        close(&mut open, depth);
        open.push(node);
    }
    close(&mut open, 1);
    open.pop()
}

/// Closes open nodes into their parents until `depth` are open, but never the root.
fn close(open: &mut Vec<HostNode>, depth: usize) {
    while open.len() > depth.max(1) {
        let Some(child) = open.pop() else { return };
        if let Some(parent) = open.last_mut() {
            parent.children.push(child);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(depths: &[u32]) -> Vec<HostNode> {
        let numbered = depths.iter().zip(1..);
        numbered
            .map(|(depth, id)| HostNode {
                id,
                depth: *depth,
                ..HostNode::default()
            })
            .collect()
    }

    fn shape(node: &HostNode) -> String {
        let children: Vec<String> = node.children.iter().map(shape).collect();
        if children.is_empty() {
            node.id.to_string()
        } else {
            format!("{}({})", node.id, children.join(" "))
        }
    }

    #[test]
    fn parents_come_before_their_children() {
        for (depths, expected) in [
            (&[0][..], "1"),
            (&[0, 1, 2, 2, 1], "1(2(3 4) 5)"),
            // A host that skips a depth, or has two roots, loses no node.
            (&[0, 5, 5, 1], "1(2(3) 4)"),
            (&[0, 0, 1], "1(2 3)"),
        ] {
            let root = build(nodes(depths)).unwrap();
            assert_eq!(shape(&root), expected, "{depths:?}");
        }
        assert_eq!(build(Vec::new()), None);
    }

    #[test]
    fn a_tree_is_never_deeper_than_its_readers_go() {
        let depths: Vec<u32> = (0..100_000).collect();
        let mut node = build(nodes(&depths)).unwrap();
        let mut deep = 1;
        while let Some(child) = node.children.pop() {
            node = child;
            deep += 1;
        }
        assert!(deep <= MAX_DEPTH + 1, "{deep}");
    }
}
