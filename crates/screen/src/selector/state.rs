//! States that a selector can ask for.

use crate::Node;

/// State or ability of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementState {
    Enabled,
    Checked,
    Selected,
    Focused,
    Clickable,
    Scrollable,
    Editable,
}

impl ElementState {
    /// All states in the order in which they are written.
    pub const ALL: [Self; 7] = [
        Self::Enabled,
        Self::Checked,
        Self::Selected,
        Self::Focused,
        Self::Clickable,
        Self::Scrollable,
        Self::Editable,
    ];

    /// Returns the key in a selector, the state in lower case such as `enabled`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Checked => "checked",
            Self::Selected => "selected",
            Self::Focused => "focused",
            Self::Clickable => "clickable",
            Self::Scrollable => "scrollable",
            Self::Editable => "editable",
        }
    }

    /// Returns true if `node` has the state: `editable` by its class, all others by the flags of the dump. An attribute
    /// that the dump lacks is false, `enabled` too.
    pub fn is_set_on(self, node: Node<'_>) -> bool {
        let flags = node.flags();
        match self {
            Self::Enabled => flags.enabled,
            Self::Checked => flags.checked,
            Self::Selected => flags.selected,
            Self::Focused => flags.focused,
            Self::Clickable => flags.clickable,
            Self::Scrollable => flags.scrollable,
            Self::Editable => node.is_editable(),
        }
    }
}
