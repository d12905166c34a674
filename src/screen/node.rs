//! One node of a screen, seen through its screen.

use super::{Rect, Screen, Window};

/// Position of a node in its screen's arena, in document order. Means nothing in another screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(pub u32);

/// States and abilities of a node, as the dump gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the dump's attributes are independent booleans"
)]
pub struct Flags {
    /// `checkable`.
    pub checkable: bool,
    /// `checked`.
    pub checked: bool,
    /// `clickable`.
    pub clickable: bool,
    /// `enabled`.
    pub enabled: bool,
    /// `focusable`.
    pub focusable: bool,
    /// `focused`.
    pub focused: bool,
    /// `scrollable`.
    pub scrollable: bool,
    /// `long-clickable`.
    pub long_clickable: bool,
    /// `password`.
    pub password: bool,
    /// `selected`.
    pub selected: bool,
    /// `visible-to-user`, where the dump has it.
    pub visible_to_user: Option<bool>,
}

/// A node, borrowed from its [`Screen`]. Copy it freely.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub(super) screen: &'a Screen,
    pub(super) index: NodeIndex,
}

impl<'a> Node<'a> {
    /// The screen it belongs to.
    pub fn screen(self) -> &'a Screen {
        self.screen
    }

    /// Its place in the arena.
    pub fn index(self) -> NodeIndex {
        self.index
    }

    /// Full class name; empty where the dump has none.
    pub fn class(self) -> &'a str {
        todo!()
    }

    /// The class after its last dot.
    pub fn short_class(self) -> &'a str {
        todo!()
    }

    /// Text as the device has it, white space and all. Of a password field this is the constant `<password>`.
    pub fn text(self) -> &'a str {
        todo!()
    }

    /// Content description.
    pub fn desc(self) -> &'a str {
        todo!()
    }

    /// Whole resource id, `package:id/name`.
    pub fn resource_id(self) -> &'a str {
        todo!()
    }

    /// Hint.
    pub fn hint(self) -> &'a str {
        todo!()
    }

    /// Package of the app it belongs to.
    pub fn package(self) -> &'a str {
        todo!()
    }

    /// Bounds on the display.
    pub fn bounds(self) -> Rect {
        todo!()
    }

    /// States and abilities.
    pub fn flags(self) -> Flags {
        todo!()
    }

    /// Whether its class is an editable field's (`EditText`, `AutoComplete`).
    pub fn is_editable(self) -> bool {
        todo!()
    }

    /// Whether it is on the screen (`on` against `off` in the TSV).
    pub fn is_on_screen(self) -> bool {
        todo!()
    }

    /// Depth; a root's is 0.
    pub fn depth(self) -> u32 {
        todo!()
    }

    /// The node above, `None` for a root.
    pub fn parent(self) -> Option<Node<'a>> {
        todo!()
    }

    /// The nodes right below, in document order.
    pub fn children(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::empty()
    }

    /// All nodes below, in document order, without itself.
    pub fn descendants(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::empty()
    }

    /// The window it is in.
    pub fn window(self) -> &'a Window {
        todo!()
    }

    /// Its id with the window's suffix: `node_322967b8_w42`.
    pub fn id(self) -> String {
        todo!()
    }
}
