//! The states a selector can ask for.

use crate::Node;

/// A state or ability of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// `enabled`.
    Enabled,
    /// `checked`.
    Checked,
    /// `selected`.
    Selected,
    /// `focused`.
    Focused,
    /// `clickable`.
    Clickable,
    /// `scrollable`.
    Scrollable,
    /// `editable`.
    Editable,
}

impl State {
    /// All, in the order they are written.
    pub const ALL: [Self; 7] = [
        Self::Enabled,
        Self::Checked,
        Self::Selected,
        Self::Focused,
        Self::Clickable,
        Self::Scrollable,
        Self::Editable,
    ];

    /// Its key in a selector.
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

    /// Whether `node` has it.
    pub fn of(self, node: Node<'_>) -> bool {
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
