//! Scrolling until an element is there again that was seen before.

use std::collections::HashMap;
use std::sync::Arc;

use super::scroll::{ScrollTo, drag, moved};
use super::scrolling::{Course, Look, Seek, SeekState, seek};
use super::short_ids;
use super::{EngineError, InputGuard, Session};
use runner_device::Direction;
use runner_screen::{Node, NodeIndex, Rect, Screen};

/// How often `scroll_to_id` moves the content at most.
const SCROLLS_TO_ID: u32 = 5;

impl Session {
    /// Scrolls the nearest scrollable ancestor of an element seen in this session until the element is on the screen:
    /// towards it where its place is known, else down; the other way once an end is reached.
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
        };
        let first = seeker.sight();
        let direction = match (&first, container) {
            (SeekState::Missing, Some(node)) => first_direction(self, old, node, &seeker.screen),
            _ => Direction::default(),
        };
        let course = Course {
            direction,
            turns: true,
            max: SCROLLS_TO_ID,
        };
        let sought = seek(&mut seeker, first, course).await?;
        match sought.found {
            Some(node) => Ok(ScrollTo {
                screen: seeker.screen,
                node,
                scrolls: sought.scrolls,
            }),
            None => Err(EngineError::NotScrolledTo {
                element: id.to_owned(),
                direction: sought.direction.word(),
                scrolls: SCROLLS_TO_ID,
                ended: sought.turned,
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
    /// What held it then, and scrolls.
    container: Option<Node<'a>>,
    /// The last look.
    screen: Arc<Screen>,
}

impl IdSeek<'_> {
    fn again(&self, old: Node<'_>) -> Option<NodeIndex> {
        let session = self.session;
        session.find_again(old.screen(), old.index(), &self.screen)
    }

    fn sight(&self) -> SeekState<NodeIndex> {
        let again = match short_ids::number(self.id) {
            Some(_) => self.session.on_screen(self.id, &self.screen),
            None => self.again(self.old),
        };
        on_display(again, &self.screen).map_or(SeekState::Missing, SeekState::Reached)
    }
}

impl Seek for IdSeek<'_> {
    type Found = NodeIndex;
    type Error = EngineError;

    async fn scroll(&mut self, to: Direction) -> Result<Option<Look<NodeIndex>>, EngineError> {
        let container = self.container.and_then(|old| self.again(old));
        let area = container.and_then(|index| self.screen.node(index).part_on_display());
        let area = area.ok_or_else(|| EngineError::NoScrollable {
            element: self.id.to_owned(),
        })?;
        self.session.clock.begin_round();
        drag(&self.turn, to, area).await?;
        let before = std::mem::replace(&mut self.screen, self.session.look().await?);
        Ok(Some(Look {
            sight: self.sight(),
            moved: moved(&before, &self.screen, container),
        }))
    }
}

/// The element, where enough of it is on the display.
fn on_display(found: Option<NodeIndex>, screen: &Screen) -> Option<NodeIndex> {
    found
        .filter(|index| screen.node(*index).is_on_screen())
        .filter(|index| {
            let part = screen.node(*index).part_on_display();
            part.is_some_and(|part| part.height() > 1)
        })
}

/// Which way an element lies from its container's visible part; down, or right in what scrolls sideways, where unknown.
fn first_direction(
    session: &Session,
    old: Node<'_>,
    old_container: Node<'_>,
    screen: &Screen,
) -> Direction {
    let place = session
        .find_again(old.screen(), old.index(), screen)
        .map(|index| screen.node(index).bounds());
    let place = place.or_else(|| moved_along(session, old, old_container, screen));
    let area = old_container.bounds();
    match place {
        Some(place) if place.bottom <= area.top => Direction::Up,
        Some(place) if place.top >= area.bottom => Direction::Down,
        Some(place) if place.right <= area.left => Direction::Left,
        Some(place) if place.left >= area.right => Direction::Right,
        _ if old_container.class().contains("Horizontal") => Direction::Right,
        _ => Direction::Down,
    }
}

/// Where an element that is not shown would be: it moved as its neighbours did that are still there.
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
        // A size that changed is an element cut off at the edge: its place says little.
        if (was.width(), was.height()) == (is.width(), is.height()) {
            *ways
                .entry((is.left - was.left, is.top - was.top))
                .or_default() += 1;
        }
    }
    // The way itself breaks a tie, so that every run decides alike: the map has no order.
    let ((across, down), _) = ways.into_iter().max_by_key(|(way, count)| (*count, *way))?;
    let place = old.bounds();
    Some(Rect {
        left: place.left + across,
        top: place.top + down,
        right: place.right + across,
        bottom: place.bottom + down,
    })
}
