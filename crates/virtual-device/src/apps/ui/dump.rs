//! Turns laid out elements into nodes of a dump.

use super::layout::LayoutNode;
use crate::{NodeDump, NodeOrder};

/// Most characters of a node's text: AOSP's `TextUtils.PARCEL_SAFE_TEXT_LENGTH`.
const MAX_TEXT_CHARS: usize = 100_000;
/// Order of a window's root, which no view draws (AOSP,
/// `View.populateAccessibilityNodeInfoDrawingOrderInParent`).
const WINDOW_ROOT: NodeOrder = NodeOrder {
    index: 0,
    drawing: 0,
};

/// Dumps a tree: bounds are clipped to what is visible, invisible elements are left out. If the root is only drawn,
/// its one visible view takes its place. Returns `None` if the root is invisible, or is only drawn and has none or
/// several visible views.
pub(crate) fn dump(placed: &LayoutNode) -> Option<NodeDump> {
    if !placed.element.node.class.is_empty() {
        return row(placed, WINDOW_ROOT);
    }
    let mut nodes = children(placed);
    let root = (nodes.len() == 1).then(|| nodes.remove(0))?;
    Some(NodeDump {
        order: Some(WINDOW_ROOT),
        ..root
    })
}

/// Dumps an element that is a view, with what is below it. Returns `None` if it is not visible.
fn row(placed: &LayoutNode, order: NodeOrder) -> Option<NodeDump> {
    let mut node = placed.element.node.clone();
    cut(&mut node.text);
    node.bounds = placed.visible()?;
    node.order = Some(order);
    node.children = children(placed);
    Some(node)
}

/// Returns the nodes of an element's children. Elements that are only drawn are replaced by theirs. Invisible
/// ones are left out but counted in the order.
fn children(placed: &LayoutNode) -> Vec<NodeDump> {
    let mut views = Vec::new();
    find_views(placed, &[], &mut views);
    let mut drawn: Vec<usize> = (0..views.len()).collect();
    drawn.sort_by(|a, b| views[*a].0.cmp(&views[*b].0));
    let mut drawing = vec![0; views.len()];
    for (place, view) in (1..).zip(drawn) {
        drawing[view] = place;
    }
    let numbered = (0..).zip(views).zip(drawing);
    numbered
        .filter_map(|((index, (_, view)), drawing)| row(view, NodeOrder { index, drawing }))
        .collect()
}

/// Finds the views right below an element, in document order, through elements that are only drawn. Each has
/// its place in the drawing order: one number for each level down to it, behind those of `above`.
fn find_views<'a>(
    placed: &'a LayoutNode,
    above: &[usize],
    found: &mut Vec<(Vec<usize>, &'a LayoutNode)>,
) {
    let mut ranks = vec![0; placed.children.len()];
    for (rank, child) in placed.drawn().into_iter().enumerate() {
        ranks[child] = rank;
    }
    for (child, rank) in placed.children.iter().zip(ranks) {
        let place = [above, &[rank]].concat();
        if child.element.node.class.is_empty() {
            find_views(child, &place, found);
        } else {
            found.push((place, child));
        }
    }
}

/// Cuts a text to [`MAX_TEXT_CHARS`] characters, as accessibility does (AOSP, `TextUtils.trimToParcelableSize`). A
/// shorter text stays.
fn cut(text: &mut String) {
    if text.len() > MAX_TEXT_CHARS
        && let Some((end, _)) = text.char_indices().nth(MAX_TEXT_CHARS)
    {
        text.truncate(end);
    }
}
