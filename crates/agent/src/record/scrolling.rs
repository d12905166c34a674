//! Scrolls: which way they went, and in which container.

use serde_json::Value;

use super::CallRecord;
use super::act::{Act, ToolStep};
use super::locate::{self, element};
use runner_engine::Direction;
use runner_screen::{Node, Point, Rect, Selector};
use runner_tools::Outcome;

/// Shorter paths are not scrolls.
const SHORTEST: i32 = 100;

/// How a tool says which way it scrolls. The direction is what comes to be seen, so the finger goes the other way.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path {
    /// `direction`.
    Named,
    /// The finger's way: the names of its coordinates.
    Points([&'static str; 4]),
    /// One way only.
    Always(Direction),
    /// The sign of `distance`: what a positive one reveals, and what a negative one.
    Signed(Direction, Direction),
}

/// A scroll, if that is what it was: a path across is a gesture of its own.
pub(super) fn act(acquired: &CallRecord<'_>, path: Path, raw: ToolStep) -> Option<Act> {
    let before = acquired.before.as_deref();
    let mut start = before.map(|screen| screen.display().bounds().center());
    let direction = match path {
        Path::Named => {
            // The container that was named, else the middle of the display.
            let container = element(acquired, |node| node.flags().scrollable);
            start = container.map(|node| node.bounds().center()).or(start);
            Direction::named(&acquired.args.get("direction")?.as_str()?.to_lowercase())?
        }
        Path::Always(direction) => direction,
        Path::Signed(positive, negative) => {
            let distance = acquired.number("distance").unwrap_or(1000);
            if distance >= 0 { positive } else { negative }
        }
        Path::Points(names) => {
            let [x1, y1, x2, y2] = names.map(|name| acquired.number(name));
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

fn direction_of(from: Point, to: Point) -> Option<Direction> {
    let (dx, dy) = (to.x.saturating_sub(from.x), to.y.saturating_sub(from.y));
    let (wide, high) = (dx.saturating_abs(), dy.saturating_abs());
    if high >= SHORTEST && high / 2 >= wide {
        Some(if dy < 0 {
            Direction::Down
        } else {
            Direction::Up
        })
    } else if wide >= SHORTEST && wide / 2 >= high {
        Some(if dx < 0 {
            Direction::Right
        } else {
            Direction::Left
        })
    } else {
        None
    }
}

/// `scroll_to_element`: the element, and which way it was.
pub(super) fn to_element(acquired: &CallRecord<'_>, outcome: &Outcome) -> Option<Act> {
    let screen = acquired.after.as_deref()?;
    let id = outcome.value.get("id").and_then(Value::as_str);
    let named = id.and_then(|id| screen.node_by_id(id));
    let at = |bounds: Rect| locate::with_bounds(screen, bounds, |_| true);
    let node = named.or_else(|| outcome.bounds.and_then(at))?;
    let on = Selector::stable(screen, node.index()).filter(|on| !on.goes_by_order())?;
    let area = screen.display().bounds();
    let old = acquired.before.as_deref().and_then(|before| {
        let id = acquired.args.get("element_id")?.as_str()?;
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
