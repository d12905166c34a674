//! Effects that come after a finger has left: a click arrives some time later, and content that was flung moves on.
//!
//! A key, or a touch at a place, that comes before the click overtakes it. A touch on content that moves only stops it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use runner_device::{Clock, ClockTime, Gesture, Input};

/// The time in which a click arrives: AOSP's `ViewConfiguration.PRESSED_STATE_DURATION`, 64 ms, and two frames.
const CLICK_TIME: Duration = Duration::from_millis(100);
/// The longest time that a pager takes to settle on a page, at any speed of the finger: AOSP's
/// `ViewPager.MAX_SETTLE_DURATION`.
const PAGER_TIME: Duration = Duration::from_millis(600);
/// The highest speed of a fling, in dp a second: AOSP's `ViewConfiguration.MAXIMUM_FLING_VELOCITY`.
const MAX_SPEED: f64 = 8000.0;
/// Two frames: the content is drawn at its last place.
const FRAMES: Duration = Duration::from_millis(34);

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

    /// Notes what was sent. `density` is the display's, in dots an inch.
    pub fn note(&self, clock: &Clock, inputs: &[Input], density: u32) {
        let effect = match inputs.last() {
            Some(Input::Tap(_) | Input::DoubleTap(_)) => Some(Effect::Click),
            Some(Input::Swipe(gesture)) => Some(Effect::Fling(fling_time(gesture, density))),
            Some(Input::LongPress(..) | Input::Drag(_) | Input::Fingers { .. }) => None,
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

/// Returns the time for which content moves on after a swipe: the duration of a fling as AOSP's `OverScroller` has it, in
/// which density cancels out once speeds are in dp.
fn fling_time(gesture: &Gesture, density: u32) -> Duration {
    let across = f64::from(gesture.to.x) - f64::from(gesture.from.x);
    let down = f64::from(gesture.to.y) - f64::from(gesture.from.y);
    let seconds = gesture.duration.as_secs_f64().max(0.001);
    let dp = f64::from(density.max(1)) / 160.0;
    let speed = (across.hypot(down) / seconds / dp).min(MAX_SPEED);
    let friction = 0.015 * 9.806_65 * 39.37 * 160.0 * 0.84;
    let decay = 0.78_f64.ln() / 0.9_f64.ln() - 1.0;
    let fling = ((0.35 * speed / friction).ln() / decay).exp();
    Duration::from_secs_f64(fling).max(PAGER_TIME) + FRAMES
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_screen::Point;

    fn swipe(pixels: i32, ms: u64) -> Gesture {
        Gesture {
            from: Point { x: 500, y: 2000 },
            to: Point {
                x: 500,
                y: 2000 - pixels,
            },
            duration: Duration::from_millis(ms),
        }
    }

    #[test]
    fn content_moves_on_for_as_long_as_android_says() {
        // Measured in Android 15's framework at 420 dots an inch: 825 ms.
        let measured = fling_time(&swipe(1404, 300), 420);
        assert!(measured.as_millis().abs_diff(825) < 60, "{measured:?}");
        assert_eq!(fling_time(&swipe(0, 300), 420), PAGER_TIME + FRAMES);
        assert_eq!(
            fling_time(&swipe(2000, 0), 420),
            fling_time(&swipe(2000, 10), 420),
            "a fling has a highest speed"
        );
    }
}
