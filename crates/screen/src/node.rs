//! Nodes of a screen, read through their screen.

use super::id::NodeId;
use super::node_data::{Flags, NodeData, NodeIndex, Span, takes_text};
use super::{Rect, Screen, Window};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffScreenReason {
    /// The bounds have no area, are inverted, or are missing in the dump.
    NoSize,
    /// No part of the element lies on the display.
    Outside,
    /// `visible-to-user` is false.
    NotVisible,
}

impl std::fmt::Display for OffScreenReason {
    /// Writes a clause for a message, such as `it has no size`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoSize => "it has no size",
            Self::Outside => "it lies outside the display",
            Self::NotVisible => "the device says that it is not visible",
        })
    }
}

/// Node with a reference to its [`Screen`]. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub(super) screen: &'a Screen,
    pub(super) index: NodeIndex,
}

impl Screen {
    /// Returns the node at `index`, which must come from this screen: with another index it is some other node, or
    /// reading it panics.
    pub fn node(&self, index: NodeIndex) -> Node<'_> {
        Node {
            screen: self,
            index,
        }
    }

    /// Iterates over all nodes in document order.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.len() as u32).map(|index| self.node(NodeIndex(index)))
    }

    /// Iterates over the nodes of the window at this index in [`Screen::windows`], in document order. An index
    /// beyond them has no nodes. Nodes off the screen are among them.
    pub fn window_nodes(&self, window: usize) -> impl Iterator<Item = Node<'_>> {
        self.nodes()
            .filter(move |node| self.data(node.index).window as usize == window)
    }

    /// Returns the node with this id, with or without the window's suffix. If two nodes have the id, it is the
    /// first in document order. Returns `None` for a text that is no id, and if no node has it.
    pub fn node_by_id(&self, id: &str) -> Option<Node<'_>> {
        let id = NodeId::parse(id)?;
        let is_it = |data: &NodeData| {
            let window = id.window.unwrap_or(self.window_of(data).id);
            data.hash == id.hash && self.window_of(data).id == window
        };
        let index = self.nodes.iter().position(is_it)?;
        Some(self.node(NodeIndex(index as u32)))
    }
}

