//! Element that a search found, without the tree it was found in.

use crate::tree::TreeNode;
use runner_screen::{Point, Rect};

#[derive(Debug, Clone)]
pub(crate) struct FoundElement {
    pub(crate) window: i32,
    pub(crate) key: u64,
    pub(crate) bounds: Rect,
}

impl FoundElement {
    /// Remembers the node by window and key, with its present bounds.
    pub(crate) fn from_node(node: &TreeNode<'_>) -> Self {
        Self {
            window: node.window.id,
            key: node.key,
            bounds: node.bounds(),
        }
    }

    pub(crate) fn centre(&self) -> Point {
        centre(self.bounds)
    }
}

/// Returns the middle of the bounds, rounded to the left and top.
pub(crate) fn centre(bounds: Rect) -> Point {
    Point {
        x: bounds.left + (bounds.right - bounds.left) / 2,
        y: bounds.top + (bounds.bottom - bounds.top) / 2,
    }
}
