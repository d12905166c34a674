//! Scrolling until an element is there.
//!
//! The direction is the content's: "down" reveals what is below, so the finger moves up. A drag that rests before it
//! leaves moves the content by just its distance, so nothing is skipped as a fling would.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::act::ancestor_or_self;
use super::hint::{misses, unseen};
use super::history::same_rows;
use super::short_ids;
use super::{EngineError, InputGuard, Session};
use runner_device::{Direction, Gesture, Input};
use runner_screen::selector::Purpose;
use runner_screen::{Node, NodeIndex, Point, Rect, Screen, Selector};

/// Part of the container by which its content is moved.
const STEP_PERCENT: u32 = 60;
/// Time for one drag.
const DRAG: Duration = Duration::from_millis(400);
/// How often `scroll_to_id` moves the content at most.
const SCROLLS_TO_ID: u32 = 5;

/// How to scroll to an element.
#[derive(Debug, Clone, Copy)]
pub struct ScrollOptions<'a> {
    /// The container; else the largest that scrolls, else the whole display.
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
        // Held to the end: a touch by another call would stop the content in its movement.
        let turn = self.lock_input().await;
        let mut before: Option<Arc<Screen>> = None;
        let mut scrolls = 0;
        loop {
            self.clock.begin_round();
            let screen = self.look().await?;
            match selector.find(&screen).as_slice() {
                [] => {}
                [node] => {
                    let node = *node;
                    let reached = |screen| ScrollTo {
                        screen,
                        node,
                        scrolls,
                    };
                    let (container, area) = container(&screen, options.within)?;
                    let left = left_to_move(screen.node(node).bounds(), area, &options);
                    let stays = before
                        .as_ref()
                        .is_some_and(|before| !moved(before, &screen, container));
                    // At the end of the content an element comes no nearer to the middle.
                    if left == 0 || stays || scrolls == options.max {
                        return Ok(reached(screen));
                    }
                    turn.send(&[Input::Drag(shift(options.direction, area, left))])
                        .await?;
                    scrolls += 1;
                    before = Some(screen);
                    continue;
                }
                // The same rules as everywhere: it says which elements match.
                _ => {
                    let (screen, node) = self.find(selector, Duration::ZERO).await?;
                    return Ok(ScrollTo {
                        screen,
                        node,
                        scrolls,
                    });
                }
            }
            let (container, area) = container(&screen, options.within)?;
            let ended = before
                .as_ref()
                .is_some_and(|before| !moved(before, &screen, container));
            if ended || scrolls == options.max {
                return Err(EngineError::NotScrolledTo {
                    element: selector.to_string(),
                    direction: options.direction.word(),
                    scrolls,
                    ended,
                    unseen: unseen(selector, Some(&screen)),
                    misses: misses(selector, Some(&screen), Purpose::Action),
                });
            }
            drag(&turn, options.direction, area).await?;
            scrolls += 1;
            before = Some(screen);
        }
    }

    /// Scrolls the nearest scrollable ancestor of an element seen in this session until the element is on the screen:
    /// towards it where its place is known, else down; the other way once an end is reached.
    pub async fn scroll_to_id(&self, id: &str) -> Result<ScrollTo, EngineError> {
        let turn = self.lock_input().await;
        let earlier = self.observed(id);
        let mut screen = self.look().await?;
        let Some((old_screen, old_index)) = earlier.or_else(|| self.observed(id)) else {
            return Err(self.no_such(id));
        };
        let old = old_screen.node(old_index);
        let again = |screen: &Screen| match short_ids::number(id) {
            Some(_) => self.on_screen(id, screen),
            None => self.find_again(&old_screen, old_index, screen),
        };
        if let Some(node) = on_display(again(&screen), &screen) {
            return Ok(ScrollTo {
                screen,
                node,
                scrolls: 0,
            });
        }
        let no_container = || EngineError::NoScrollable {
            element: id.to_owned(),
        };
        let old_container = old
            .parent()
            .and_then(|parent| ancestor_or_self(parent, |node| node.flags().scrollable))
            .ok_or_else(no_container)?;
        let mut direction = first_direction(self, old, old_container, &screen);
        let mut turned = false;
        for scrolls in 1..=SCROLLS_TO_ID {
            let container = self
                .find_again(&old_screen, old_container.index(), &screen)
                .ok_or_else(no_container)?;
            let node = screen.node(container);
            let area = node.part_on_display().ok_or_else(no_container)?;
            self.clock.begin_round();
            drag(&turn, direction, area).await?;
            let now = self.look().await?;
            if let Some(node) = on_display(again(&now), &now) {
                return Ok(ScrollTo {
                    screen: now,
                    node,
                    scrolls,
                });
            }
            if !moved(&screen, &now, Some(container)) {
                if turned {
                    break;
                }
                direction = direction.opposite();
                turned = true;
            }
            screen = now;
        }
        Err(EngineError::NotScrolledTo {
            element: id.to_owned(),
            direction: direction.word(),
            scrolls: SCROLLS_TO_ID,
            ended: turned,
            unseen: Vec::new(),
            misses: Vec::new(),
        })
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
        // Devices tell the part of an element that is shown: at the edge there may be more of it.
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

async fn drag(turn: &InputGuard<'_>, direction: Direction, area: Rect) -> Result<(), EngineError> {
    let gesture = direction.gesture(area, STEP_PERCENT, DRAG);
    turn.send(&[Input::Drag(gesture)]).await
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

/// The container that is scrolled, and its visible part. Without one the whole display.
fn container(
    screen: &Screen,
    within: Option<&Selector>,
) -> Result<(Option<NodeIndex>, Rect), EngineError> {
    if let Some(selector) = within {
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
    let largest = screen
        .nodes()
        .filter(|node| node.flags().scrollable)
        .filter_map(|node| node.part_on_display().map(|part| (node.index(), part)))
        .max_by_key(|(_, part)| part.area());
    Ok(match largest {
        Some((index, area)) => (Some(index), area),
        None => (None, screen.display().bounds()),
    })
}

/// Whether anything moved between two looks: in the container where it is still the same node, else anywhere.
fn moved(before: &Screen, now: &Screen, container: Option<NodeIndex>) -> bool {
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
