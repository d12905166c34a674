//! Scrolls until an element is on the screen.
//!
//! Directions are the content's: "down" reveals what is below, so the finger moves up. Drags that rest before
//! the finger leaves move the content exactly by their length, so nothing is skipped as a fling would.

use std::sync::Arc;
use std::time::Duration;

use super::hint::{MissingElement, SearchGaps, misses, unseen};
use super::history::same_rows;
use super::scroller::{front_area, main_scroller, name_of_container};
use super::selector_seek::SelectorSeek;
use super::shown_part::{across, cutting_across};
use super::{EngineError, InputGuard, Session};
use runner_device::{Direction, Gesture, Input};
use runner_screen::selector::Purpose;
use runner_screen::{NodeIndex, Point, Rect, Screen, Selector};

/// Length of a scroll in percent of the container. Chosen: the overlap shows every element whole at least
/// once.
pub(super) const STEP_PERCENT: u32 = 60;
/// Duration of one drag. Chosen: fast enough for long lists, slow enough that Android sees a drag, not a
/// fling.
const DRAG: Duration = Duration::from_millis(400);

/// Options for scrolling to an element.
#[derive(Debug, Clone, Copy)]
pub struct ScrollOptions<'a> {
    /// Container to scroll. By default the largest one that scrolls in the direction, or the focused window;
    /// after its end the next largest.
    pub within: Option<&'a Selector>,
    pub direction: Direction,
    /// Maximum number of scrolls.
    pub max: u32,
    /// Required visible part of the element, in percent; 0 accepts any part. If it is not reached, the scroll
    /// fails.
    pub visible: f64,
    /// Moves the element to the middle of the container, as far as the content goes.
    pub center: bool,
}

/// Result of scrolling: an element that is on the screen now.
#[derive(Debug, Clone)]
pub struct ScrollTo {
    pub screen: Arc<Screen>,
    pub node: NodeIndex,
    /// Number of scrolls.
    pub scrolls: u32,
}

impl Session {
    /// Scrolls until the element is on the screen in the requested part or place, nothing moves any more, or
    /// `max` scrolls were made. No scroll is made if it is there already. If no container is named and the
    /// largest one ends without the element, the others follow. If a part is requested and a container that
    /// scrolls only along the other axis may cut the element, that one is scrolled too. A drag begins where
    /// nothing covers the container; none is made where it would touch something else.
    ///
    /// Without a requested part an element that is only partly there in the end counts as reached; with one it
    /// is the error [`EngineError::NotShown`]. Several matches are an error, and so is none:
    /// [`EngineError::NotScrolledTo`]. Each scroll has the step's time limit; all together are bounded by
    /// `max`, and by the step's own `timeout` if it has one. Holds the input lock.
    pub async fn scroll_to(
        &self,
        selector: &Selector,
        options: ScrollOptions<'_>,
    ) -> Result<ScrollTo, EngineError> {
        // The lock is held to the end, as a touch by another call would stop the moving content.
        let turn = self.lock_input().await;
        let mut seeker = SelectorSeek::new(self, turn, selector, options);
        let screen = self.rested_or_new_look().await?;
        let screen = seeker.uncover(screen).await?;
        let mut sought = seeker.search(screen, options.max).await?;
        let mut scrolls = sought.scrolls;
        while sought.found.is_none()
            && (sought.ended || seeker.taker.is_some())
            && scrolls < options.max
            && let Some(next) = seeker.untried().into_iter().next()
        {
            let screen = Arc::clone(&next.0);
            seeker.target = Some(next);
            sought = seeker.search(screen, options.max - scrolls).await?;
            scrolls += sought.scrolls;
        }
        let found = sought.found.as_ref().filter(|_| !seeker.is_cut());
        if let Some((screen, node)) = found.cloned()
            && options.visible > 0.0
            && let Some(cutting) =
                cutting_across(screen.node(node), options.direction, options.visible)
        {
            seeker.target = Some((Arc::clone(&screen), cutting));
            seeker.options.direction = across(options.direction);
            seeker.options.center = false;
            sought = seeker.search(screen, options.max - scrolls).await?;
            scrolls += sought.scrolls;
        }
        if let Some((screen, node)) = sought.found {
            if let Some(seen) = seeker.seen.as_ref().filter(|seen| seen.is_cut) {
                return Err(EngineError::NotShown {
                    element: selector.to_string(),
                    shown: seeker.shown_part(screen.node(node), seen),
                    scrolls,
                });
            }
            return Ok(ScrollTo {
                screen,
                node,
                scrolls,
            });
        }
        let others = seeker.untried();
        let others = others
            .iter()
            .map(|(screen, index)| name_of_container(screen.node(*index)));
        let screen = seeker.seen.as_ref().map(|seen| seen.screen.as_ref());
        Err(EngineError::NotScrolledTo {
            element: selector.to_string(),
            direction: options.direction.word(),
            scrolls,
            ended: sought.ended,
            unsearched: Box::new(SearchGaps {
                others: others.collect(),
                across: seeker.rows_across.clone(),
                across_direction: across(options.direction),
                taker: seeker.taker.clone(),
            }),
            unseen: unseen(selector, screen),
            misses: misses(selector, screen, Purpose::Action),
        })
    }
}

/// Returns the finger's path that moves the content by `way` pixels, centred in `area`: upwards or to the
/// left if positive. Only the axis of `direction` counts, not its sense. The path is not clipped to the area.
pub(super) fn shift(direction: Direction, area: Rect, way: i32) -> Gesture {
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

pub(super) fn step(direction: Direction, area: Rect) -> Gesture {
    direction.gesture(area, STEP_PERCENT, DRAG)
}

/// Drags the content of `area` by a part of it, so that nothing is skipped.
///
/// # Errors
///
/// If the device refuses the input.
pub async fn drag(
    turn: &InputGuard<'_>,
    direction: Direction,
    area: Rect,
) -> Result<(), EngineError> {
    turn.send(&[Input::Drag(step(direction, area))]).await
}

/// Returns the container to scroll with its visible part: the first match of `within`, else the largest that
/// scrolls in the direction. Without one, returns no node and the focused window's area.
/// [`EngineError::NotFound`] if `within` matches nothing visible.
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
            _ => Err(EngineError::NotFound(Box::new(MissingElement {
                selector: selector.clone(),
                screen: None,
                unseen: unseen(selector, Some(screen)),
                partial: None,
                misses: misses(selector, Some(screen), Purpose::Action),
                scroller: None,
                choices: None,
            }))),
        };
    }
    let largest = main_scroller(screen, options.direction)
        .and_then(|node| Some((node.index(), node.part_on_display()?)));
    Ok(match largest {
        Some((index, area)) => (Some(index), area),
        None => (None, front_area(screen)),
    })
}

/// Returns true if anything moved between two looks: bounds, texts or descriptions of the container's
/// descendants. Without a container on both looks, compares all rows. The container is found by its index,
/// and other nodes do not count.
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
