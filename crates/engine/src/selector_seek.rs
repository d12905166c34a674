//! Drags towards an element that a selector names, and judges after each drag what is shown of it.

mod containers;
mod shown;

use std::sync::Arc;
use std::time::Duration;

use super::act::describe_cover;
use super::container_scroll::{ScrollOptions, moved, shift, step};
use super::describe::describe;
use super::scroller::{clicked, surely_moves};
use super::scrolling::{Course, Look, Seek, SeekOutcome, SeekState, Turn, seek};
use super::shown_part::{Sides, along, free_area, is_inside, left_to_move};
use super::{EngineError, InputGuard, Session};
use runner_device::{Direction, Gesture, Input};
use runner_screen::{Coverage, NodeIndex, Rect, Screen, Selector};

/// Part of the container that is dragged away from an end to prove it, as a divisor. Chosen: several times the distance
/// that Android takes for a touch, and short enough that the next drag comes back.
const PROOF_PART: i32 = 8;

pub(super) struct SelectorSeek<'a> {
    session: &'a Session,
    turn: InputGuard<'a>,
    selector: &'a Selector,
    pub(super) options: ScrollOptions<'a>,
    /// Container to scroll, on an earlier look; by default the one that the options name.
    pub(super) target: Option<(Arc<Screen>, NodeIndex)>,
    /// Containers that were searched, each on its last look.
    tried: Vec<(Arc<Screen>, NodeIndex)>,
    pub(super) seen: Option<SeenContainer>,
    /// Distance of the last drag along the axis; positive is towards the upper left.
    last_way: i32,
    /// Sides of the container where its content has ended.
    ends: Sides,
    /// True if a drag of this search moved something in the container.
    has_moved: bool,
    /// True if a drag of any search moved something.
    has_ever_moved: bool,
    /// Description of the object that a drag would have touched instead of the container.
    pub(super) taker: Option<String>,
    /// Names of containers of all looks that scroll only along the other axis.
    pub(super) rows_across: Vec<String>,
    /// Largest width and height at which the element was seen.
    largest: (i32, i32),
}

/// The container on the last look.
#[derive(Clone)]
pub(super) struct SeenContainer {
    pub(super) screen: Arc<Screen>,
    /// `None` if nothing scrolls.
    container: Option<NodeIndex>,
    coverage: Coverage,
    /// Distance that the element still has to move, if it is on the screen.
    left: Option<i32>,
    /// True if the element is on the screen with less than the requested part.
    pub(super) is_cut: bool,
    /// True if the container is sure to scroll in the direction.
    scrolls: bool,
}

impl<'a> SelectorSeek<'a> {
    /// Prepares a search that holds the input lock by `turn`. Neither looks nor scrolls.
    pub(super) fn new(
        session: &'a Session,
        turn: InputGuard<'a>,
        selector: &'a Selector,
        options: ScrollOptions<'a>,
    ) -> Self {
        Self {
            session,
            turn,
            selector,
            options,
            target: None,
            tried: Vec::new(),
            seen: None,
            last_way: 0,
            ends: Sides::default(),
            has_moved: false,
            has_ever_moved: false,
            taker: None,
            rows_across: Vec::new(),
            largest: (0, 0),
        }
    }
}

