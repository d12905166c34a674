//! The session's own scrolls, and the inputs that undo them.

use std::time::Duration;

use super::scroller::stroke;
use super::shown_part::least_way;
use runner_device::{Direction, Gesture, Input};
use runner_screen::Rect;

/// A scroll of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OwnScroll {
    /// Side from which content came into view.
    pub(super) direction: Direction,
    /// Length of the finger's path in pixels.
    length: u32,
    duration: Duration,
    flings: bool,
}

impl OwnScroll {
    /// Derives the scroll from an input. `None` unless it is a swipe or drag that began inside the container and went
    /// along its axis (horizontal if `sideways`), at least 5 % of its length: a shorter one may have been a touch, and
    /// so may its opposite. The direction is the content's, opposite to the finger's. A swipe counts as a fling, a drag
    /// does not.
    pub(super) fn new(input: &Input, area: Rect, sideways: bool) -> Option<Self> {
        let (Input::Swipe(gesture) | Input::Drag(gesture)) = input else {
            return None;
        };
        let Gesture { from, to, duration } = *gesture;
        let (across, down) = (to.x - from.x, to.y - from.y);
        let is_along = (across.abs() > down.abs()) == sideways;
        let length = across.abs().max(down.abs());
        let room = if sideways {
            area.right - area.left
        } else {
            area.bottom - area.top
        };
        if !is_along || !area.contains(from) || length < least_way(room) {
            return None;
        }
        let direction = match (sideways, across > 0, down > 0) {
            (true, true, _) => Direction::Left,
            (true, false, _) => Direction::Right,
            (false, _, true) => Direction::Up,
            (false, _, false) => Direction::Down,
        };
        Some(Self {
            direction,
            length: length.unsigned_abs(),
            duration,
            flings: matches!(input, Input::Swipe(_)),
        })
    }

    /// Returns the input for the opposite scroll, in the container's present area, of the same kind, length
    /// and duration. It is shorter if the area has less room.
    pub(super) fn undo(self, area: Rect, display: Rect) -> Input {
        let back = self.direction.opposite();
        let gesture = stroke(back, area, self.length, display, self.duration);
        if self.flings {
            Input::Swipe(gesture)
        } else {
            Input::Drag(gesture)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_screen::Point;

    const DISPLAY: Rect = Rect::new(0, 0, 1080, 2400);
    const LIST: Rect = Rect::new(0, 400, 1080, 2000);

    fn swipe(from: (i32, i32), to: (i32, i32)) -> Input {
        let at = |(x, y)| Point { x, y };
        Input::Swipe(Gesture {
            from: at(from),
            to: at(to),
            duration: Duration::from_millis(300),
        })
    }

    #[test]
    fn undoing_twice_is_the_scroll_itself() {
        for (from, to) in [((540, 1600), (540, 800)), ((500, 700), (560, 1500))] {
            let input = swipe(from, to);
            let scroll = OwnScroll::new(&input, LIST, false).expect("a scroll");
            let back = scroll.undo(LIST, DISPLAY);
            let undone = OwnScroll::new(&back, LIST, false).expect("a scroll");
            assert_eq!(undone.direction, scroll.direction.opposite());
            assert_eq!((undone.length, undone.flings), (800, true));
        }
    }

    #[test]
    fn a_gesture_beside_the_container_or_across_it_is_no_scroll_of_it() {
        for (input, sideways) in [
            (swipe((540, 300), (540, 1500)), false),
            (swipe((900, 1200), (100, 1250)), false),
            (swipe((540, 1600), (540, 800)), true),
            (Input::Tap(Point { x: 540, y: 900 }), false),
            // Its opposite would be a touch.
            (swipe((540, 1600), (540, 1600)), false),
            (swipe((540, 1600), (540, 1521)), false),
            (swipe((540, 1600), (580, 1600)), true),
        ] {
            assert_eq!(OwnScroll::new(&input, LIST, sideways), None, "{input:?}");
        }
    }
}
