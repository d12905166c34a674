//! Effects that continue after a finger has left: a click arrives some time later, and flung content moves
//! on.
//!
//! A key or touch sent before the click arrives overtakes it. A touch on moving content only stops it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use runner_device::{Clock, ClockTime, Input, fling};

/// Time until a click arrives: AOSP's `ViewConfiguration.PRESSED_STATE_DURATION`, 64 ms, and two frames.
const CLICK_TIME: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy)]
enum Effect {
    Click,
    /// Content that moves on for this long.
    Fling(Duration),
}

/// Effect of the last input, with its time.
#[derive(Debug, Default)]
pub(super) struct LateEffects {
    last: Mutex<Option<(Effect, ClockTime)>>,
    /// Device time of the last inputs, mere pauses too.
    last_input: Mutex<Option<ClockTime>>,
}

impl LateEffects {
    /// Returns the pause to insert before these inputs, if they would otherwise come before the last effect
    /// has ended. After a click every input waits, up to 100 ms; after a fling only touches do, and keys that leave the
    /// app, which would stop it where it is. `None` if the inputs are only pauses, or no effect is going on.
    pub fn pause(&self, clock: &Clock, inputs: &[Input]) -> Option<Input> {
        let first = inputs
            .iter()
            .find(|input| !matches!(input, Input::Pause(_)))?;
        let (effect, since) = self.last()?;
        let time = match effect {
            Effect::Click => CLICK_TIME,
            Effect::Fling(time) if is_touch(first) || leaves_app(first) => time,
            // Any other key is for what has the focus, and a further swipe goes on with the movement.
            Effect::Fling(_) => return None,
        };
        let left = time.saturating_sub(clock.since(since));
        (!left.is_zero()).then_some(Input::Pause(left))
    }

    /// Returns the remaining time until flung content rests; zero if nothing was flung, or something else was done
    /// since.
    pub fn time_to_rest(&self, clock: &Clock) -> Duration {
        match self.last() {
            Some((Effect::Fling(time), since)) => time.saturating_sub(clock.since(since)),
            _ => Duration::ZERO,
        }
    }

    /// Returns the remaining time until a click arrives; zero if the last touch was none.
    pub fn time_to_click(&self, clock: &Clock) -> Duration {
        match self.last() {
            Some((Effect::Click, since)) => CLICK_TIME.saturating_sub(clock.since(since)),
            _ => Duration::ZERO,
        }
    }

    /// Returns the device time of the last inputs, mere pauses too. `None` before the first.
    pub fn sent(&self) -> Option<ClockTime> {
        *self
            .last_input
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Records sent inputs and their time, of which only the last has an effect to wait for: a tap or a long press
    /// begins a click; a swipe, and before API level 30 also a drag, begins a fling. Other drags and gestures of
    /// several fingers end earlier effects; keys, texts and pauses leave them. `density` is the display's, in dots per
    /// inch.
    pub fn note(&self, clock: &Clock, inputs: &[Input], density: u32, sdk: u32) {
        *self
            .last_input
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(clock.now());
        let effect = match inputs.last() {
            // A long press that nothing handles is a click, on a row of a list too (AOSP, `AbsListView.onTouchUp`).
            Some(Input::Tap(_) | Input::DoubleTap(_) | Input::LongPress(..)) => Some(Effect::Click),
            Some(Input::Swipe(gesture)) if gesture.from == gesture.to => Some(Effect::Click),
            Some(Input::Swipe(gesture)) => Some(Effect::Fling(fling::time(gesture, density))),
            Some(Input::Drag(gesture)) => fling::drag_as_swipe(gesture, sdk)
                .map(|swipe| Effect::Fling(fling::time(&swipe, density))),
            Some(Input::Fingers { .. }) => None,
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

/// Returns true for inputs with one finger that do not fling: taps, long presses and drags.
fn is_touch(input: &Input) -> bool {
    matches!(
        input,
        Input::Tap(_) | Input::DoubleTap(_) | Input::LongPress(..) | Input::Drag(_)
    )
}

/// Returns true for keys that bring another app to the front: HOME and the key of the recent apps.
fn leaves_app(input: &Input) -> bool {
    matches!(input, Input::Key { key, .. } if ["HOME", "3", "APP_SWITCH", "187"].contains(&key.name()))
}
