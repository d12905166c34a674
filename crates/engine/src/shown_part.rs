//! Computes which part of an element a container shows, and how far its content has to move for more of it.

use super::container_scroll::{STEP_PERCENT, ScrollOptions};
use super::scroller::moves;
use runner_device::Direction;
use runner_screen::{Coverage, Node, NodeIndex, Rect};

/// Both sides of an area along one axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) low: bool,
    pub(super) high: bool,
}

impl Sides {
    pub(super) fn any(self) -> bool {
        self.low || self.high
    }
}

/// Returns a rectangle's begin and end along the axis of a direction.
pub(super) fn along(rect: Rect, direction: Direction) -> (i32, i32) {
    match direction {
        Direction::Up | Direction::Down => (rect.top, rect.bottom),
        Direction::Left | Direction::Right => (rect.left, rect.right),
    }
}

/// Returns the sides of an area at which less than the requested part of an element may be shown. Most devices tell
/// only the part that is shown, so at an edge there may be more of it. Bounds that go beyond the area are whole, and
/// the part is known. An element that reaches both edges has no such side, as no more of it fits.
pub(super) fn hidden_sides(
    (start, end): (i32, i32),
    (low, high): (i32, i32),
    visible: f64,
) -> Sides {
    let displayed = (end.min(high) - start.max(low)).max(0);
    let is_told_whole = start < low || end > high;
    let is_enough = f64::from(displayed) >= f64::from(end - start) * visible / 100.0;
    if is_told_whole && is_enough {
        return Sides::default();
    }
    // Between both edges no more of an element fits.
    if start <= low && end >= high {
        return Sides::default();
    }
    Sides {
        low: start <= low,
        high: end >= high,
    }
}

/// Returns the part of a container in which a finger scrolls it: as wide as possible across the direction, so that what
/// is covered lies along it. If nothing covers the container it is all of it, however small; else `None` if no free
/// part has both sides of 48 dp or more.
pub(super) fn free_area(coverage: &Coverage, direction: Direction) -> Option<Rect> {
    coverage.free_area(match direction {
        Direction::Up | Direction::Down => Rect::width,
        Direction::Left | Direction::Right => Rect::height,
    })
}

/// Returns true if the container holds the element, or nothing scrolls.
pub(super) fn is_inside(node: Node<'_>, container: Option<NodeIndex>) -> bool {
    container.is_none_or(|index| node.ancestors().any(|it| it.index() == index))
}

/// Returns the coverage that tells how much of an element is shown: `coverage`, that of the container, if it holds
/// the element; else that of the nearest one around the element that scrolls in the direction; else the element's.
pub(super) fn coverage_around(
    node: Node<'_>,
    container: Option<NodeIndex>,
    coverage: &Coverage,
    direction: Direction,
) -> Coverage {
    if is_inside(node, container) {
        return coverage.clone();
    }
    let scroller = node.ancestors().find(|it| moves(*it, direction));
    let own = scroller.unwrap_or(node).coverage();
    own.unwrap_or_else(|| coverage.clone())
}

/// Returns the sides at which an element goes beyond an area.
pub(super) fn beyond((start, end): (i32, i32), (low, high): (i32, i32)) -> Sides {
    Sides {
        low: start < low,
        high: end > high,
    }
}

/// Returns the shortest distance by which a finger moves a container of this length. A shorter one is not a
/// movement but a touch on a device that waits for some pixels first.
pub(super) fn least_way(length: i32) -> i32 {
    (length / 20).max(1)
}

/// Returns the distance that the content still has to move, in pixels along the direction's axis; positive is towards
/// the upper left. With `options.center` it is the distance between both middles. Otherwise an element with one hidden
/// side moves at least a quarter of the area, as there may be more of it, but not beyond the other edge; with none or
/// both hidden it is 0. At most 60 % of the area at once, and 0 if less than 5 % is left.
pub(super) fn left_to_move(
    element: Rect,
    area: Rect,
    hidden: Sides,
    options: &ScrollOptions<'_>,
) -> i32 {
    let (start, end) = along(element, options.direction);
    let (low, high) = along(area, options.direction);
    let length = high - low;
    let way = if options.center {
        i32::midpoint(start, end) - i32::midpoint(low, high)
    } else {
        match (hidden.low, hidden.high) {
            (false, true) => (end - high).max(length / 4).min((start - low - 1).max(0)),
            (true, false) => (start - low).min(-length / 4).max((end - high + 1).min(0)),
            _ => 0,
        }
    };
    if way.abs() < least_way(length) {
        return 0;
    }
    let most = length * STEP_PERCENT as i32 / 100;
    way.clamp(-most, most)
}

/// Returns the direction that goes along the other axis: right for up and down, down for left and right.
pub(super) fn across(direction: Direction) -> Direction {
    match direction {
        Direction::Up | Direction::Down => Direction::Right,
        Direction::Left | Direction::Right => Direction::Down,
    }
}

/// Returns the nearest container around an element that scrolls only along the other axis than `direction`, and at
/// whose edge less than the requested part of the element may be shown. `None` if there is none.
pub(super) fn cutting_across(
    node: Node<'_>,
    direction: Direction,
    visible: f64,
) -> Option<NodeIndex> {
    let other = across(direction);
    let cuts = |it: &Node<'_>| {
        let part = it
            .part_on_display()
            .filter(|_| moves(*it, other) && !moves(*it, direction));
        part.is_some_and(|part| {
            hidden_sides(along(node.bounds(), other), along(part, other), visible).any()
        })
    };
    node.ancestors().find(cuts).map(Node::index)
}
