//! Chooses the container to scroll if none is named, and the place for gestures that no container takes.

use std::time::Duration;

use runner_device::{Direction, Gesture};
use runner_screen::{Node, Point, Rect, Screen};

/// Containers that scroll only horizontally.
const ACROSS: [&str; 2] = ["HorizontalScrollView", "Gallery"];
/// Containers that scroll only vertically.
const UP_AND_DOWN: [&str; 5] = [
    "ScrollView",
    "ListView",
    "ExpandableListView",
    "GridView",
    "NumberPicker",
];

/// Returns the first of [`scrollers`]: that of the focused window with the largest visible area, else the largest of
/// all other windows. `None` if nothing visible scrolls in that direction.
pub(super) fn main_scroller(screen: &Screen, to: Direction) -> Option<Node<'_>> {
    scrollers(screen, to).into_iter().next()
}

/// Returns the visible containers that scroll in a direction, those with the largest visible area first. All
/// of the focused window come before those of others; of equal ones the last comes first.
pub(super) fn scrollers(screen: &Screen, to: Direction) -> Vec<Node<'_>> {
    let size = |node: &Node<'_>| node.part_on_display().map(|part| part.area());
    let mut found: Vec<Node<'_>> = screen
        .nodes()
        .filter(|node| moves(*node, to) && size(node).is_some())
        .collect();
    // A touch beside a dialog closes it.
    found.sort_by_key(|node| (node.window().focused, size(node)));
    found.reverse();
    found
}

/// Returns the name of a container in messages: its class and resource name, such as `ListView#notes`.
pub(super) fn name_of_container(container: Node<'_>) -> String {
    let (class, name) = (container.short_class(), container.resource_name());
    if name.is_empty() {
        class.to_owned()
    } else {
        format!("{class}#{name}")
    }
}

/// Returns true if the container scrolls in a direction: it is scrollable, its class is not one for the other
/// axis, and its children do not follow each other along the other axis. Up and down give the same answer,
/// and an unknown class without children counts for all directions. The end of the content is not considered.
pub(super) fn moves(node: Node<'_>, to: Direction) -> bool {
    let is_across = matches!(to, Direction::Left | Direction::Right);
    let others: &[&str] = if is_across { &UP_AND_DOWN } else { &ACROSS };
    let goes_otherwise = if is_across {
        children_follow(node, |before, after| after.top >= before.bottom)
    } else {
        children_follow(node, |before, after| after.left >= before.right)
    };
    node.scrolls() && !others.contains(&node.short_class()) && !goes_otherwise
}

/// Returns true if the container is sure to scroll in a direction: [`moves`] holds, and its class is one for
/// that axis, or a child follows another along it. A pager with one page does not count.
pub(super) fn surely_moves(node: Node<'_>, to: Direction) -> bool {
    let is_across = matches!(to, Direction::Left | Direction::Right);
    let own: &[&str] = if is_across { &ACROSS } else { &UP_AND_DOWN };
    let follows = |before: Rect, after: Rect| {
        if is_across {
            after.left >= before.right
        } else {
            after.top >= before.bottom
        }
    };
    let places: Vec<Rect> = node.children().map(Node::bounds).collect();
    let is_sure = own.contains(&node.short_class())
        || places.windows(2).any(|pair| follows(pair[0], pair[1]));
    moves(node, to) && is_sure
}

/// Returns true if `so` holds for the bounds of each pair of consecutive children. False with fewer than two
/// children.
fn children_follow(container: Node<'_>, so: impl Fn(Rect, Rect) -> bool) -> bool {
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

/// Returns the first element in document order that a finger along this path would click instead of scrolling: the path
/// begins and ends inside it, and of the scrollable elements around it all scroll only along the other axis. An element
/// inside none does not count. `None` if the finger scrolls.
pub fn clicked(screen: &Screen, to: Direction, gesture: Gesture) -> Option<Node<'_>> {
    let takes_both = |node: &Node<'_>| {
        let bounds = node.bounds();
        node.flags().clickable && bounds.contains(gesture.from) && bounds.contains(gesture.to)
    };
    let is_held = |node: &Node<'_>| {
        let mut around = node.ancestors().filter(|node| node.scrolls()).peekable();
        around.peek().is_some() && !around.any(|container| moves(container, to))
    };
    screen.nodes().filter(takes_both).find(is_held)
}

/// Returns the focused window's visible area, as a touch outside a dialog would close it: the union of its
/// roots. Without such a window, or if nothing of it is visible, returns the whole display.
pub(super) fn front_area(screen: &Screen) -> Rect {
    let roots = screen
        .nodes()
        .filter(|node| node.parent().is_none() && node.window().focused);
    roots
        .filter_map(Node::part_on_display)
        .reduce(|all, part| all.union(&part))
        .unwrap_or_else(|| screen.display().bounds())
}

/// Returns the finger's path that scrolls the content of `area` in a direction, `length` pixels or as many as
/// the display has room for. The finger goes against the direction, along the middle of the area. The path
/// begins inside the area, 5 % from its edges, is centred in it if it fits, and does not leave the display.
/// It is no longer than the same path in the other direction could be.
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
    // A finger exactly at the edge would touch the neighbour.
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
