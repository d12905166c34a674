//! Catalogue C: the semantic-UI tools, `semantic.…` as steps, and their resources.

mod a2ui;
mod act;
mod dropdown;
mod element;
mod kind;
mod list;
mod model;
mod picker;
mod resources;
mod scroll;
mod select;
mod selection;
mod text;
mod toggle;

pub use a2ui::{SendA2ui, SendA2uiArgs};
pub use act::{Click, Focus};
pub use element::ElementArgs;
pub use list::{ListActionable, NoArgs};
pub use resources::{may_be_one as may_be_resource, read, resources};
pub use scroll::{Scroll, ScrollArgs};
pub use select::{Select, SelectArgs};
pub use text::{TypeText, TypeTextArgs};
pub use toggle::Toggle;

use super::catalogue::Catalogue::Semantic;
use super::{Entry, Tool};

/// Returns the catalogue's tools in the order of the docs.
pub(super) fn entries() -> Vec<Entry> {
    vec![
        entry::<Click>(),
        entry::<TypeText>(),
        entry::<Focus>(),
        entry::<Scroll>(),
        entry::<Toggle>(),
        entry::<Select>(),
        entry::<ListActionable>(),
        entry::<SendA2ui>(),
    ]
}

const fn entry<T: Tool>() -> Entry {
    Entry::new::<T>(Semantic)
}

#[cfg(test)]
mod tests;
