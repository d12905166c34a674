//! Which container is scrolled where none is named, and where a gesture goes that none takes.

use std::time::Duration;

use runner_device::{Direction, Gesture};
use runner_screen::{Node, Point, Rect, Screen};

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

/// Returns true if a finger moves its content that way, as far as its class and the places of its children tell.
pub(super) fn moves(node: Node<'_>, to: Direction) -> bool {
    let is_across = matches!(to, Direction::Left | Direction::Right);
    let others: &[&str] = if is_across { &UP_AND_DOWN } else { &ACROSS };
    let goes_otherwise = if is_across {
        lies(node, |before, after| after.top >= before.bottom)
    } else {
        lies(node, |before, after| after.left >= before.right)
    };
    node.scrolls() && !others.contains(&node.short_class()) && !goes_otherwise
}

/// Returns true if each child lies so to the one before it.
fn lies(container: Node<'_>, so: impl Fn(Rect, Rect) -> bool) -> bool {
    let mut places = container.children().map(Node::bounds);
    let Some(mut before) = places.next() else {
        return false;
    };
    let mut pairs = 0;
    places.all(|place| {
        pairs += 1;
        so(std::mem::replace(&mut before, place), place)
    }) && pairs > 0
}

/// Returns true if a finger along this path would not scroll but click: it stays inside what takes a click, in what scrolls
/// another way only.
pub(super) fn clicks(screen: &Screen, to: Direction, gesture: Gesture) -> bool {
    let takes_both = |node: &Node<'_>| {
        let bounds = node.bounds();
        node.flags().clickable && bounds.contains(gesture.from) && bounds.contains(gesture.to)
    };
    let is_held = |node: Node<'_>| {
        let mut around = node.ancestors().filter(|node| node.scrolls());
        around.next().is_some_and(|container| !moves(container, to))
    };
    screen.nodes().filter(takes_both).any(is_held)
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

/// The finger's path of so many pixels that scrolls what `area` shows. It begins inside the area, lies in its middle where
/// it fits, and does not leave the display. It is no longer than the same path the other way could be.
pub(super) fn stroke(
    to: Direction,
    area: Rect,
    length: u32,
    display: Rect,
    duration: Duration,
) -> Gesture {
    let is_vertical = matches!(to, Direction::Up | Direction::Down);
    let along = |rect: Rect| {
        if is_vertical {
            (rect.top, rect.bottom - 1)
        } else {
            (rect.left, rect.right - 1)
        }
    };
    let ((low, high), (start, end)) = (along(area), along(display));
    // A finger at an edge touches what is beside it.
    let margin = (high - low) / 20;
    let (low, high) = (low + margin, high - margin);
    let room = (high - start).min(end - low).max(0);
    let length = i32::try_from(length).unwrap_or(i32::MAX).min(room);
    let way = match to {
        Direction::Down | Direction::Right => -length,
        Direction::Up | Direction::Left => length,
    };
    let from = (i32::midpoint(low, high) - way / 2).clamp(low, high.max(low));
    let middle = area.center();
    let at = |along: i32| {
        let (x, y) = if is_vertical {
            (middle.x, along)
        } else {
            (along, middle.y)
        };
        Point { x, y }
    };
    Gesture {
        from: at(from),
        to: at(from + way),
        duration,
    }
}
