//! Drags towards an element that a selector names, and judges after each drag what is shown of it.

use std::sync::Arc;
use std::time::Duration;

use super::act::describe_cover;
use super::container_scroll::{ScrollOptions, container, moved, shift, step};
use super::describe::describe;
use super::scroller::{clicked, moves, name_of_container, scrollers, surely_moves};
use super::scrolling::{Course, Look, Seek, SeekOutcome, SeekState, Turn, seek};
use super::shown_part::{
    Sides, across, along, beyond, coverage_around, free_area, hidden_sides, is_inside, left_to_move,
};
use super::{EngineError, InputGuard, Session};
use runner_device::{Direction, Gesture, Input};
use runner_screen::{Coverage, Node, NodeIndex, Rect, Screen, Selector};

/// Limit for named containers that scroll along the other axis. Chosen: more say nothing new.
const MAX_ROWS: usize = 8;

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

/// Hidden parts of the element.
struct HiddenParts {
    /// Sides along the direction on which scrolls may bring more of it.
    sides: Sides,
    /// True if less than the requested part is shown.
    is_cut: bool,
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

    /// Returns the containers of the last look that scroll in the direction and were not searched, largest
    /// first. Only those of the window that was searched count, as a touch beside a dialog closes it. None if
    /// a container is named.
    pub(super) fn untried(&self) -> Vec<(Arc<Screen>, NodeIndex)> {
        let Some(seen) = self.seen.as_ref().filter(|_| self.options.within.is_none()) else {
            return Vec::new();
        };
        let Some(container) = seen.container else {
            return Vec::new();
        };
        let screen = &seen.screen;
        let window = screen.node(container).window().id;
        let is_tried = |index: NodeIndex| {
            self.tried.iter().any(|(earlier, tried)| {
                self.session.find_again(earlier, *tried, screen) == Some(index)
            })
        };
        scrollers(screen, self.options.direction)
            .into_iter()
            // A finger changes the value of a picker.
            .filter(|node| node.window().id == window && node.short_class() != "NumberPicker")
            .map(Node::index)
            .filter(|index| !is_tried(*index))
            .map(|index| (Arc::clone(screen), index))
            .collect()
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

    /// Returns the names of what scrolls in the direction, if the container that is named does not and nothing moved in
    /// it. `None` otherwise, and if none is named.
    pub(super) fn named_still(&self) -> Option<Vec<String>> {
        let seen = self
            .seen
            .as_ref()
            .filter(|_| self.options.within.is_some())?;
        let named = seen.screen.node(seen.container?);
        let direction = self.options.direction;
        if self.has_ever_moved || moves(named, direction) {
            return None;
        }
        let others = scrollers(&seen.screen, direction).into_iter();
        Some(others.map(name_of_container).collect())
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

    /// Returns the container to scroll with its visible part: the target, else the named one, else the largest of the
    /// focused window, else of any. If that does not hold the element, the nearest one around the element that scrolls
    /// in the direction. `None` if the target is not there any more. An error if the named container is missing.
    fn container(
        &self,
        screen: &Screen,
        node: Option<NodeIndex>,
    ) -> Result<Option<(Option<NodeIndex>, Rect)>, EngineError> {
        let with_part = |node: Node<'_>| Some((Some(node.index()), node.part_on_display()?));
        if let Some((earlier, index)) = &self.target {
            let again = self.session.find_again(earlier, *index, screen);
            return Ok(again.and_then(|index| with_part(screen.node(index))));
        }
        let usual = container(screen, &self.options)?;
        let (Some(main), Some(node), None) = (usual.0, node, self.options.within) else {
            return Ok(Some(usual));
        };
        let node = screen.node(node);
        if screen.node(main).holds(node) {
            return Ok(Some(usual));
        }
        let own = node
            .ancestors()
            .find(|it| moves(*it, self.options.direction));
        Ok(own.and_then(with_part).or(Some(usual)))
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

    /// Remembers the names of containers that scroll only along the other axis: those of the window that is
    /// searched, or those inside the named container.
    fn note_rows_across(&mut self, screen: &Screen, container: Option<NodeIndex>) {
        let direction = self.options.direction;
        let container = container.map(|index| screen.node(index));
        let is_within = self.options.within.is_some();
        let is_searched = |node: &Node<'_>| match container {
            Some(container) if is_within => container.holds(*node),
            Some(container) => node.window().id == container.window().id,
            None => node.window().focused,
        };
        let rows = scrollers(screen, across(direction)).into_iter();
        for node in rows.filter(is_searched) {
            let name = name_of_container(node);
            // A finger changes the value of a picker.
            let is_row = !moves(node, direction) && node.short_class() != "NumberPicker";
            if is_row && self.rows_across.len() < MAX_ROWS && !self.rows_across.contains(&name) {
                self.rows_across.push(name);
            }
        }
    }

    /// Returns what is hidden of the element: at edges, and by what covers the container, or the element's own
    /// if it is in another one, or the element if it is in none. A share of less than a percent is none.
    fn hidden(
        &self,
        node: Node<'_>,
        container: Option<NodeIndex>,
        coverage: &Coverage,
    ) -> HiddenParts {
        let (direction, bounds) = (self.options.direction, node.bounds());
        let is_inside = is_inside(node, container);
        let mut sides = self.cut_at_edges(node, is_inside, coverage.area());
        let around = coverage_around(node, container, coverage, direction);
        let free = around.free_percent(bounds);
        let is_covered = free == 0 || free < 100 && f64::from(free) < self.options.visible;
        let is_cut = sides.any() || is_covered && self.options.visible > 0.0;
        if is_covered
            && is_inside
            && let Some(area) = free_area(coverage, direction)
        {
            let under = beyond(along(bounds, direction), along(area, direction));
            sides.low |= under.low;
            sides.high |= under.high;
        }
        HiddenParts { sides, is_cut }
    }

    /// Returns the sides along the direction on which an edge may hide more of the element; none without a
    /// requested part. Counts the edges of the container, or of the element's own if it is in another one. At
    /// an end of the content nothing is hidden. An end is one only on a container that drags have moved.
    fn cut_at_edges(&self, node: Node<'_>, is_inside: bool, area: Rect) -> Sides {
        if self.options.visible <= 0.0 {
            return Sides::default();
        }
        let direction = self.options.direction;
        let span = along(node.bounds(), direction);
        if is_inside {
            let hidden = hidden_sides(span, along(area, direction), self.options.visible);
            return Sides {
                low: hidden.low && !(self.ends.low && self.has_moved),
                high: hidden.high && !(self.ends.high && self.has_moved),
            };
        }
        let own = node.ancestors().find(|it| moves(*it, direction));
        let part = own.and_then(Node::part_on_display);
        part.map_or_else(Sides::default, |part| {
            hidden_sides(span, along(part, direction), self.options.visible)
        })
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

    /// Describes the part of the element that is shown in the end, by the largest size at which it was seen.
    /// On a device that tells only shown parts, the element may be still larger. If it is covered, says by
    /// what.
    pub(super) fn shown_part(&self, node: Node<'_>, seen: &SeenContainer) -> String {
        let direction = self.options.direction;
        let around = coverage_around(node, seen.container, &seen.coverage, direction);
        let (bounds, area) = (node.bounds(), around.area());
        let free = around.free_percent(bounds);
        if f64::from(free) < self.options.visible
            && let Some(by) = around.cover_of(bounds)
        {
            let by = describe_cover(node.screen(), by);
            return format!("{free} % of it, since {by} lies above");
        }
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