impl<'a> Node<'a> {
    pub fn screen(self) -> &'a Screen {
        self.screen
    }

    /// Returns the index in the arena.
    pub fn index(self) -> NodeIndex {
        self.index
    }

    fn data(self) -> &'a NodeData {
        self.screen.data(self.index)
    }

    fn string(self, span: Span) -> &'a str {
        span.slice(&self.screen.text)
    }

    /// Returns the full class name; empty where the dump has none.
    pub fn class(self) -> &'a str {
        self.string(self.data().class)
    }

    /// Returns true if a finger scrolls its content: the scrollable flag is set, and it is no spinner.
    /// Android also calls a spinner scrollable, whose one row does not move.
    pub fn scrolls(self) -> bool {
        self.flags().scrollable && self.short_class() != "Spinner"
    }

    /// Returns the class after its last dot.
    pub fn short_class(self) -> &'a str {
        let class = self.class();
        class.rsplit_once('.').map_or(class, |(_, short)| short)
    }

    /// Returns the text as the device has it, including white space. It is empty for a field that shows its
    /// hint. For a password field it is the constant `<password>`, even while the field is empty, because
    /// goldens hold it.
    pub fn text(self) -> &'a str {
        self.string(self.data().text)
    }

    /// Returns the content description.
    pub fn desc(self) -> &'a str {
        self.string(self.data().desc)
    }

    /// Returns the whole resource id, `package:id/name`.
    pub fn resource_id(self) -> &'a str {
        self.string(self.data().resource_id)
    }

    /// Returns the part of the resource id after the last `/`, or the whole id where there is none.
    pub fn resource_name(self) -> &'a str {
        let id = self.resource_id();
        id.rsplit_once('/').map_or(id, |(_, name)| name)
    }

    pub fn hint(self) -> &'a str {
        self.string(self.data().hint)
    }

    /// Returns the number that a slider, a progress bar or a rating bar shows, such as `5.0`. It is empty
    /// where the device does not report it; dumps of Android's own never do.
    pub fn value(self) -> &'a str {
        self.string(self.data().value)
    }

    /// Returns true if the dump proves that the field is empty and shows its hint. Dumps of old releases
    /// never prove it.
    pub fn shows_hint(self) -> bool {
        self.data().shows_hint
    }

    /// Returns the words that a person reads: the text, or the hint while the dump proves that the field is
    /// empty. The description is not among them. A password is `<password>`.
    pub fn display_text(self) -> &'a str {
        if self.shows_hint() {
            self.hint()
        } else {
            self.text()
        }
    }

    /// Returns true if the source says that the node is not enabled. Without the attribute it counts as
    /// enabled.
    pub fn is_disabled(self) -> bool {
        self.data().disabled
    }

    /// Returns the number of characters that the source has in a password field; 0 while the field shows its hint, and
    /// for other nodes.
    pub fn masked_characters(self) -> usize {
        self.data().masked as usize
    }

    /// Returns the package of the app that the node belongs to.
    pub fn package(self) -> &'a str {
        self.string(self.data().package)
    }

    /// Returns the bounds in pixels of the display.
    pub fn bounds(self) -> Rect {
        self.data().bounds
    }

    pub fn flags(self) -> Flags {
        self.data().flags
    }

    /// Returns true if the class is that of an editable field (`EditText`, `AutoComplete`). Whether it is
    /// enabled does not count.
    pub fn is_editable(self) -> bool {
        takes_text(self.class())
    }

    /// Returns the first reason why the node is not on the screen: no size, outside of the display, or not
    /// visible to the device, which does not count inside of web pages. Returns `None` if it is on the
    /// screen. All steps, conditions and lists use this rule.
    pub fn off_screen_reason(self) -> Option<OffScreenReason> {
        if self.bounds().is_empty() {
            Some(OffScreenReason::NoSize)
        } else if self.part_on_display().is_none() {
            Some(OffScreenReason::Outside)
        } else if self.flags().visible_to_user == Some(false) && !self.is_in_web_view() {
            Some(OffScreenReason::NotVisible)
        } else {
            None
        }
    }

    /// Returns true if the node is on the screen; see [`Node::off_screen_reason`].
    pub fn is_on_screen(self) -> bool {
        self.off_screen_reason().is_none()
    }

    /// Returns the part that lies on the display, where a touch goes; `None` if nothing does. If the display
    /// is not known, it is all of the bounds. `visible-to-user` does not count.
    pub fn part_on_display(self) -> Option<Rect> {
        let (bounds, area) = (self.bounds(), self.screen.area);
        if area.is_empty() {
            // If a device reports neither a display nor windows, every node with an area counts as on the
            // screen.
            return (!bounds.is_empty()).then_some(bounds);
        }
        bounds.intersection(&area)
    }

    /// Returns true if a row says `on`. Goldens hold this word, so it stays what the device says of the node,
    /// or depends on the bounds where the device says nothing. It may differ from [`Node::is_on_screen`].
    pub(super) fn is_on_in_rows(self) -> bool {
        let data = self.data();
        data.flags
            .visible_to_user
            .unwrap_or_else(|| data.bounds.intersection(&self.screen.area).is_some())
    }

    /// Returns true if the node is inside a web page, where `visible-to-user` is often wrong.
    pub(super) fn is_in_web_view(self) -> bool {
        self.ancestors()
            .any(|node| node.class() == "android.webkit.WebView")
    }

    /// Returns the number of ancestors.
    pub fn depth(self) -> u32 {
        self.data().depth
    }

    /// Returns the parent, `None` for a root.
    pub fn parent(self) -> Option<Node<'a>> {
        self.data()
            .parent
            .map(|index| self.screen.node(NodeIndex(index)))
    }

    /// Returns the ancestors, the parent first.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// Returns the direct children in document order.
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

    pub fn child_count(self) -> u32 {
        self.data().child_count
    }

    /// Returns all descendants in document order.
    pub fn descendants(self) -> impl Iterator<Item = Node<'a>> {
        (self.index.0 + 1..self.data().end).map(move |index| self.screen.node(NodeIndex(index)))
    }

    /// Returns the range of indexes of the node and its descendants.
    pub fn subtree(self) -> std::ops::Range<usize> {
        self.index.0 as usize..self.data().end as usize
    }

    /// Returns true if `other`, of the same screen, is a descendant. A node does not hold itself.
    pub fn holds(self, other: Node<'_>) -> bool {
        (self.index.0 + 1..self.data().end).contains(&other.index.0)
    }

    pub fn window(self) -> &'a Window {
        self.screen.window_of(self.data())
    }

    /// Returns the drawing order among siblings: a higher one is drawn later and so above. It is 0 where the
    /// source does not have it.
    pub fn drawing_order(self) -> u32 {
        self.data().drawing_order
    }

    /// Returns the index of the node's window in [`Screen::windows`].
    pub(super) fn window_index(self) -> u32 {
        self.data().window
    }

    /// Returns the id with the window's suffix: `node_322967b8_w42`. Two nodes may have the same one.
    pub fn id(self) -> String {
        let hash = self.data().hash;
        let window = Some(self.window().id);
        NodeId { hash, window }.to_string()
    }

    /// Returns the number in the id, in hex without padding: `322967b8`.
    pub fn id_hash(self) -> String {
        format!("{:x}", self.data().hash)
    }
}

impl std::fmt::Debug for Node<'_> {
    /// Prints id, class, text and bounds. The text is not masked, but that of a password field is `<password>`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node")
            .field("id", &self.id())
            .field("class", &self.class())
            .field("text", &self.text())
            .field("bounds", &self.bounds())
            .finish_non_exhaustive()
    }
}
