//! Nodes of a window. A host sends them as a list, parents first; here they become a tree.

use runner_screen::Rect;
use serde::{Deserialize, Deserializer};

/// Deepest tree; deeper nodes become their parent's siblings. Chosen: real screens are not as deep, and each
/// reader of the tree is recursive.
const MAX_DEPTH: usize = 200;

/// A visible node. Fields without a comment are the attributes of a dump with the same name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "accessibility's attributes are independent booleans"
)]
#[serde(default)]
pub struct HostNode {
    /// Id that stays the same while the view exists.
    pub id: i64,
    /// Number of nodes above it.
    pub depth: u32,
    pub text: String,
    /// `resource-id`.
    pub res: String,
    pub class: String,
    /// `content-desc`.
    pub desc: String,
    pub hint: String,
    pub checkable: bool,
    pub checked: bool,
    pub clickable: bool,
    pub enabled: bool,
    pub focusable: bool,
    pub focused: bool,
    pub scrollable: bool,
    pub long_clickable: bool,
    pub password: bool,
    pub selected: bool,
    /// Text can be put in.
    pub editable: bool,
    /// `bounds`: left, top, right, bottom.
    pub bounds: [i32; 4],
    /// Index among all children of its parent.
    pub index: u32,
    /// `drawing-order`.
    pub order: u32,
    /// Range of a view with a number, such as a slider. `None` for all others.
    pub range: Option<HostRange>,
    /// Visible children.
    #[serde(skip)]
    pub children: Vec<HostNode>,
}

impl HostNode {
    /// Returns the first wanted node in document order, this one included.
    pub fn find(&self, is_wanted: &impl Fn(&Self) -> bool) -> Option<&Self> {
        if is_wanted(self) {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.find(is_wanted))
    }

    /// Returns its bounds on the display.
    pub fn place(&self) -> Rect {
        let [left, top, right, bottom] = self.bounds;
        Rect::new(left, top, right, bottom)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostRange {
    pub min: f64,
    pub max: f64,
    /// Current value.
    pub now: f64,
}

/// Deserializes the nodes of a window as a tree, or `None` for an empty list.
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

/// Moves the last open nodes into their parents until `depth` are open. The root always stays open.
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
