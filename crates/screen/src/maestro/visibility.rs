//! Decides which nodes Maestro sees: those of which a tenth is on the screen, and their ancestors.

use crate::{Node, Rect, Screen};

/// Smallest part of a node on the screen with which Maestro sees it (`ViewHierarchy.kt`).
const MIN_VISIBLE: f64 = 0.1;

/// Returns the part of `bounds` that is on the display, 0 to 1. It is 1 where the bounds cover the display, 0
/// without width and height, and NaN where only one of them is 0.
pub fn visible_share(bounds: Rect, display: Rect) -> f64 {
    let edge = i64::from;
    let width = edge(bounds.right) - edge(bounds.left);
    let height = edge(bounds.bottom) - edge(bounds.top);
    if width == 0 && height == 0 {
        return 0.0;
    }
    if bounds.encloses(&display) {
        return 1.0;
    }
    let overlap = |from: i32, to: i32, first: i32, last: i32| {
        (edge(to.min(last)) - edge(from.max(first))).max(0)
    };
    let across = overlap(bounds.left, bounds.right, display.left, display.right);
    let down = overlap(bounds.top, bounds.bottom, display.top, display.bottom);
    (across as f64 * down as f64) / (width as f64 * height as f64)
}

/// Returns for each node, in document order, true if Maestro sees it: enough of it is on the display, or it
/// sees a node below it. If it would see none, all count as seen.
///
/// Nodes that the device calls invisible are not seen, except in a web page, where the flag is often wrong.
pub(super) fn visible(screen: &Screen) -> Vec<bool> {
    let area = screen.display().bounds();
    let mut observed: Vec<bool> = screen.nodes().map(|node| is_visible(node, area)).collect();
    // A node is seen if one of its children is. In reverse order children come before their parents.
    for place in (0..observed.len()).rev() {
        let node = screen.node(crate::NodeIndex(place as u32));
        if observed[place]
            && let Some(parent) = node.parent()
        {
            observed[parent.index().0 as usize] = true;
        }
    }
    if observed.iter().any(|seen| *seen) {
        observed
    } else {
        vec![true; observed.len()]
    }
}

/// Returns true if Maestro sees the node itself: at least [`MIN_VISIBLE`] of it is on the display. It sees a node
/// whose share is NaN, and none that the device calls invisible, web pages aside.
fn is_visible(node: Node<'_>, area: Rect) -> bool {
    if node.flags().visible_to_user == Some(false) && !node.is_in_web_view() {
        return false;
    }
    // If the share is NaN, Maestro sees the node.
    let share = visible_share(node.bounds(), area);
    share.is_nan() || share >= MIN_VISIBLE
}
