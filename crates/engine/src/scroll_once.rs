//! A single scroll of the screen, with its effect.

use std::time::Duration;

use super::history::same_rows;
use super::scroller::{clicked, front_area, main_scroller, stroke};
use super::shown_part::free_area;
use super::{EngineError, Session};
use runner_device::{Direction, Input};
use runner_screen::Node;

/// Duration of the swipe. Chosen: as a person's; much less would fling far.
const SWIPE: Duration = Duration::from_millis(300);

/// Effect of a scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScrollEffect {
    /// The screen changed.
    Moved,
    /// The screen stayed the same, or no swipe was made.
    Nothing,
    /// The screen could not be read before or after the scroll.
    Unknown,
}

impl Session {
    /// Swipes once by `percent` of the display, less if there is no room, and looks whether anything changed. The
    /// finger begins where nothing covers the main container that scrolls in that direction (the largest of the focused
    /// window, else of any), or else in the focused window. Sends nothing, with the result `Nothing`, if all of the
    /// container is covered or the swipe would click an element. `Unknown` if the screen cannot be read before or
    /// after; the swipe is made nevertheless. Takes the input lock, and fails if the device is unreachable or refuses
    /// the input.
    pub async fn scroll_once(
        &self,
        direction: Direction,
        percent: u32,
    ) -> Result<ScrollEffect, EngineError> {
        let turn = self.lock_input().await;
        let before = readable(self.rested_or_new_look().await)?;
        let display = match &before {
            Some(screen) => screen.display().bounds(),
            None => self.display().await?.bounds(),
        };
        let free = before.as_ref().map_or(Some(display), |screen| {
            let scroller = main_scroller(screen, direction);
            let coverage = scroller.and_then(Node::coverage);
            coverage.map_or_else(|| Some(front_area(screen)), |it| free_area(&it, direction))
        });
        let Some(area) = free else {
            return Ok(ScrollEffect::Nothing);
        };
        let axis = match direction {
            Direction::Up | Direction::Down => display.height(),
            Direction::Left | Direction::Right => display.width(),
        };
        let length = (u64::from(axis) * u64::from(percent) / 100) as u32;
        let gesture = stroke(direction, area, length, display, SWIPE);
        if let Some(screen) = &before
            && clicked(screen, direction, gesture).is_some()
        {
            return Ok(ScrollEffect::Nothing);
        }
        turn.send(&[Input::Swipe(gesture)]).await?;
        let Some(before) = before else {
            return Ok(ScrollEffect::Unknown);
        };
        Ok(match readable(self.look().await)? {
            None => ScrollEffect::Unknown,
            Some(after) if same_rows(&before, &after) => ScrollEffect::Nothing,
            Some(_) => ScrollEffect::Moved,
        })
    }
}

/// Converts a screen that cannot be read now into `None`. Only an unreachable device stays an error.
pub(super) fn readable<T>(look: Result<T, EngineError>) -> Result<Option<T>, EngineError> {
    match look {
        Ok(screen) => Ok(Some(screen)),
        Err(error) if error.is_unreachable() => Err(error),
        Err(_) => Ok(None),
    }
}