impl SelectorSeek<'_> {
    /// Seeks in one container, by at most `max` scrolls, beginning with `screen`, which was just looked at. The
    /// container counts as tried afterwards, whether or not the element was found. An error if the named container is
    /// missing, or if several elements match.
    pub(super) async fn search(
        &mut self,
        screen: Arc<Screen>,
        max: u32,
    ) -> Result<SeekOutcome<(Arc<Screen>, NodeIndex)>, EngineError> {
        self.seen = None;
        self.last_way = 0;
        self.ends = Sides::default();
        self.has_moved = false;
        let first = self.judge(screen).await?.sight;
        let course = Course {
            direction: self.options.direction,
            turn: Turn::Never,
            max,
        };
        let sought = seek(self, first, course).await?;
        if let Some(seen) = &self.seen
            && let Some(container) = seen.container
        {
            self.tried.push((Arc::clone(&seen.screen), container));
        }
        Ok(sought)
    }

    /// Returns the direction against the search if what lies there was surely left out: the search went against
    /// the usual direction, or the content that is sure to scroll was at its end already.
    pub(super) fn left_out(&self) -> Option<Direction> {
        let direction = self.options.direction;
        let is_usual = matches!(direction, Direction::Down | Direction::Right);
        let begins_at_end =
            !self.has_ever_moved && self.seen.as_ref().is_some_and(|seen| seen.scrolls);
        (!is_usual || begins_at_end).then(|| direction.opposite())
    }

    pub(super) fn is_cut(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.is_cut)
    }

    /// Returns true if the element was to go to the middle of a container that is sure to scroll, and no drag
    /// of this search moved anything: the device may have taken none.
    pub(super) fn is_unmoved(&self) -> bool {
        let is_away =
            |seen: &SeenContainer| seen.scrolls && seen.left.is_some_and(|left| left != 0);
        let is_dragged = self.last_way != 0 && !self.has_moved;
        self.options.center && is_dragged && self.seen.as_ref().is_some_and(is_away)
    }

    /// Looks after a scroll, answers dialogs that hide the element, and judges the screen. Begins a round, so each
    /// look has the step's whole limit.
    async fn look(&mut self) -> Result<Look<(Arc<Screen>, NodeIndex)>, EngineError> {
        self.session.clock.begin_round();
        let screen = self.session.look().await?;
        let screen = self.uncover(screen).await?;
        self.judge(screen).await
    }

    /// Answers dialogs by the project's rules while the element is not on the screen or below one, and looks
    /// again after each. Then the next look counts as moved, as a dialog may have taken the scroll. A dialog that stays
    /// is [`EngineError::DialogHides`].
    pub(super) async fn uncover(
        &mut self,
        mut screen: Arc<Screen>,
    ) -> Result<Arc<Screen>, EngineError> {
        let session = self.session;
        loop {
            let found = self.selector.find(&screen);
            if session.open_elements(&screen, found).await?.is_some() {
                return Ok(screen);
            }
            screen = session.look().await?;
            self.seen = None;
        }
    }

    /// Returns what a look shows of the element, and whether anything moved in the container since the look before; the
    /// first look counts as moved. An element on the screen that may still move to its requested place is only near.
    /// With several matches, fails as [`Session::find`] does, unless only one is left. An error if the requested
    /// container is missing. If the target container is not there any more, nothing moved.
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
                self.seen = None;
                return Ok(Look {
                    sight: SeekState::Reached(found),
                    moved: true,
                });
            }
        };
        let before = self.seen.take();
        let Some((container, area)) = self.container(&screen, node)? else {
            let sight = node.map_or(SeekState::Missing, |node| SeekState::Near((screen, node)));
            return Ok(Look {
                sight,
                moved: false,
            });
        };
        let coverage = container.and_then(|index| screen.node(index).coverage());
        let coverage = coverage.unwrap_or_else(|| Coverage::free(area));
        let moved = before.map(|before| moved(&before.screen, &screen, container));
        self.note_ends(moved);
        self.note_rows_across(&screen, container);
        let mut is_cut = false;
        let left = node.map(|node| {
            let node = screen.node(node);
            let bounds = node.bounds();
            let (width, height) = self.largest;
            self.largest = (
                width.max(bounds.right - bounds.left),
                height.max(bounds.bottom - bounds.top),
            );
            let hidden = self.hidden(node, container, &coverage);
            is_cut = hidden.is_cut;
            let options = ScrollOptions {
                // No drag of the container would bring an element beside it to its middle.
                center: self.options.center && is_inside(node, container),
                ..self.options
            };
            free_area(&coverage, options.direction)
                .map_or(0, |free| left_to_move(bounds, free, hidden.sides, &options))
        });
        self.seen = Some(SeenContainer {
            screen: Arc::clone(&screen),
            container,
            coverage,
            left,
            is_cut,
            scrolls: container
                .is_some_and(|index| surely_moves(screen.node(index), self.options.direction)),
        });
        let sight = match node.map(|node| (screen, node)) {
            Some(found) if left == Some(0) && !is_cut => SeekState::Reached(found),
            // At the end of the content an element comes no nearer to the middle.
            Some(found) => SeekState::Near(found),
            None => SeekState::Missing,
        };
        Ok(Look {
            sight,
            moved: moved.unwrap_or(true),
        })
    }

    /// Remembers the end of the content after a drag that moved nothing. Forgets both ends after one that did, and notes
    /// that something moved. `None`, without a look before to compare with, only forgets them.
    fn note_ends(&mut self, moved: Option<bool>) {
        if moved == Some(false) {
            self.ends.low |= self.last_way < 0;
            self.ends.high |= self.last_way > 0;
        } else {
            self.has_moved |= moved.is_some() && self.last_way != 0;
            self.has_ever_moved |= self.has_moved;
            self.ends = Sides::default();
        }
    }

    /// Drags away from an end of the content and on to it, as a device that ignores drags would show an end
    /// everywhere. `onto` is the drag that moved nothing, and `end` the look after it. Returns that look if
    /// nothing moves at all.
    async fn prove_end(
        &mut self,
        away: Gesture,
        onto: Gesture,
        end: Look<(Arc<Screen>, NodeIndex)>,
    ) -> Result<Look<(Arc<Screen>, NodeIndex)>, EngineError> {
        let at_end = self.seen.clone();
        let way = self.last_way;
        self.last_way = -way;
        self.turn.send(&[Input::Drag(away)]).await?;
        let look = self.look().await?;
        if !self.has_moved {
            return Ok(end);
        }
        if matches!(look.sight, SeekState::Reached(_)) {
            return Ok(look);
        }
        // Both looks at the end are compared.
        self.seen = at_end;
        self.last_way = way;
        self.turn.send(&[Input::Drag(onto)]).await?;
        self.look().await
    }
}

