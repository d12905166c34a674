//! Scrolling until an element is there.
//!
//! The direction is the content's: "down" reveals what is below, so the finger moves up. A drag that rests before it
//! leaves moves the content by just its distance, so nothing is skipped as a fling would.

use std::sync::Arc;
use std::time::Duration;

use super::hint::{misses, unseen};
use super::history::same_rows;
use super::scroller::{front_area, main_scroller};
use super::scrolling::{Course, Look, Seek, SeekState, Turn, seek};
use super::{EngineError, InputGuard, Session};
use runner_device::{Direction, Gesture, Input};
use runner_screen::selector::Purpose;
use runner_screen::{NodeIndex, Point, Rect, Screen, Selector};

/// Part of the container by which its content is moved.
const STEP_PERCENT: u32 = 60;
/// Time for one drag.
const DRAG: Duration = Duration::from_millis(400);

/// How to scroll to an element.
#[derive(Debug, Clone, Copy)]
pub struct ScrollOptions<'a> {
    /// The container; else the largest that scrolls that way, else the window with the focus.
    pub within: Option<&'a Selector>,
    /// What to reveal.
    pub direction: Direction,
    /// How often the content is moved at most.
    pub max: u32,
    /// How much of the element has to be in the container, in percent; 0 where any part will do.
    pub visible: f64,
    /// Move the element to the middle of the container, as far as the content goes.
    pub center: bool,
}

/// An element that is on the screen now.
#[derive(Debug, Clone)]
pub struct ScrollTo {
    /// The screen with it.
    pub screen: Arc<Screen>,
    /// The element.
    pub node: NodeIndex,
    /// How often the content was moved.
    pub scrolls: u32,
}

impl Session {
    /// Scrolls until the element is on the screen, or nothing moves any more, or the content was moved `max` times. Each
    /// round has the step's limit; what bounds them all is `max`, and the step's own `timeout` where it has one.
    pub async fn scroll_to(
        &self,
        selector: &Selector,
        options: ScrollOptions<'_>,
    ) -> Result<ScrollTo, EngineError> {
        let mut seeker = SelectorSeek {
            session: self,
            // Held to the end: a touch by another call would stop the content in its movement.
            turn: self.lock_input().await,
            selector,
            options,
            seen: None,
        };
        let screen = self.rested_or_new_look().await?;
        let first = seeker.judge(screen).await?.sight;
        let course = Course {
            direction: options.direction,
            turn: Turn::Never,
            max: options.max,
        };
        let sought = seek(&mut seeker, first, course).await?;
        if let Some((screen, node)) = sought.found {
            let scrolls = sought.scrolls;
            return Ok(ScrollTo {
                screen,
                node,
                scrolls,
            });
        }
        let screen = seeker.seen.as_ref().map(|seen| seen.screen.as_ref());
        Err(EngineError::NotScrolledTo {
            element: selector.to_string(),
            direction: options.direction.word(),
            scrolls: sought.scrolls,
            ended: sought.ended,
            unseen: unseen(selector, screen),
            misses: misses(selector, screen, Purpose::Action),
        })
    }
}

/// Seeks what a selector matches.
struct SelectorSeek<'a> {
    session: &'a Session,
    turn: InputGuard<'a>,
    selector: &'a Selector,
    options: ScrollOptions<'a>,
    seen: Option<SeenContainer>,
}

/// The container at the last look.
struct SeenContainer {
    screen: Arc<Screen>,
    area: Rect,
    /// How far the element still has to move, where it is there.
    left: Option<i32>,
}

impl SelectorSeek<'_> {
    async fn look(&mut self) -> Result<Look<(Arc<Screen>, NodeIndex)>, EngineError> {
        self.session.clock.begin_round();
        let screen = self.session.look().await?;
        self.judge(screen).await
    }

    /// Returns what a look shows of the element, and whether anything moved since the look before.
    async fn judge(
        &mut self,
        screen: Arc<Screen>,
    ) -> Result<Look<(Arc<Screen>, NodeIndex)>, EngineError> {
        let node = match *self.selector.find(&screen) {
            [] => None,
            [node] => Some(node),
            // The same rules as everywhere: it says which elements match.
            _ => {
                let found = self.session.find(self.selector, Duration::ZERO).await?;
                return Ok(Look {
                    sight: SeekState::Reached(found),
                    moved: true,
                });
            }
        };
        let (container, area) = container(&screen, &self.options)?;
        let place = |node| screen.node(node).bounds();
        let left = node.map(|node| left_to_move(place(node), area, &self.options));
        let before = self.seen.replace(SeenContainer {
            screen: Arc::clone(&screen),
            area,
            left,
        });
        let moved = before.is_none_or(|before| moved(&before.screen, &screen, container));
        let sight = match node.map(|node| (screen, node)) {
            Some(found) if left == Some(0) => SeekState::Reached(found),
            // At the end of the content an element comes no nearer to the middle.
            Some(found) => SeekState::Near(found),
            None => SeekState::Missing,
        };
        Ok(Look { sight, moved })
    }
}

