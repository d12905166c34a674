//! One node of a screen, seen through its screen.

use super::decode::unescape_into;
use super::id::NodeId;
use super::parse::PASSWORD;
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

/// Why an element is not on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unseen {
    /// It has no area, or its edges are the wrong way round, or the dump names no bounds.
    NoSize,
    /// No part of it lies on the display.
    Outside,
    /// `visible-to-user` is false.
    NotVisible,
}

impl std::fmt::Display for Unseen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoSize => "it has no size",
            Self::Outside => "it lies outside the display",
            Self::NotVisible => "the device says that it is not visible",
        })
    }
}

/// A string in the screen's text buffer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Appends an attribute's raw value to the buffer.
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

    /// What stands for the text of a password field.
    pub(super) fn password() -> Self {
        Self {
            start: 0,
            end: PASSWORD.len() as u32,
        }
    }

    /// The string itself.
    pub(super) fn of(self, buffer: &str) -> &str {
        buffer
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// Whether this is the class of a field a person types into.
pub(super) fn takes_text(class: &str) -> bool {
    let short = class.rsplit_once('.').map_or(class, |(_, short)| short);
    short.contains("EditText") || short.contains("AutoComplete")
}

/// A node in the arena.
#[derive(Debug)]
pub(super) struct NodeData {
    pub(super) class: Span,
    pub(super) text: Span,
    pub(super) desc: Span,
    pub(super) resource_id: Span,
    pub(super) hint: Span,
    /// The number that a slider, a progress bar or a rating bar stands at, where the source has it.
    pub(super) value: Span,
    pub(super) package: Span,
    pub(super) bounds: Rect,
    pub(super) flags: Flags,
    /// The source says that it is not enabled; one that says nothing of it means that it is.
    pub(super) disabled: bool,
    pub(super) shows_hint: bool,
    /// Characters in a password field; 0 in others.
    pub(super) masked: u32,
    /// `drawing-order`; 0 where the source does not have it.
    pub(super) drawing_order: u32,
    pub(super) parent: Option<u32>,
    /// Where its subtree ends in the arena, exclusive.
    pub(super) end: u32,
    pub(super) depth: u32,
    pub(super) child_count: u32,
    pub(super) window: u32,
    pub(super) hash: u32,
}

impl NodeData {
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

    fn data(self) -> &'a NodeData {
        self.screen.data(self.index)
    }

    fn string(self, span: Span) -> &'a str {
        span.of(&self.screen.text)
    }

    /// Full class name; empty where the dump has none.
    pub fn class(self) -> &'a str {
        self.string(self.data().class)
    }

    /// Returns true if a finger scrolls its content. Android also calls a spinner scrollable, whose one row does not move.
    pub fn scrolls(self) -> bool {
        self.flags().scrollable && self.short_class() != "Spinner"
    }

    /// The class after its last dot.
    pub fn short_class(self) -> &'a str {
        let class = self.class();
        class.rsplit_once('.').map_or(class, |(_, short)| short)
    }

    /// Text as the device has it, white space and all; of a field that shows its hint nothing. Of a password field this
    /// is the constant `<password>`, even while it is empty: goldens hold it.
    pub fn text(self) -> &'a str {
        self.string(self.data().text)
    }

    /// Content description.
    pub fn desc(self) -> &'a str {
        self.string(self.data().desc)
    }

    /// Whole resource id, `package:id/name`.
    pub fn resource_id(self) -> &'a str {
        self.string(self.data().resource_id)
    }

    /// Name of the resource id: the part after `/`, or the whole id where there is none.
    pub fn resource_name(self) -> &'a str {
        let id = self.resource_id();
        id.rsplit_once('/').map_or(id, |(_, name)| name)
    }

    /// Hint.
    pub fn hint(self) -> &'a str {
        self.string(self.data().hint)
    }

    /// The number that a slider, a progress bar or a rating bar stands at, such as `5.0`; empty where the device does
    /// not report it. A dump of Android's own never does.
    pub fn value(self) -> &'a str {
        self.string(self.data().value)
    }

    /// Whether the dump proves that nothing is in it and that it shows its hint. Dumps of old releases never do.
    pub fn shows_hint(self) -> bool {
        self.data().shows_hint
    }

    /// What a person reads on it: its text, or its hint while nothing is in it. What is in a password field is
    /// `<password>`.
    pub fn display_text(self) -> &'a str {
        if self.shows_hint() {
            self.hint()
        } else {
            self.text()
        }
    }

    /// Whether the source says that it is not enabled. One that says nothing of it means that it is.
    pub fn is_disabled(self) -> bool {
        self.data().disabled
    }

    /// How many characters a password field holds, as far as the dump shows; 0 for every other node.
    pub fn masked_characters(self) -> usize {
        self.data().masked as usize
    }

    /// Package of the app it belongs to.
    pub fn package(self) -> &'a str {
        self.string(self.data().package)
    }

    /// Bounds on the display.
    pub fn bounds(self) -> Rect {
        self.data().bounds
    }

    /// States and abilities.
    pub fn flags(self) -> Flags {
        self.data().flags
    }

    /// Whether its class is an editable field's (`EditText`, `AutoComplete`).
    pub fn is_editable(self) -> bool {
        takes_text(self.class())
    }

    /// Why it is not on the screen; `None` where it is. The one rule for every step, condition and list.
    pub fn unseen(self) -> Option<Unseen> {
        if self.bounds().is_empty() {
            Some(Unseen::NoSize)
        } else if self.part_on_display().is_none() {
            Some(Unseen::Outside)
        } else if self.flags().visible_to_user == Some(false) && !self.is_in_web_view() {
            Some(Unseen::NotVisible)
        } else {
            None
        }
    }

    /// Whether it is on the screen.
    pub fn is_on_screen(self) -> bool {
        self.unseen().is_none()
    }

    /// The part of it that lies on the display, whatever the device says of it: where a touch goes.
    pub fn part_on_display(self) -> Option<Rect> {
        let (bounds, area) = (self.bounds(), self.screen.area);
        if area.is_empty() {
            // A device that reports neither a display nor windows: what has an area is taken as shown.
            return (!bounds.is_empty()).then_some(bounds);
        }
        bounds.intersection(&area)
    }

    /// Whether a row says `on`. Goldens hold this word, so it stays what the device says of the element, or its place
    /// where the device says nothing.
    pub(super) fn is_on_in_rows(self) -> bool {
        let data = self.data();
        data.flags
            .visible_to_user
            .unwrap_or_else(|| data.bounds.intersection(&self.screen.area).is_some())
    }

    /// Whether it is inside a web page, where `visible-to-user` is often wrong.
    pub(super) fn is_in_web_view(self) -> bool {
        self.ancestors()
            .any(|node| node.class() == "android.webkit.WebView")
    }

    /// Depth; a root's is 0.
    pub fn depth(self) -> u32 {
        self.data().depth
    }

    /// The node above, `None` for a root.
    pub fn parent(self) -> Option<Node<'a>> {
        self.data()
            .parent
            .map(|index| self.screen.node(NodeIndex(index)))
    }

    /// The nodes above, the parent first.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// The nodes right below, in document order.
    pub fn children(self) -> impl Iterator<Item = Node<'a>> {
        let end = self.data().end;
        let first = self.index.0 + 1;
        let next = move |node: &Node<'a>| Some(node.data().end).filter(|next| *next < end);
        let node_at = move |index: u32| self.screen.node(NodeIndex(index));
        std::iter::successors(
            Some(first).filter(|first| *first < end).map(node_at),
            move |node| next(node).map(node_at),
        )
    }

    /// Number of nodes right below.
    pub fn child_count(self) -> u32 {
        self.data().child_count
    }

    /// All nodes below, in document order, without itself.
    pub fn descendants(self) -> impl Iterator<Item = Node<'a>> {
        (self.index.0 + 1..self.data().end).map(move |index| self.screen.node(NodeIndex(index)))
    }

    /// Returns the places, in document order, of the node and all nodes below it.
    pub fn subtree(self) -> std::ops::Range<usize> {
        self.index.0 as usize..self.data().end as usize
    }

    /// Whether `other`, of the same screen, is below this node.
    pub fn holds(self, other: Node<'_>) -> bool {
        (self.index.0 + 1..self.data().end).contains(&other.index.0)
    }

    /// The window it is in.
    pub fn window(self) -> &'a Window {
        self.screen.window_of(self.data())
    }

    /// Returns when it is drawn among its siblings, higher is later and so above; 0 where the source does not tell.
    pub fn drawing_order(self) -> u32 {
        self.data().drawing_order
    }

    /// Returns its window's place in [`Screen::windows`].
    pub(super) fn window_index(self) -> u32 {
        self.data().window
    }

    /// Its id with the window's suffix: `node_322967b8_w42`.
    pub fn id(self) -> String {
        let hash = self.data().hash;
        let window = Some(self.window().id);
        NodeId { hash, window }.to_string()
    }

    /// The number in its id, in hex without padding: `322967b8`.
    pub fn id_hash(self) -> String {
        format!("{:x}", self.data().hash)
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node")
            .field("id", &self.id())
            .field("class", &self.class())
            .field("text", &self.text())
            .field("bounds", &self.bounds())
            .finish_non_exhaustive()
    }
}