impl SeenContainer {
    /// Describes the object that covers the most of `bounds`.
    fn cover_of(&self, bounds: Rect) -> Option<String> {
        let cover = self.coverage.cover_of(bounds)?;
        Some(describe_cover(&self.screen, cover))
    }
}

impl Seek for SelectorSeek<'_> {
    type Found = (Arc<Screen>, NodeIndex);
    type Error = EngineError;

    /// Drags once and looks; shorter if the element is seen but cut. `None`, without a drag, if no drag would bring
    /// more of it, nothing of the container is free, or the drag would begin on something that takes it as a click.
    /// An unmoved content is dragged back and forth to prove its end.
    async fn scroll(&mut self, to: Direction) -> Result<Option<Look<Self::Found>>, EngineError> {
        // Seen, but cut where these scrolls do not bring more of it.
        let Some(seen) = self.seen.as_ref().filter(|seen| seen.left != Some(0)) else {
            return Ok(None);
        };
        let Some(area) = free_area(&seen.coverage, to) else {
            self.taker = seen.cover_of(seen.coverage.area());
            return Ok(None);
        };
        let is_forward = matches!(to, Direction::Down | Direction::Right);
        let (gesture, way) = match seen.left {
            Some(left) => (shift(to, area, left), left),
            None => (step(to, area), if is_forward { 1 } else { -1 }),
        };
        if let Some(node) = clicked(&seen.screen, to, gesture) {
            self.taker = Some(describe(node));
            return Ok(None);
        }
        let was_seen = seen.left.is_some();
        self.last_way = way;
        self.turn.send(&[Input::Drag(gesture)]).await?;
        let look = self.look().await?;
        let needs_proof = self.is_cut() || self.is_unmoved();
        if look.moved || self.has_moved || !was_seen || !needs_proof {
            return Ok(Some(look));
        }
        // Moved the other way, what is cut may be shown. Otherwise the drag is shorter than the one onto the end, which
        // then surely comes back to it: what the finger leaves moving is not the same both ways.
        let (start, end) = along(area, to);
        let longest = if self.is_cut() {
            way.abs()
        } else {
            ((end - start) / PROOF_PART).max(1)
        };
        let away = shift(to, area, -way.clamp(-longest, longest));
        self.prove_end(away, gesture, look).await.map(Some)
    }
}
