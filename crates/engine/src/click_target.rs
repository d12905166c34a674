//! Element that takes the click on another one.

use runner_screen::Node;

/// Returns the node that takes a click on `node`: itself if clickable, else its nearest clickable ancestor,
/// else itself.
pub fn click_target(node: Node<'_>) -> Node<'_> {
    // A text in a button is not clickable itself: the device hands its touch up to the button.
    ancestor_or_self(node, |node| node.flags().clickable).unwrap_or(node)
}

/// Same as [`click_target`], for a long touch.
pub fn long_click_target(node: Node<'_>) -> Node<'_> {
    ancestor_or_self(node, |node| node.flags().long_clickable).unwrap_or_else(|| click_target(node))
}

/// Returns the innermost of the node and its ancestors that passes the test. `None` if none does.
fn ancestor_or_self(node: Node<'_>, test: impl Fn(Node<'_>) -> bool) -> Option<Node<'_>> {
    let mut current = Some(node);
    while let Some(node) = current {
        if test(node) {
            return Some(node);
        }
        current = node.parent();
    }
    None
}
