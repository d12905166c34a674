//! Turns paths of fingers into a stream of pointer events, ordered by time.

use std::time::Duration;

use super::protocol::{Pointer, PointerAction, PointerEvent};
use crate::Touch;
use runner_screen::Point;

/// Event of one finger. Events at the same time are sent in the order of the variants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    Down,
    Move,
    Up,
}

impl Pointer {
    /// Returns the pixel under the finger: fractions are cut off, towards zero.
    pub fn place(&self) -> Point {
        Point {
            x: self.x as i32,
            y: self.y as i32,
        }
    }
}

/// Most points of a path. Chosen: a client may send any number.
const MAX_POINTS: usize = 12_000;

/// Path of a touch whose events come one by one. Only the first pointer of each event counts.
#[derive(Debug, Default)]
pub(crate) struct FingerPath {
    points: Vec<(Point, Duration)>,
}

impl FingerPath {
    /// Adds a place of the event's first pointer at time `now`. A touch-down forgets what came before; an event without
    /// pointers is ignored. Returns the whole touch once the last finger leaves, with times from its first event. After
    /// [`MAX_POINTS`] events all are dropped but the one that ends the touch.
    pub fn take(&mut self, event: &PointerEvent, now: Duration) -> Option<Touch> {
        let place = event.pointers.first()?.place();
        if event.action == PointerAction::Down {
            self.points.clear();
        }
        let is_last = event.action == PointerAction::Up;
        if is_last || self.points.len() < MAX_POINTS {
            self.points.push((place, now));
        }
        if !is_last {
            return None;
        }
        let points = std::mem::take(&mut self.points);
        let begin = points.first().map_or(now, |(_, at)| *at);
        let path = points.into_iter();
        let path = path.map(|(point, at)| (point, at.saturating_sub(begin)));
        Some(Touch {
            path: path.collect(),
        })
    }
}

impl PointerEvent {
    /// Returns an event of a single finger, with id 0, at time 0.
    pub fn single(action: PointerAction, at: Point) -> Self {
        Self {
            t: 0,
            action,
            index: 0,
            pointers: vec![Pointer {
                id: 0,
                x: at.x as f32,
                y: at.y as f32,
            }],
        }
    }

    /// Returns the events of fingers in the order of their times, which count from the first touch-down. The first
    /// point of each path is where the finger comes down, the last one where it leaves; a single point is both. At the
    /// same time fingers come down before others move, and leave last. An empty path gives no event.
    pub fn stream(fingers: &[Touch]) -> Vec<Self> {
        let mut acts: Vec<(Duration, usize, Act, Point)> = Vec::new();
        for (id, touch) in fingers.iter().enumerate() {
            let last = touch.path.len().saturating_sub(1);
            for (step, (point, at)) in touch.path.iter().enumerate() {
                let act = match step {
                    0 => Act::Down,
                    step if step == last => Act::Up,
                    _ => Act::Move,
                };
                acts.push((*at, id, act, *point));
            }
            // A path of one point is a finger that comes and goes.
            if let ([(point, at)], true) = (touch.path.as_slice(), last == 0) {
                acts.push((*at, id, Act::Up, *point));
            }
        }
        acts.sort_by_key(|(at, id, act, _)| (*at, *act, *id));
        let mut down: Vec<(usize, Point)> = Vec::new();
        let mut events = Vec::new();
        for (at, id, act, point) in acts {
            take(&mut events, &mut down, at, id, act, point);
        }
        events
    }
}

/// Appends the event of one act, and keeps the list of fingers that are down. Moves at the same time become one
/// event.
fn take(
    events: &mut Vec<PointerEvent>,
    down: &mut Vec<(usize, Point)>,
    at: Duration,
    id: usize,
    act: Act,
    point: Point,
) {
    match down.iter_mut().find(|(known, _)| *known == id) {
        Some((_, place)) => *place = point,
        None => down.push((id, point)),
    }
    let index = down
        .iter()
        .position(|(known, _)| *known == id)
        .unwrap_or_default();
    let is_only = down.len() == 1;
    let action = match act {
        Act::Down if is_only => PointerAction::Down,
        Act::Down => PointerAction::PointerDown,
        Act::Move => PointerAction::Move,
        Act::Up if is_only => PointerAction::Up,
        Act::Up => PointerAction::PointerUp,
    };
    let pointers = down
        .iter()
        .map(|(id, point)| Pointer {
            id: *id as u32,
            x: point.x as f32,
            y: point.y as f32,
        })
        .collect();
    let t = at.as_millis() as u64;
    let index = if action == PointerAction::Move {
        0
    } else {
        index
    };
    // Fingers that move at the same time are one event.
    if let (PointerAction::Move, Some(last)) = (action, events.last_mut())
        && last.action == PointerAction::Move
        && last.t == t
    {
        last.pointers = pointers;
    } else {
        events.push(PointerEvent {
            t,
            action,
            index,
            pointers,
        });
    }
    if act == Act::Up {
        down.retain(|(known, _)| *known != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finger(points: &[(i32, u64)]) -> Touch {
        let path = points
            .iter()
            .map(|(x, at)| (Point { x: *x, y: 0 }, Duration::from_millis(*at)))
            .collect();
        Touch { path }
    }

    fn actions(fingers: &[Touch]) -> Vec<(u64, PointerAction, usize, usize)> {
        PointerEvent::stream(fingers)
            .iter()
            .map(|event| (event.t, event.action, event.index, event.pointers.len()))
            .collect()
    }

    #[test]
    fn one_finger_comes_moves_and_goes() {
        assert_eq!(
            actions(&[finger(&[(1, 0), (5, 16), (9, 32)])]),
            [
                (0, PointerAction::Down, 0, 1),
                (16, PointerAction::Move, 0, 1),
                (32, PointerAction::Up, 0, 1)
            ]
        );
        assert_eq!(
            actions(&[finger(&[(1, 0)])]),
            [(0, PointerAction::Down, 0, 1), (0, PointerAction::Up, 0, 1)]
        );
    }

    #[test]
    fn two_fingers_are_one_stream() {
        let fingers = [
            finger(&[(1, 0), (5, 16), (9, 32)]),
            finger(&[(99, 0), (95, 16), (90, 40)]),
        ];
        assert_eq!(
            actions(&fingers),
            [
                (0, PointerAction::Down, 0, 1),
                (0, PointerAction::PointerDown, 1, 2),
                (16, PointerAction::Move, 0, 2),
                (32, PointerAction::PointerUp, 0, 2),
                (40, PointerAction::Up, 0, 1)
            ]
        );
    }
}
