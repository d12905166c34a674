//! Progress of a scroll to an element: what looks and drags tell of the container, its ends and the element's
//! size, and the drag that follows from it.

use std::sync::Arc;

use super::EngineError;
use super::scroll::{DRAG, STEP_PERCENT, ScrollOptions, container, moved, step};
use super::scroller::moves;
use super::scrolling::{Look, SeekState};
use runner_device::{Direction, Gesture};
use runner_screen::{Node, NodeIndex, Point, Rect, Screen};

/// Progress of a scroll to an element.
pub(super) struct ScrollProgress<'a> {
    options: ScrollOptions<'a>,
    /// Container on the last look. `None` before the first look, and after one that does not count.
    seen: Option<SeenContainer>,
    /// Distance of the last drag along the axis; positive is towards the upper left.
    last_way: i32,
    /// Sides of the container where its content has ended.
    ends: Sides,
    /// Largest width and height at which the element was seen.
    largest: (i32, i32),
}

/// Both sides of an area along one axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sides {
    low: bool,
    high: bool,
}

impl Sides {
    fn any(self) -> bool {
        self.low || self.high
    }
}

/// The container on the last look.
struct SeenContainer {
    screen: Arc<Screen>,
    area: Rect,
    /// Distance that the element still has to move, if it is on the screen.
    left: Option<i32>,
    /// True if the element is on the screen with less than the requested part.
    is_cut: bool,
}

impl<'a> ScrollProgress<'a> {
    pub(super) fn new(options: ScrollOptions<'a>) -> Self {
        Self {
            options,
            seen: None,
            last_way: 0,
            ends: Sides::default(),
            largest: (0, 0),
        }
    }

    /// Forgets the last look. The next one counts as moved.
    pub(super) fn forget_look(&mut self) {
        self.seen = None;
    }

    /// Screen of the last look.
    pub(super) fn screen(&self) -> Option<&Screen> {
        self.seen.as_ref().map(|seen| seen.screen.as_ref())
    }

    /// Adds a look. Returns what it shows of the element, which is `node` on it, and whether anything moved
    /// in the container since the look before; the first look counts as moved. An element that may still move
    /// to its requested place is only near. An error if the requested container is missing.
    pub(super) fn judge(
        &mut self,
        screen: Arc<Screen>,
        node: Option<NodeIndex>,
    ) -> Result<Look<(Arc<Screen>, NodeIndex)>, EngineError> {
        let (container, area) = container(&screen, &self.options)?;
        let before = self.seen.take();
        let moved = before.is_none_or(|before| self::moved(&before.screen, &screen, container));
        self.note_ends(moved);
        let mut is_cut = false;
        let left = node.map(|node| {
            let node = screen.node(node);
            let bounds = node.bounds();
            let (width, height) = self.largest;
            self.largest = (
                width.max(bounds.right - bounds.left),
                height.max(bounds.bottom - bounds.top),
            );
            let hidden = self.hidden(node, container, area);
            is_cut = hidden.any();
            left_to_move(bounds, area, hidden, &self.options)
        });
        self.seen = Some(SeenContainer {
            screen: Arc::clone(&screen),
            area,
            left,
            is_cut,
        });
        let sight = match node.map(|node| (screen, node)) {
            Some(found) if left == Some(0) && !is_cut => SeekState::Reached(found),
            // At the end of the content an element comes no nearer to the middle.
            Some(found) => SeekState::Near(found),
            None => SeekState::Missing,
        };
        Ok(Look { sight, moved })
    }

    /// Returns the drag that brings the element nearer, which is the last one from now on. `None` if the last
    /// look does not count, or if no drag in this direction brings more of the element.
    pub(super) fn next_drag(&mut self, to: Direction) -> Option<Gesture> {
        let seen = self.seen.as_ref()?;
        let is_forward = matches!(to, Direction::Down | Direction::Right);
        let (gesture, way) = match seen.left {
            // Seen, but cut where these scrolls do not bring more of it.
            Some(0) => return None,
            Some(left) => (shift(to, seen.area, left), left),
            None => (step(to, seen.area), if is_forward { 1 } else { -1 }),
        };
        self.last_way = way;
        Some(gesture)
    }

    /// Describes the part that is shown of an element with these bounds. `None` unless it was cut on the last
    /// look.
    pub(super) fn cut_part(&self, bounds: Rect) -> Option<String> {
        let seen = self.seen.as_ref().filter(|seen| seen.is_cut)?;
        Some(self.shown_part(bounds, seen.area))
    }

