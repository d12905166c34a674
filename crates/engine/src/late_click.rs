//! A click comes some time after its finger has left: a list shows its row pressed first. A key, or a touch at a place, that
//! comes meanwhile would overtake it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use runner_device::{Clock, ClockTime, Input};

/// The time in which a click arrives: AOSP's `ViewConfiguration.PRESSED_STATE_DURATION`, 64 ms, and two frames.
const CLICK_TIME: Duration = Duration::from_millis(100);

/// When a finger left last, unless something was sent since.
#[derive(Debug, Default)]
pub(super) struct LateClick {
    since: Mutex<Option<ClockTime>>,
}

impl LateClick {
    /// Returns the pause to send before these inputs, if the last click may not have arrived yet.
    pub fn pause(&self, clock: &Clock, inputs: &[Input]) -> Option<Input> {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = clock.since(since.take()?);
        let acts = inputs.iter().any(|input| !matches!(input, Input::Pause(_)));
        let left = CLICK_TIME.saturating_sub(passed);
        (acts && !left.is_zero()).then_some(Input::Pause(left))
    }

    /// Notes what was sent.
    pub fn note(&self, clock: &Clock, inputs: &[Input]) {
        let is_click = inputs
            .last()
            .is_some_and(|input| matches!(input, Input::Tap(_) | Input::DoubleTap(_)));
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = is_click.then(|| clock.now());
    }
}
