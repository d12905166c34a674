//! The change of one property of a selector.

/// Property of a selector with a new value, with which the selector selects only the element that it selected
/// before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyChange {
    /// Key in the flow: `id`, `text`, `desc` or `hint`; `any` for a selector that is only a text.
    pub property: &'static str,
    /// Value that the selector has now.
    pub from: String,
    /// Value to write, as the selector's language reads it; not quoted for YAML yet.
    pub to: String,
}
