//! Taps that are sent beside each other, as the two of a double tap by two `input` at once.
//!
//! If the first opens a screen, its window is not there yet when the second comes: an activity takes a phone more than
//! the time of a double tap until it takes touches. The second then goes to the window that is left.

use std::time::Duration;

use super::{DOUBLE_TAP, DOUBLE_TAP_SLOP, FrontScreen};
use crate::Touch;
use crate::apps::phone::VirtualPhone;
use runner_screen::Point;

/// A gesture beside which others are sent.
pub(super) struct FirstTap {
    at: Point,
    ended: Duration,
    /// The screen on which it began, with its activity.
    front: Option<(FrontScreen, String)>,
}

impl VirtualPhone {
    /// Performs gestures as [`Self::take_fingers`] does, and expects others beside them.
    pub(in super::super) fn take_fingers_beside(&mut self, fingers: &[Touch]) {
        let front = self.front_activity();
        self.take_fingers(fingers);
        let ended = self.clock.now();
        self.touches.beside = start(fingers).map(|at| FirstTap { at, ended, front });
    }

    /// Returns true if these come beside a gesture that has opened or left a screen, at its place and within
    /// [`DOUBLE_TAP`]. Only the first gestures after it are judged.
    pub(super) fn is_for_last_screen(&mut self, fingers: &[Touch]) -> bool {
        let Some((first, at)) = self.touches.beside.take().zip(start(fingers)) else {
            return false;
        };
        let slop = (DOUBLE_TAP_SLOP * self.settings.metrics().scale) as u32;
        let distance = at.x.abs_diff(first.at.x).max(at.y.abs_diff(first.at.y));
        let since = self.clock.now().saturating_sub(first.ended);
        since <= DOUBLE_TAP && distance < slop && self.front_activity() != first.front
    }

    /// Returns the screen in front with its activity, as a screen may take the place of another. `None` at home.
    fn front_activity(&self) -> Option<(FrontScreen, String)> {
        let (_, screen) = self.tasks.front()?;
        Some((self.front_screen()?, screen.activity.clone()))
    }
}

/// Returns the point where the first finger comes down.
fn start(fingers: &[Touch]) -> Option<Point> {
    let (at, _) = fingers.first()?.path.first()?;
    Some(*at)
}
