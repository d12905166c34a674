//! Controls of a screen, as they are listed.

use std::sync::Arc;

use serde_json::{Value, json};

use super::hierarchy;
use runner_screen::{Node, NodeIndex, Rect, Screen};

/// Controls of a screen. Their ids are their places in this list, from 1.
#[derive(Debug)]
pub(super) struct Controls {
    pub(super) screen: Arc<Screen>,
    nodes: Vec<NodeIndex>,
}

impl Controls {
    /// Collects the controls of the active window, on the screen or not, that have an area.
    pub(super) fn new(screen: Arc<Screen>) -> Self {
        let nodes = hierarchy::active_nodes(&screen)
            .filter(|node| is_control(*node) && has_rectangle(node.bounds()))
            .map(Node::index)
            .collect();
        Self { screen, nodes }
    }

    /// Returns the control with this id.
    pub(super) fn get(&self, id: &str) -> Option<NodeIndex> {
        let place = id.parse::<usize>().ok()?.checked_sub(1)?;
        self.nodes.get(place).copied()
    }

    // The reference's example has id, name, type and rect, and its table two more keys. All six satisfy both.
    /// Converts to the list that clients get: `{kind, id, name, type, package, rect}` each, with ids from 1 as texts.
    pub(super) fn json(&self) -> Value {
        let item = |(place, index): (usize, &NodeIndex)| {
            let node = self.screen.node(*index);
            json!({
                "kind": "control",
                "id": (place + 1).to_string(),
                "name": name(node),
                "type": node.short_class(),
                "package": node.package(),
                "rect": rect_json(node.bounds()),
            })
        };
        self.nodes.iter().enumerate().map(item).collect()
    }
}

/// Returns true if an element can be acted on, has words, or is a field or button by its class.
fn is_control(node: Node<'_>) -> bool {
    let flags = node.flags();
    let class = node.short_class();
    flags.clickable
        || flags.long_clickable
        || flags.scrollable
        || flags.checkable
        || !node.display_text().trim().is_empty()
        || !node.desc().trim().is_empty()
        || class.contains("Edit")
        || class.contains("Button")
}

/// Returns true if the rectangle has an area and its right and lower edges are not 0.
pub(super) fn has_rectangle(rect: Rect) -> bool {
    rect.right > rect.left && rect.bottom > rect.top && rect.right != 0 && rect.bottom != 0
}

/// Returns the control's name: the first of text, description and hint that is not blank, else the class
/// without its package. The content of a password field is no name.
pub(super) fn name(node: Node<'_>) -> &str {
    let text = if node.flags().password && !node.shows_hint() {
        ""
    } else {
        node.display_text()
    };
    [text, node.desc(), node.hint()]
        .into_iter()
        .find(|name| !name.trim().is_empty())
        .unwrap_or_else(|| node.short_class())
}

/// Converts to `[left, top, right, bottom]`, in pixels.
pub(super) fn rect_json(rect: Rect) -> Value {
    json!([rect.left, rect.top, rect.right, rect.bottom])
}
