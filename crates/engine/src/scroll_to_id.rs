//! Scrolls to an element that was seen before.

use std::collections::HashMap;
use std::sync::Arc;

use super::container_scroll::moved;
use super::describe::describe;
use super::identity;
use super::missing_element::SearchGaps;
use super::retrace::OwnScroll;
use super::scroll::{ScrollTo, drag, free_part};
use super::scroller::moves;
use super::scrolling::{Course, Look, Seek, SeekState, Turn, seek};
use super::short_ids;
use super::{EngineError, InputGuard, Session};
use runner_device::Direction;
use runner_screen::{Node, NodeIndex, Rect, Screen};

/// Limit for scrolls to an element, not counting those that undo earlier scrolls. Chosen: further away, an
/// agent should search by selector.
const MAX_SCROLLS: u32 = 5;
/// Limit for the session's own scrolls that are undone. Chosen: each takes a look.
const MAX_UNDONE_SCROLLS: usize = 16;
/// Number of scrolls before trying the other direction, if nothing tells the right one. Chosen: less than
/// half of the limit.
const SCROLLS_BEFORE_TURN: u32 = 2;

impl Session {
    /// Scrolls the nearest scrollable ancestor of an element seen in this session until the element is on the
    /// screen. First undoes the session's own scrolls (at most 16), then goes towards where its neighbours
    /// went, else in both directions, downwards or to the right first. No drag is made where it would click.
    /// Errors: the id is unknown, its container is gone, or the search ended without it. Holds the input
    /// lock.
    pub async fn scroll_to_id(&self, id: &str) -> Result<ScrollTo, EngineError> {
        let turn = self.lock_input().await;
        let earlier = self.observed(id);
        let screen = self.look().await?;
        let Some((old_screen, old_index)) = earlier.or_else(|| self.observed(id)) else {
            return Err(self.no_such(id));
        };
        let old = old_screen.node(old_index);
        let container = old.ancestors().find(|node| node.scrolls());
        let mut seeker = IdSeek {
            session: self,
            turn,
            id,
            old,
            container,
            screen,
            taker: None,
        };
        seeker.uncover().await?;
        let (first, scrolls, back) = seeker.retrace().await?;
        let course = seeker.course(back);
        let sought = seek(&mut seeker, first, course).await?;
        match sought.found {
            Some(node) => Ok(ScrollTo {
                screen: seeker.screen,
                node,
                scrolls: scrolls + sought.scrolls,
            }),
            None => Err(EngineError::NotScrolledTo {
                element: id.to_owned(),
                direction: sought.direction.word(),
                scrolls: scrolls + sought.scrolls,
                ended: sought.turned,
                unsearched: Box::new(SearchGaps {
                    taker: seeker.taker,
                    ..SearchGaps::default()
                }),
                unseen: Vec::new(),
                misses: Vec::new(),
            }),
        }
    }
}

/// Seeks an element that was seen before.
struct IdSeek<'a> {
    session: &'a Session,
    turn: InputGuard<'a>,
    id: &'a str,
    old: Node<'a>,
    /// Its scrollable ancestor at that time.
    container: Option<Node<'a>>,
    screen: Arc<Screen>,
    /// Description of the element that a drag would have clicked.
    taker: Option<String>,
}

impl IdSeek<'_> {
    fn again(&self, old: Node<'_>) -> Option<NodeIndex> {
        let session = self.session;
        session.find_again(old.screen(), old.index(), &self.screen)
    }

    /// Returns the element on the present screen; `None` if it is not found again or not visible.
    fn found(&self) -> Option<NodeIndex> {
        let again = match short_ids::number(self.id) {
            Some(_) => self.session.on_screen(self.id, &self.screen),
            None => identity::reach(self.old, &self.screen),
        };
        on_display(again, &self.screen)
    }

    /// Judges the present screen: reached if the element is found again and visible, else missing. Never near.
    fn sight(&self) -> SeekState<NodeIndex> {
        self.found().map_or(SeekState::Missing, SeekState::Reached)
    }
}

