//! Nodes as a screen stores them: ranges of its text, and numbers.

use super::Rect;
use super::decode::unescape_into;

/// Text that replaces the text of a password field; the arena's text begins with it.
pub(super) const PASSWORD: &str = "<password>";

/// Index of a node in its screen's arena, in document order. It means nothing in another screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(pub u32);

/// States and abilities of a node, as the dump gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the dump's attributes are independent booleans"
)]
pub struct Flags {
    pub checkable: bool,
    pub checked: bool,
    pub clickable: bool,
    /// True only if the source says so; without the attribute it is false, and
    /// [`Node::is_disabled`](super::Node::is_disabled) too.
    pub enabled: bool,
    pub focusable: bool,
    pub focused: bool,
    pub scrollable: bool,
    pub long_clickable: bool,
    pub password: bool,
    pub selected: bool,
    /// Value of `visible-to-user`; `None` where the dump does not have it.
    pub visible_to_user: Option<bool>,
}

/// Range of a string in the screen's text buffer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Appends an attribute's raw value, unescaped, to the buffer, and returns its place there. An empty
    /// value appends nothing.
    pub(super) fn append(buffer: &mut String, value: &str) -> Self {
        if value.is_empty() {
            return Self::default();
        }
        let start = buffer.len() as u32;
        unescape_into(value, buffer);
        Self {
            start,
            end: buffer.len() as u32,
        }
    }

    /// Returns the range of the constant that replaces the text of a password field.
    pub(super) fn password() -> Self {
        Self {
            start: 0,
            end: PASSWORD.len() as u32,
        }
    }

    /// Returns the string; empty if `buffer` does not reach so far.
    pub(super) fn slice(self, buffer: &str) -> &str {
        buffer
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// Returns true if a person types into views of this class: its last part contains `EditText` or
/// `AutoComplete`.
pub(super) fn takes_text(class: &str) -> bool {
    let short = class.rsplit_once('.').map_or(class, |(_, short)| short);
    short.contains("EditText") || short.contains("AutoComplete")
}

#[derive(Debug)]
pub(super) struct NodeData {
    pub(super) class: Span,
    pub(super) text: Span,
    pub(super) desc: Span,
    pub(super) resource_id: Span,
    pub(super) hint: Span,
    /// Number that a slider, a progress bar or a rating bar shows, where the source has it.
    pub(super) value: Span,
    pub(super) package: Span,
    pub(super) bounds: Rect,
    pub(super) flags: Flags,
    /// True if the source says that the node is not enabled. Without the attribute it counts as enabled.
    pub(super) disabled: bool,
    pub(super) shows_hint: bool,
    /// Number of characters that the source has in a password field; 0 while it shows its hint, and in other nodes.
    pub(super) masked: u32,
    /// Value of `drawing-order`; 0 where the source does not have it.
    pub(super) drawing_order: u32,
    pub(super) parent: Option<u32>,
    /// Index behind the node's last descendant in the arena.
    pub(super) end: u32,
    pub(super) depth: u32,
    pub(super) child_count: u32,
    pub(super) window: u32,
    pub(super) hash: u32,
}

impl NodeData {
    /// Creates a node without properties: empty strings, flags that are false, no bounds, and no descendants yet.
    pub(super) fn new(parent: Option<u32>, window: u32, depth: u32, end: u32) -> Self {
        Self {
            class: Span::default(),
            text: Span::default(),
            desc: Span::default(),
            resource_id: Span::default(),
            hint: Span::default(),
            value: Span::default(),
            package: Span::default(),
            bounds: Rect::default(),
            flags: Flags::default(),
            disabled: false,
            shows_hint: false,
            masked: 0,
            drawing_order: 0,
            parent,
            end,
            depth,
            child_count: 0,
            window,
            hash: 0,
        }
    }
}
