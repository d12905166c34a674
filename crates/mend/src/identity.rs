//! Which element it is now, and what of the selector is written anew: `runner_screen::identity`, asked for a selector of
//! either language.

use runner_flow::WrittenSelector;
use runner_screen::identity::{Identity, Match, PropertyChange, find_again};
use runner_screen::{Node, Screen};

/// A reason why there is no new value for a selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoChange {
    /// Nothing is like it.
    #[error("no element of the screen is like the one that it matched")]
    Gone,
    /// Several are.
    #[error("several elements are as much like the one that it matched")]
    Unclear,
    /// The element is known, and the selector cannot say it by one property.
    #[error(
        "no one property of the selector, written anew, selects the element that it most likely is"
    )]
    NoProperty,
}

/// Returns the element of `new` that `old`, which the selector matched, most likely is, and the property to write anew.
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
