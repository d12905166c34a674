//! Which container is scrolled where none is named, and where a gesture goes that none takes.

use runner_device::Direction;
use runner_screen::{Node, Rect, Screen};

/// Containers whose content a finger moves only across.
const ACROSS: [&str; 2] = ["HorizontalScrollView", "Gallery"];
/// Containers whose content a finger moves only up and down.
const UP_AND_DOWN: [&str; 5] = [
    "ScrollView",
    "ListView",
    "ExpandableListView",
    "GridView",
    "NumberPicker",
];

/// The largest container whose content moves that way, those of the window with the focus before others.
pub(super) fn main_scroller(screen: &Screen, to: Direction) -> Option<Node<'_>> {
    let size = |node: &Node<'_>| node.part_on_display().map(|part| part.area());
    screen
        .nodes()
        .filter(|node| moves(*node, to) && size(node).is_some())
        // A touch beside a dialog closes it.
        .max_by_key(|node| (node.window().focused, size(node)))
}

/// Whether a finger moves its content that way, as far as its class says; most others may move either way.
fn moves(node: Node<'_>, to: Direction) -> bool {
    let others: &[&str] = match to {
        Direction::Up | Direction::Down => &ACROSS,
        Direction::Left | Direction::Right => &UP_AND_DOWN,
    };
    node.scrolls() && !others.contains(&node.short_class())
}

/// What the window with the focus takes of the display: beside a dialog a touch closes it. Without such a window the whole
/// display.
pub(super) fn front_area(screen: &Screen) -> Rect {
    let roots = screen
        .nodes()
        .filter(|node| node.parent().is_none() && node.window().focused);
    roots
        .filter_map(Node::part_on_display)
        .reduce(|all, part| all.union(&part))
        .unwrap_or_else(|| screen.display().bounds())
}
