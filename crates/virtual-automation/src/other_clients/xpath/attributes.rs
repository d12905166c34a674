//! Source of the attributes that expressions compare.

use crate::tree::Tree;

/// Source of nodes' attributes.
pub(crate) trait Attributes {
    /// Returns names and values, in the order of the XML.
    fn list(&self, tree: &Tree<'_>, at: usize) -> Vec<(&'static str, String)>;
}
