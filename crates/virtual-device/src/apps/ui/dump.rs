//! Placed elements as the rows of a dump.

use super::layout::LayoutNode;
use crate::{NodeDump, NodeOrder};

/// Characters of a node's text at most.
const MAX_TEXT: usize = 100_000;

/// The dump of a tree: bounds clipped to what is seen, nothing that is not seen. `None` when its root is not seen.
pub(crate) fn dump(placed: &LayoutNode) -> Option<NodeDump> {
    let mut nodes = rows(placed);
    (nodes.len() == 1).then(|| nodes.remove(0))
}

fn rows(placed: &LayoutNode) -> Vec<NodeDump> {
    let mut index = 0;
    children(placed, &mut index)
}

/// The nodes of an element's children, or it itself; `index` counts those that are not seen, too.
fn children(placed: &LayoutNode, index: &mut u32) -> Vec<NodeDump> {
    if placed.element.node.class.is_empty() {
        let all = placed.children.iter();
        return all.flat_map(|child| children(child, index)).collect();
    }
    let order = NodeOrder {
        index: *index,
        drawing: *index + 1,
    };
    *index += 1;
    let Some(bounds) = placed.visible() else {
        return Vec::new();
    };
    let mut node = placed.element.node.clone();
    cut(&mut node.text);
    node.bounds = bounds;
    node.order = Some(order);
    let mut below = 0;
    let all = placed.children.iter();
    node.children = all.flat_map(|child| children(child, &mut below)).collect();
    vec![node]
}

/// Cuts a text as accessibility does (AOSP, `TextUtils.trimToParcelableSize`).
fn cut(text: &mut String) {
    if text.len() > MAX_TEXT
        && let Some((end, _)) = text.char_indices().nth(MAX_TEXT)
    {
        text.truncate(end);
    }
}
