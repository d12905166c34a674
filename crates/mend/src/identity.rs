//! Finds an element again on a later screen, and the property of its selector to edit. It uses
//! `runner_screen::identity` for selectors of both languages.

use runner_flow::WrittenSelector;
use runner_screen::identity::{Identity, Match, PropertyChange, find_again};
use runner_screen::{Node, Screen};

/// Reason why there is no new value for a selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoChange {
    /// No element of the screen is similar to the old one.
    #[error("no element of the screen is like the one that it matched")]
    Gone,
    /// Several elements are equally similar.
    #[error("several elements are as much like the one that it matched")]
    Unclear,
    /// The element was found, but no single edited property of the selector selects it.
    #[error(
        "no one property of the selector, written anew, selects the element that it most likely is"
    )]
    NoProperty,
}

/// Finds the element of `new` that is most likely `old`, which the selector matched, and the change of one property
/// after which the selector matches only it. The id is tried first, then the words. Fails if the element is gone, if
/// several are equally likely, or if no single change is enough.
pub(crate) fn find(
    selector: &WrittenSelector,
    old: Node<'_>,
    new: &Screen,
) -> Result<(Match, PropertyChange), NoChange> {
    let found = match find_again(old, new) {
        Identity::Found(found) => found,
        Identity::Unclear => return Err(NoChange::Unclear),
        Identity::Gone => return Err(NoChange::Gone),
    };
    let node = new.node(found.node);
    let change = match selector {
        WrittenSelector::Own(selector) => selector.property_change(old, node),
        WrittenSelector::Maestro(selector) => selector.property_change(old, node),
    };
    Ok((found, change.ok_or(NoChange::NoProperty)?))
}
