//! Effects that come after a finger has left: a click arrives some time later, and content that was flung moves on.
//!
//! A key, or a touch at a place, that comes before the click overtakes it. A touch on content that moves only stops it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use runner_device::{Clock, ClockTime, Input, fling};

/// The time in which a click arrives: AOSP's `ViewConfiguration.PRESSED_STATE_DURATION`, 64 ms, and two frames.
const CLICK_TIME: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy)]
enum Effect {
    Click,
    /// Content that moves on for so long.
    Fling(Duration),
}

/// The effect of what was sent last, and since when.
#[derive(Debug, Default)]
pub(super) struct LateEffects {
    last: Mutex<Option<(Effect, ClockTime)>>,
    /// When the last input of any kind was sent.
    sent: Mutex<Option<ClockTime>>,
}

impl LateEffects {
    /// Returns the pause to send before these inputs, if they would come before the last effect has ended.
    pub fn pause(&self, clock: &Clock, inputs: &[Input]) -> Option<Input> {
        let first = inputs
            .iter()
            .find(|input| !matches!(input, Input::Pause(_)))?;
        let (effect, since) = self.last()?;
        let time = match effect {
            Effect::Click => CLICK_TIME,
            Effect::Fling(time) if is_touch(first) => time,
            // A key is for what has the focus, and a further swipe goes on with the movement.
            Effect::Fling(_) => return None,
        };
        let left = time.saturating_sub(clock.since(since));
        (!left.is_zero()).then_some(Input::Pause(left))
    }

    /// Returns the time until flung content rests.
    pub fn time_to_rest(&self, clock: &Clock) -> Duration {
        match self.last() {
            Some((Effect::Fling(time), since)) => time.saturating_sub(clock.since(since)),
            _ => Duration::ZERO,
        }
    }

    /// Returns when the last input was sent.
    pub fn sent(&self) -> Option<ClockTime> {
        *self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what was sent. `density` is the display's, in dots an inch.
    pub fn note(&self, clock: &Clock, inputs: &[Input], density: u32, sdk: u32) {
        *self.sent.lock().unwrap_or_else(PoisonError::into_inner) = Some(clock.now());
        let effect = match inputs.last() {
            Some(Input::Tap(_) | Input::DoubleTap(_)) => Some(Effect::Click),
            Some(Input::Swipe(gesture)) => Some(Effect::Fling(fling::time(gesture, density))),
            Some(Input::Drag(gesture)) => fling::drag_as_swipe(gesture, sdk)
                .map(|swipe| Effect::Fling(fling::time(&swipe, density))),
            Some(Input::LongPress(..) | Input::Fingers { .. }) => None,
            // Keys do not stop a fling, and a pause does nothing.
            _ => return,
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = effect.map(|effect| (effect, clock.now()));
    }

    fn last(&self) -> Option<(Effect, ClockTime)> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_touch(input: &Input) -> bool {
    matches!(
        input,
        Input::Tap(_) | Input::DoubleTap(_) | Input::LongPress(..) | Input::Drag(_)
    )
}