impl IdSeek<'_> {
    /// Returns the container on the present screen with the part that nothing covers.
    /// [`EngineError::NoScrollable`] if the element had none, or if it is not found again or not visible;
    /// [`EngineError::Covered`] if all of it is covered.
    fn area(&self) -> Result<(NodeIndex, Rect), EngineError> {
        let container = self
            .container
            .and_then(|old| self.again(old))
            .map(|index| self.screen.node(index))
            .filter(|node| node.part_on_display().is_some());
        let node = container.ok_or_else(|| EngineError::NoScrollable {
            element: self.id.to_owned(),
        })?;
        let direction = if moves(node, Direction::Down) {
            Direction::Down
        } else {
            Direction::Right
        };
        Ok((node.index(), free_part(node, direction, self.id)?))
    }

    /// Takes a look after the content was scrolled, which becomes the present screen. Tells whether the
    /// element is on it, and whether anything in the container moved since the look before.
    async fn look(&mut self, container: NodeIndex) -> Result<Look<NodeIndex>, EngineError> {
        let before = std::mem::replace(&mut self.screen, self.session.look().await?);
        // A dialog may have taken the scroll.
        let is_answered = self.uncover().await?;
        Ok(Look {
            sight: self.sight(),
            moved: is_answered || moved(&before, &self.screen, Some(container)),
        })
    }

    /// Answers dialogs by the project's rules while the element is not on the screen or below one, and looks again
    /// after each. Returns true if there was one. A dialog that stays is [`EngineError::DialogHides`].
    async fn uncover(&mut self) -> Result<bool, EngineError> {
        let session = self.session;
        let mut is_answered = false;
        while session
            .open_elements(&self.screen, self.found())
            .await?
            .is_none()
        {
            self.screen = session.look().await?;
            is_answered = true;
        }
        Ok(is_answered)
    }

    /// Returns the session's scrolls of the container since the last look that showed the element, newest
    /// first. Only swipes and drags count that began inside the container and went along its axis. Empty
    /// without a container.
    fn own_scrolls(&self) -> Vec<OwnScroll> {
        let Some(container) = self.container else {
            return Vec::new();
        };
        let (area, sideways) = (container.bounds(), !moves(container, Direction::Down));
        let shows = |screen: &Screen| {
            let again = self
                .session
                .find_again(self.old.screen(), self.old.index(), screen);
            on_display(again, screen).is_some()
        };
        let gestures = self.session.history().gestures_since(shows);
        let scrolls = gestures.iter().rev();
        scrolls
            .filter_map(|it| OwnScroll::new(it, area, sideways))
            .collect()
    }

    /// Undoes the session's own scrolls, newest first and at most 16, until the element is there. Looks after
    /// each. Returns the state of the search, the number of scrolls made, and the direction of the last one;
    /// no direction if none was made.
    async fn retrace(
        &mut self,
    ) -> Result<(SeekState<NodeIndex>, u32, Option<Direction>), EngineError> {
        let mut sight = self.sight();
        let (mut scrolls, mut back) = (0, None);
        if matches!(sight, SeekState::Reached(_)) {
            return Ok((sight, scrolls, back));
        }
        for scroll in self.own_scrolls().into_iter().take(MAX_UNDONE_SCROLLS) {
            let (container, area) = self.area()?;
            self.session.clock.begin_round();
            let input = scroll.undo(area, self.screen.display().bounds());
            self.turn.send(&[input]).await?;
            sight = self.look(container).await?.sight;
            scrolls += 1;
            back = Some(scroll.direction.opposite());
            if matches!(sight, SeekState::Reached(_)) {
                break;
            }
        }
        Ok((sight, scrolls, back))
    }

    /// Chooses direction, turning point and limit for the search after the way `back` failed. A known
    /// direction comes first, with a turn at the end of the content. Else it goes on opposite to `back` and
    /// turns after five scrolls. With neither it goes down or, if the content is sideways, right, and turns
    /// after two. The limit is five scrolls, or seven if there was a way back.
    fn course(&self, back: Option<Direction>) -> Course {
        let towards = self.container.and_then(|container| self.towards(container));
        let usual = match self.container {
            Some(container) if !moves(container, Direction::Down) => Direction::Right,
            _ => Direction::Down,
        };
        let (direction, turn, max) = match (towards, back) {
            (Some(towards), _) => (towards, Turn::AtEnd, MAX_SCROLLS),
            // An end of the content cut a scroll short, so it was undone too far: by less than a fling.
            (None, Some(back)) => {
                let (over, further) = (MAX_SCROLLS, SCROLLS_BEFORE_TURN);
                (back.opposite(), Turn::After(over), over + further)
            }
            (None, None) => (usual, Turn::After(SCROLLS_BEFORE_TURN), MAX_SCROLLS),
        };
        Course {
            direction,
            turn,
            max,
        }
    }

    /// Returns the direction in which the element lies outside the container's bounds, if its place or that
    /// of its neighbours tells. `None` if the place is unknown or overlaps the container. Up and down come
    /// before left and right.
    fn towards(&self, container: Node<'_>) -> Option<Direction> {
        let place = self
            .again(self.old)
            .map(|index| self.screen.node(index).bounds());
        let place =
            place.or_else(|| moved_along(self.session, self.old, container, &self.screen))?;
        let area = container.bounds();
        if place.bottom <= area.top {
            Some(Direction::Up)
        } else if place.top >= area.bottom {
            Some(Direction::Down)
        } else if place.right <= area.left {
            Some(Direction::Left)
        } else if place.left >= area.right {
            Some(Direction::Right)
        } else {
            None
        }
    }
}