    /// Remembers the end of the content after a drag that moved nothing, and forgets it after one that did.
    fn note_ends(&mut self, moved: bool) {
        if moved {
            self.ends = Sides::default();
        } else {
            self.ends.low |= self.last_way < 0;
            self.ends.high |= self.last_way > 0;
        }
    }

    /// Returns the sides along the direction on which more of the element may be hidden; none without a
    /// requested part. Counts the edges of the container, or of the element's own if it is in another one. At
    /// an end of the content nothing is hidden.
    fn hidden(&self, node: Node<'_>, container: Option<NodeIndex>, area: Rect) -> Sides {
        if self.options.visible <= 0.0 {
            return Sides::default();
        }
        let direction = self.options.direction;
        let span = along(node.bounds(), direction);
        let is_inside = |index: NodeIndex| node.ancestors().any(|it| it.index() == index);
        if container.is_none_or(is_inside) {
            let hidden = hidden_sides(span, along(area, direction), self.options.visible);
            return Sides {
                low: hidden.low && !self.ends.low,
                high: hidden.high && !self.ends.high,
            };
        }
        let own = node.ancestors().find(|it| moves(*it, direction));
        let part = own.and_then(Node::part_on_display);
        part.map_or_else(Sides::default, |part| {
            hidden_sides(span, along(part, direction), self.options.visible)
        })
    }

    /// Describes the part of the element that is shown in the end, by the largest size at which it was seen.
    /// On a device that tells only shown parts, the element may be still larger.
    fn shown_part(&self, bounds: Rect, area: Rect) -> String {
        let part = bounds.intersection(&area).unwrap_or(bounds);
        let (across, down) = (part.right - part.left, part.bottom - part.top);
        let shown = i64::from(across) * i64::from(down);
        let (width, height) = self.largest;
        let whole = (i64::from(width) * i64::from(height)).max(1);
        if shown >= whole {
            return format!(
                "{across} x {down} px at the edge of a container, which may hide more of it"
            );
        }
        format!(
            "{} % of it ({across} x {down} px of at least {width} x {height} px)",
            shown * 100 / whole
        )
    }
}

/// Returns a rectangle's begin and end along the axis of a direction.
fn along(rect: Rect, direction: Direction) -> (i32, i32) {
    match direction {
        Direction::Up | Direction::Down => (rect.top, rect.bottom),
        Direction::Left | Direction::Right => (rect.left, rect.right),
    }
}

/// Returns the sides of an area at which less than the requested part of an element may be shown. Most devices
/// tell only the part that is shown, so at an edge there may be more of it. Bounds that go beyond the area are
/// whole, and the part is known.
fn hidden_sides((start, end): (i32, i32), (low, high): (i32, i32), visible: f64) -> Sides {
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

/// Returns the distance that the content still has to move, in pixels along the direction's axis; positive is
/// towards the upper left. 0 if nothing is hidden, or if less than 5 % of the area is left. At most 60 % of
/// the area at once. An element at an edge moves at least a quarter of the area, as there may be more of it,
/// but not beyond the other edge.
fn left_to_move(element: Rect, area: Rect, hidden: Sides, options: &ScrollOptions<'_>) -> i32 {
    let (start, end) = along(element, options.direction);
    let (low, high) = along(area, options.direction);
    let length = high - low;
    // A shorter way is not a movement but a touch on a device that waits for some pixels first.
    let least = (length / 20).max(1);
    let way = if options.center {
        i32::midpoint(start, end) - i32::midpoint(low, high)
    } else {
        match (hidden.low, hidden.high) {
            (false, true) => (end - high).max(length / 4).min((start - low - 1).max(0)),
            (true, false) => (start - low).min(-length / 4).max((end - high + 1).min(0)),
            _ => 0,
        }
    };
    if way.abs() < least {
        return 0;
    }
    let most = length * STEP_PERCENT as i32 / 100;
    way.clamp(-most, most)
}

/// Returns the finger's path that moves the content by `way` pixels, centred in `area`: upwards or to the
/// left if positive. Only the axis of `direction` counts, not its sense. The path is not clipped to the area.
fn shift(direction: Direction, area: Rect, way: i32) -> Gesture {
    let middle = area.center();
    let (before, after) = (way - way / 2, way / 2);
    let at = |along: i32| match direction {
        Direction::Up | Direction::Down => Point {
            x: middle.x,
            y: middle.y + along,
        },
        Direction::Left | Direction::Right => Point {
            x: middle.x + along,
            y: middle.y,
        },
    };
    Gesture {
        from: at(before),
        to: at(-after),
        duration: DRAG,
    }
}
