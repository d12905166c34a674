//! Catalogue C: the semantic-UI tools, `semantic.…` as steps, and what their resources show.

mod resources;

pub use resources::{read, resources};

use super::Entry;

/// The catalogue's tools, in the order of the docs.
pub(super) fn entries() -> Vec<Entry> {
    Vec::new()
}