impl Seek for SelectorSeek<'_> {
    type Found = (Arc<Screen>, NodeIndex);
    type Error = EngineError;

    async fn scroll(&mut self, to: Direction) -> Result<Option<Look<Self::Found>>, EngineError> {
        let Some(seen) = &self.seen else {
            return Ok(None);
        };
        let gesture = match seen.left {
            Some(left) => shift(to, seen.area, left),
            None => step(to, seen.area),
        };
        self.turn.send(&[Input::Drag(gesture)]).await?;
        self.look().await.map(Some)
    }
}

/// How far the content still has to move, in pixels along the direction's axis; positive towards the upper left. 0 where
/// the element is as it should be.
fn left_to_move(element: Rect, area: Rect, options: &ScrollOptions<'_>) -> i32 {
    let is_vertical = matches!(options.direction, Direction::Up | Direction::Down);
    let along = |rect: Rect| {
        if is_vertical {
            (rect.top, rect.bottom)
        } else {
            (rect.left, rect.right)
        }
    };
    let ((start, end), (low, high)) = (along(element), along(area));
    let length = high - low;
    // A shorter way is not a movement but a touch on a device that waits for some pixels first.
    let least = (length / 20).max(1);
    let way = if options.center {
        i32::midpoint(start, end) - i32::midpoint(low, high)
    } else if options.visible > 0.0 {
        // Devices report the part of an element that is shown: at the edge there may be more of it.
        let is_forward = matches!(options.direction, Direction::Down | Direction::Right);
        match is_forward {
            true if end >= high => (end - high).max(length / 4),
            false if start <= low => (start - low).min(-length / 4),
            _ => 0,
        }
    } else {
        0
    };
    let displayed = (end.min(high) - start.max(low)).max(0);
    let is_whole = f64::from(displayed) >= f64::from(end - start) * options.visible / 100.0;
    let is_inside = start > low && end < high;
    if way.abs() < least || !options.center && is_whole && is_inside {
        return 0;
    }
    let most = length * STEP_PERCENT as i32 / 100;
    way.clamp(-most, most)
}

/// The finger's path that moves the content by so many pixels.
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

fn step(direction: Direction, area: Rect) -> Gesture {
    direction.gesture(area, STEP_PERCENT, DRAG)
}

/// Moves what `area` shows so far that nothing is skipped.
///
/// # Errors
/// [`EngineError`] where the device does not take it.
pub async fn drag(
    turn: &InputGuard<'_>,
    direction: Direction,
    area: Rect,
) -> Result<(), EngineError> {
    turn.send(&[Input::Drag(step(direction, area))]).await
}

/// The container that is scrolled, and its visible part. Without one the window with the focus.
pub(super) fn container(
    screen: &Screen,
    options: &ScrollOptions<'_>,
) -> Result<(Option<NodeIndex>, Rect), EngineError> {
    if let Some(selector) = options.within {
        let nodes = selector.find(screen);
        let first = nodes.first().copied();
        let area = first.and_then(|index| screen.node(index).part_on_display());
        return match (first, area) {
            (Some(index), Some(area)) => Ok((Some(index), area)),
            _ => Err(EngineError::NotFound {
                selector: selector.to_string(),
                screen: None,
                unseen: unseen(selector, Some(screen)),
                misses: misses(selector, Some(screen), Purpose::Action),
                hints: Vec::new(),
            }),
        };
    }
    let largest = main_scroller(screen, options.direction)
        .and_then(|node| Some((node.index(), node.part_on_display()?)));
    Ok(match largest {
        Some((index, area)) => (Some(index), area),
        None => (None, front_area(screen)),
    })
}

/// Whether anything moved between two looks: in the container where it is still the same node, else anywhere.
pub(super) fn moved(before: &Screen, now: &Screen, container: Option<NodeIndex>) -> bool {
    let inside = |screen: &Screen| -> Option<Vec<(Rect, String, String)>> {
        let index = container.filter(|index| (index.0 as usize) < screen.len())?;
        let rows = screen
            .node(index)
            .descendants()
            .map(|node| {
                (
                    node.bounds(),
                    node.text().to_owned(),
                    node.desc().to_owned(),
                )
            })
            .collect();
        Some(rows)
    };
    match (inside(before), inside(now)) {
        (Some(before), Some(now)) => before != now,
        _ => !same_rows(before, now),
    }
}