impl Seek for IdSeek<'_> {
    type Found = NodeIndex;
    type Error = EngineError;

    /// Drags once in the container and looks. `None`, without a drag, if the finger would click an element. An error if
    /// the container is gone or covered. Begins a round, so each scroll has the step's whole limit.
    async fn scroll(&mut self, to: Direction) -> Result<Option<Look<NodeIndex>>, EngineError> {
        let (container, area) = self.area()?;
        self.session.clock.begin_round();
        let clicked = drag(&self.turn, to, area, &self.screen).await?;
        self.taker = clicked.map(describe);
        if self.taker.is_some() {
            return Ok(None);
        }
        self.look(container).await.map(Some)
    }
}

/// Returns the element if it is on the screen and its visible part is higher than one pixel, else `None`.
fn on_display(found: Option<NodeIndex>, screen: &Screen) -> Option<NodeIndex> {
    found
        .filter(|index| screen.node(*index).is_on_screen())
        .filter(|index| {
            let part = screen.node(*index).part_on_display();
            part.is_some_and(|part| part.height() > 1)
        })
}

/// Estimates the bounds of an element that is not shown, from the way most of its former neighbours moved.
/// Neighbours with words and unchanged size count; ties go to the way furthest right, then down. `None` if no
/// neighbour is found again.
fn moved_along(
    session: &Session,
    old: Node<'_>,
    old_container: Node<'_>,
    screen: &Screen,
) -> Option<Rect> {
    // Texts repeat in a list, so one neighbour may be taken for another: what most of them did counts.
    let mut ways: HashMap<(i32, i32), u32> = HashMap::new();
    let neighbours = old_container
        .descendants()
        .filter(|node| !node.text().is_empty() || !node.desc().is_empty());
    for neighbour in neighbours {
        let Some(index) = session.find_again(old.screen(), neighbour.index(), screen) else {
            continue;
        };
        let (was, is) = (neighbour.bounds(), screen.node(index).bounds());
        // An element with a changed size is cut off at the edge, so its place says little.
        if (was.width(), was.height()) == (is.width(), is.height()) {
            *ways
                .entry((is.left - was.left, is.top - was.top))
                .or_default() += 1;
        }
    }
    // Ties are broken by the distance itself, so that the result does not depend on the map's order.
    let ((across, down), _) = ways.into_iter().max_by_key(|(way, count)| (*count, *way))?;
    let place = old.bounds();
    Some(Rect {
        left: place.left + across,
        top: place.top + down,
        right: place.right + across,
        bottom: place.bottom + down,
    })
}
