//! Recognises scrolls: their direction and their container.

use serde_json::Value;

use super::act::{Act, ToolStep};
use super::call_record::CallRecord;
use super::locate::{self, element};
use runner_engine::Direction;
use runner_screen::{Node, Point, Rect, Screen, Selector};
use runner_tools::Outcome;

/// Pixels of the shortest path that is a scroll. Chosen: above the jitter of a tap, below any swipe that
/// shows something new.
const MIN_SCROLL_PIXELS: i32 = 100;

/// Way in which a tool gives its direction. Directions say what comes into view, so the finger moves the
/// other way.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path {
    /// Argument `direction`.
    Named,
    /// Path of the finger, as the names of its four coordinates.
    Points([&'static str; 4]),
    /// Fixed direction.
    Always(Direction),
    /// Sign of `distance`: the direction of a positive and of a negative one.
    Signed(Direction, Direction),
}

/// Returns the act for a scroll, with the container that scrolls unless it is the largest. `direction` is where the
/// view goes, against the finger. `None` if an argument other than `distance` is missing, or if the path is shorter
/// than 100 pixels or diagonal, which is a gesture of its own.
pub(super) fn act(call: &CallRecord<'_>, path: Path, raw: ToolStep) -> Option<Act> {
    let before = call.before.as_deref();
    let mut start = before.map(|screen| screen.display().bounds().center());
    let direction = match path {
        Path::Named => {
            // The middle of the named container, else of the display.
            let container = element(call, |node| node.flags().scrollable);
            start = container.map(|node| node.bounds().center()).or(start);
            Direction::named(&call.args.get("direction")?.as_str()?.to_lowercase())?
        }
        Path::Always(direction) => direction,
        Path::Signed(positive, negative) => {
            let distance = call.number("distance").unwrap_or(1000);
            if distance >= 0 { positive } else { negative }
        }
        Path::Points(names) => {
            let [x1, y1, x2, y2] = names.map(|name| call.number(name));
            let (from, to) = (Point { x: x1?, y: y1? }, Point { x: x2?, y: y2? });
            start = Some(from);
            direction_of(from, to)?
        }
    };
    let within = before
        .zip(start)
        .and_then(|(screen, point)| locate::scrolled(screen, point));
    Some(Act::Scroll {
        direction,
        within: within.map(Box::new),
        raw,
    })
}

/// Returns where a swipe scrolls to: opposite to the finger. `None` if it is shorter than 100 pixels, or not at least
/// twice as long on one axis as on the other.
fn direction_of(from: Point, to: Point) -> Option<Direction> {
    let (dx, dy) = (to.x.saturating_sub(from.x), to.y.saturating_sub(from.y));
    let (wide, high) = (dx.saturating_abs(), dy.saturating_abs());
    if high >= MIN_SCROLL_PIXELS && high / 2 >= wide {
        Some(if dy < 0 {
            Direction::Down
        } else {
            Direction::Up
        })
    } else if wide >= MIN_SCROLL_PIXELS && wide / 2 >= high {
        Some(if dx < 0 {
            Direction::Right
        } else {
            Direction::Left
        })
    } else {
        None
    }
}

/// Returns true if `scroll_to_element` found its element on the screen.
pub(super) fn has_not_scrolled(outcome: &Outcome) -> bool {
    outcome.value.get("scrolls").and_then(Value::as_u64) == Some(0)
}

/// Returns true if a scroll on the screen `before` may have brought an element that `on` finds on the screen `now`: the
/// same window has the focus, and the element is in a container that was there and scrolls. A swipe may also close a
/// dialog, and bring what was below it.
pub(super) fn may_have_brought(on: &Selector, before: &Screen, now: &Screen) -> bool {
    let title = |screen: &Screen| {
        let focused = screen.windows().iter().find(|window| window.focused);
        focused.map(|window| window.title.clone())
    };
    let (then, front) = (title(before), title(now));
    let is_other = then.is_some() && front.is_some() && then != front;
    let was_there = |container: Node<'_>| {
        before.nodes().any(|node| {
            node.scrolls()
                && node.class() == container.class()
                && node.resource_id() == container.resource_id()
        })
    };
    !is_other
        && on.find(now).into_iter().any(|index| {
            let mut containers = now.node(index).ancestors().filter(|node| node.scrolls());
            containers.any(was_there)
        })
}

/// Translates `scroll_to_element`, with the direction from the element's old place and the container that
/// scrolls. If the old place is unknown or visible, the direction is down. `None` if the element has no
/// selector that lasts.
pub(super) fn to_element(call: &CallRecord<'_>, outcome: &Outcome) -> Option<Act> {
    let screen = call.after.as_deref()?;
    let id = outcome.value.get("id").and_then(Value::as_str);
    let named = id.and_then(|id| screen.node_by_id(id));
    let at = |bounds: Rect| locate::with_bounds(screen, bounds, |_| true);
    let node = named.or_else(|| outcome.bounds.and_then(at))?;
    let on = Selector::stable(screen, node.index()).filter(|on| !on.goes_by_order())?;
    let area = screen.display().bounds();
    let old = call.before.as_deref().and_then(|before| {
        let id = call.args.get("element_id")?.as_str()?;
        before.node_by_id(id).map(Node::bounds)
    });
    let direction = match old {
        Some(old) if old.bottom <= area.top => Direction::Up,
        Some(old) if old.left >= area.right => Direction::Right,
        Some(old) if old.right <= area.left => Direction::Left,
        _ => Direction::Down,
    };
    let scrolls = outcome.value.get("scrolls").and_then(Value::as_u64);
    let container = node.ancestors().find(|node| node.scrolls());
    Some(Act::ScrollTo {
        on,
        direction,
        within: container
            .and_then(|node| locate::scrolled(screen, node.bounds().center()))
            .map(Box::new),
        scrolls: scrolls.and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
    })
}
