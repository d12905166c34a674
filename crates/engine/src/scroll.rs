//! Scrolls until an element is on the screen.
//!
//! Directions are the content's: "down" reveals what is below, so the finger moves up. Drags that rest before
//! the finger leaves move the content exactly by their length, so nothing is skipped as a fling would.

use std::sync::Arc;
use std::time::Duration;

use super::act::describe_cover;
use super::container_scroll::{ScrollOptions, step};
use super::describe::describe;
use super::hint::{misses, unseen};
use super::missing_element::SearchGaps;
use super::scroller::{clicked, name_of_container};
use super::selector_seek::SelectorSeek;
use super::shown_part::{across, cutting_across, free_area};
use super::{EngineError, InputGuard, Session};
use runner_device::{Direction, Input};
use runner_screen::selector::Purpose;
use runner_screen::{Node, NodeIndex, Rect, Screen, Selector};

/// Result of scrolling: an element that is on the screen now.
#[derive(Debug, Clone)]
pub struct ScrollTo {
    pub screen: Arc<Screen>,
    pub node: NodeIndex,
    pub scrolls: u32,
}

impl Session {
    /// Scrolls until the element is on the screen in the requested part or place, nothing moves any more, or `max`
    /// scrolls were made; none is made if it is there already. If no container is named and the largest one ends
    /// without the element, the others follow. If a part is requested and a container that scrolls only along the other
    /// axis may cut the element, that one is scrolled too. No drag is made where it would click something. Dialogs with
    /// a rule are answered, and the input lock is held.
    ///
    /// Without a requested part any part on the screen counts as reached; with one, less is [`EngineError::NotShown`].
    /// It is [`EngineError::NotMoved`] if the element was to go to the middle, and a container that is sure to scroll
    /// moved neither way. Several matches are an error; no match is [`EngineError::NotScrolledTo`], and a named
    /// container that is missing [`EngineError::NotFound`].
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
        if sought.found.is_some() && seeker.is_unmoved() {
            return Err(EngineError::NotMoved {
                element: selector.to_string(),
                scrolls,
            });
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
                back: seeker.left_out().filter(|_| sought.ended),
                taker: seeker.taker.clone(),
                still: seeker.named_still(),
            }),
            unseen: unseen(selector, screen),
            misses: misses(selector, screen, Purpose::Action),
        })
    }
}

/// Returns the part of a container in which a finger drags its content: beside all that lies above it. `name`
/// is the caller's name of the container.
///
/// # Errors
///
/// [`EngineError::Hidden`] if no part of the container is on the display, and [`EngineError::Covered`] if no
/// free part is large enough for a finger.
pub fn free_part(
    container: Node<'_>,
    direction: Direction,
    name: &str,
) -> Result<Rect, EngineError> {
    let coverage = container.coverage().ok_or_else(|| EngineError::Hidden {
        element: name.to_owned(),
    })?;
    free_area(&coverage, direction).ok_or_else(|| {
        let by = coverage.cover_of(coverage.area());
        let by = by.map(|by| describe_cover(container.screen(), by));
        EngineError::Covered {
            selector: name.to_owned(),
            element: describe(container),
            by: by.unwrap_or_default(),
            waited: Duration::ZERO,
        }
    })
}

/// Drags the content of `area` by 60 % of it, so that nothing is skipped, and returns `None`. Sends nothing if the
/// finger would click an element of `screen` instead, and returns that. Whether anything moved is not checked.
///
/// # Errors
///
/// If the device refuses the input.
pub async fn drag<'s>(
    turn: &InputGuard<'_>,
    direction: Direction,
    area: Rect,
    screen: &'s Screen,
) -> Result<Option<Node<'s>>, EngineError> {
    let gesture = step(direction, area);
    let clicked = clicked(screen, direction, gesture);
    if clicked.is_none() {
        turn.send(&[Input::Drag(gesture)]).await?;
    }
    Ok(clicked)
}
