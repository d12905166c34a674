//! The one property of a selector that must be written anew.

/// A property of a selector and its new value, with which it selects just the element that it selected before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyChange {
    /// The key in the flow: `id`, `text`, `desc` or `hint`; `any` for a selector that is words alone.
    pub property: &'static str,
    /// The value as the selector has it.
    pub from: String,
    /// The value to write, as the selector's language reads it; not yet quoted for YAML.
    pub to: String,
}
