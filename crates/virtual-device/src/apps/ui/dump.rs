//! Placed elements as the rows of a dump.

use super::layout::LayoutNode;
use crate::NodeDump;
use runner_screen::Rect;

/// The dump of a tree: bounds clipped to what is seen, nothing that is not seen. `None` when its root is not seen.
pub(crate) fn dump(placed: &LayoutNode) -> Option<NodeDump> {
    let mut nodes = rows(placed);
    (nodes.len() == 1).then(|| nodes.remove(0))
}

fn rows(placed: &LayoutNode) -> Vec<NodeDump> {
    let children: Vec<NodeDump> = placed.children.iter().flat_map(rows).collect();
    if placed.element.node.class.is_empty() {
        return children;
    }
    let Some(bounds) = placed.visible() else {
        return Vec::new();
    };
    let mut node = placed.element.node.clone();
    node.bounds = Rect { ..bounds };
    node.children = children;
    vec![node]
}
