//! Which element it is now, and what of the selector is written anew: `runner_screen::identity` asked for a selector of
//! either language.

use runner_flow::WrittenSelector;
use runner_screen::{Node, NodeIndex, Screen};

/// An element that was found again.
pub(crate) struct Found {
    pub(crate) node: NodeIndex,
    pub(crate) element: String,
    pub(crate) reasons: Vec<String>,
    pub(crate) property: &'static str,
    pub(crate) from: String,
    pub(crate) to: String,
}

/// Why it is not known which element it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// Nothing is like it.
    #[error("no element of the screen is like the one that it matched")]
    Gone,
    /// Several are.
    #[error("several elements are as much like the one that it matched")]
    Unclear,
    /// The element is known, and the selector cannot say it by one property.
    #[error("no one property of the selector, written anew, selects the element that it most likely is")]
    NoProperty,
}

pub(crate) fn find_again(
    selector: &WrittenSelector,
    old: Node<'_>,
    new: &Screen,
) -> Result<Found, Unknown> {
    let _ = selector;
    let is_it = |node: &Node<'_>| {
        node.class() == old.class()
            && (node.text() == old.text() || node.resource_id() == old.resource_id())
            && (!node.text().is_empty() || !node.resource_id().is_empty())
    };
    let found: Vec<Node<'_>> = new.nodes().filter(is_it).collect();
    let [node] = found[..] else {
        return Err(if found.is_empty() {
            Unknown::Gone
        } else {
            Unknown::Unclear
        });
    };
    let (property, from, to) = if node.text() == old.text() {
        ("id", old.resource_name(), node.resource_name())
    } else if matches!(selector, WrittenSelector::Own(own) if own.to_value().is_string()) {
        ("any", old.text(), node.text())
    } else {
        ("text", old.text(), node.text())
    };
    Ok(Found {
        node: node.index(),
        element: runner_screen::Selector::picking(new, node.index()).to_string(),
        reasons: vec!["the same class and words".to_owned()],
        property,
        from: from.to_owned(),
        to: to.to_owned(),
    })
}
