//! Scrolls until an element is on the screen.
//!
//! Directions are the content's: "down" reveals what is below, so the finger moves up. Drags that rest before
//! the finger leaves move the content exactly by their length, so nothing is skipped as a fling would.

use std::sync::Arc;
use std::time::Duration;

use super::dialogs::DialogUse;
use super::hint::{MissingElement, misses, unseen};
use super::history::same_rows;
use super::scroll_progress::ScrollProgress;
use super::scroller::{front_area, main_scroller};
use super::scrolling::{Course, Look, Seek, SeekState, Turn, seek};
use super::{EngineError, InputGuard, Session};
use runner_device::{Direction, Gesture, Input};
use runner_screen::selector::Purpose;
use runner_screen::{NodeIndex, Rect, Screen, Selector};

/// Length of a scroll in percent of the container. Chosen: the overlap shows every element whole at least
/// once.
pub(super) const STEP_PERCENT: u32 = 60;
/// Duration of one drag. Chosen: fast enough for long lists, slow enough that Android sees a drag, not a
/// fling.
pub(super) const DRAG: Duration = Duration::from_millis(400);

/// Options for scrolling to an element.
#[derive(Debug, Clone, Copy)]
pub struct ScrollOptions<'a> {
    /// Container to scroll. By default the largest one that scrolls in the direction, or the focused window.
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
    /// `max` scrolls were made. No scroll is made if it is there already. Without a requested part an element
    /// that is only partly there in the end counts as reached; with one it is the error
    /// [`EngineError::NotShown`]. Several matches are an error, and so is none:
    /// [`EngineError::NotScrolledTo`]. Each scroll has the step's time limit; all together are bounded by
    /// `max`, and by the step's own `timeout` if it has one. Holds the input lock.
    pub async fn scroll_to(
        &self,
        selector: &Selector,
        options: ScrollOptions<'_>,
    ) -> Result<ScrollTo, EngineError> {
        let mut seeker = SelectorSeek {
            session: self,
            // The lock is held to the end, as a touch by another call would stop the moving content.
            turn: self.lock_input().await,
            selector,
            progress: ScrollProgress::new(options),
        };
        let screen = self.rested_or_new_look().await?;
        let screen = seeker.uncover(screen).await?;
        let first = seeker.judge(screen).await?.sight;
        let course = Course {
            direction: options.direction,
            turn: Turn::Never,
            max: options.max,
        };
        let sought = seek(&mut seeker, first, course).await?;
        if let Some((screen, node)) = sought.found {
            let scrolls = sought.scrolls;
            if let Some(shown) = seeker.progress.cut_part(screen.node(node).bounds()) {
                return Err(EngineError::NotShown {
                    element: selector.to_string(),
                    shown,
                    scrolls,
                });
            }
            return Ok(ScrollTo {
                screen,
                node,
                scrolls,
            });
        }
        let screen = seeker.progress.screen();
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

/// Seeks an element by selector.
struct SelectorSeek<'a> {
    session: &'a Session,
    turn: InputGuard<'a>,
    selector: &'a Selector,
    progress: ScrollProgress<'a>,
}

impl SelectorSeek<'_> {
    async fn look(&mut self) -> Result<Look<(Arc<Screen>, NodeIndex)>, EngineError> {
        self.session.clock.begin_round();
        let screen = self.session.look().await?;
        let screen = self.uncover(screen).await?;
        self.judge(screen).await
    }

    /// Answers dialogs by the project's rules while the element is not on the screen or below one, and looks
    /// again after each. Then the next look counts as moved, as a dialog may have taken the scroll.
    async fn uncover(&mut self, mut screen: Arc<Screen>) -> Result<Arc<Screen>, EngineError> {
        let session = self.session;
        while session.uncovered(self.selector, &screen).is_empty()
            && session.answer_dialog(&screen, DialogUse::Answer).await
        {
            screen = session.look().await?;
            self.progress.forget_look();
        }
        Ok(screen)
    }

    /// Adds a look to the progress, see [`ScrollProgress::judge`]. With several matches, fails as
    /// [`Session::find`] does, unless only one is left.
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
                self.progress.forget_look();
                return Ok(Look {
                    sight: SeekState::Reached(found),
                    moved: true,
                });
            }
        };
        self.progress.judge(screen, node)
    }
}

impl Seek for SelectorSeek<'_> {
    type Found = (Arc<Screen>, NodeIndex);
    type Error = EngineError;

    async fn scroll(&mut self, to: Direction) -> Result<Option<Look<Self::Found>>, EngineError> {
        let Some(gesture) = self.progress.next_drag(to) else {
            return Ok(None);
        };
        self.turn.send(&[Input::Drag(gesture)]).await?;
        self.look().await.map(Some)
    }
}

/// Returns the drag that moves the content of `area` by a part of it, so that nothing is skipped.
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
