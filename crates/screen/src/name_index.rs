//! Nodes of a screen by the names that selectors use. [`crate::selector`] fills it.

use std::collections::HashMap;

use super::node_data::NodeIndex;

/// Number of kinds of words: text, description and hint.
pub(super) const WORDS: usize = 3;

/// Nodes in document order by each name that a selector may use.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    pub(super) ids: HashMap<String, Vec<NodeIndex>>,
    pub(super) words: [HashMap<String, Vec<NodeIndex>>; WORDS],
}
