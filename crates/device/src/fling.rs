//! Distance and duration of a fling: how content moves on after the finger has left, as AOSP's `OverScroller`
//! computes it.

use std::time::Duration;

use super::Gesture;

/// Longest time in which a pager settles on a page, at any speed of the finger: AOSP's
/// `ViewPager.MAX_SETTLE_DURATION`.
const PAGER_TIME: Duration = Duration::from_millis(600);
/// Highest speed of a fling, in dp a second: AOSP's `ViewConfiguration.MAXIMUM_FLING_VELOCITY`.
const MAX_SPEED: f64 = 8000.0;
/// Two frames of a display with 60 Hz, so that the content is drawn at its last position.
const FRAMES: Duration = Duration::from_millis(34);
/// Deceleration of a fling in dp: AOSP's `ViewConfiguration.SCROLL_FRICTION`, the earth's gravity in inches,
/// and `OverScroller`'s look and feel. Density cancels out once speeds are in dp.
const FRICTION: f64 = 0.015 * 9.806_65 * 39.37 * 160.0 * 0.84;
/// Constant of AOSP's `OverScroller`.
const INFLEXION: f64 = 0.35;
/// First API level whose `input` starts no Java program but is a shell function over `cmd`. Before, each
/// start takes a phone 0.2 to over 1 s, and a drag starts it seven times.
const CHEAP_INPUT_SDK: u32 = 30;
/// Shortest duration of a swipe in place of a drag. Chosen: slow enough that [`slowed`] seldom has to
/// lengthen it.
const SLOW_SWIPE: Duration = Duration::from_secs(1);
/// Step in which [`slowed`] lengthens a swipe. Chosen: fine enough that no swipe is much slower than needed.
const SLOWER: Duration = Duration::from_millis(50);
/// Lowest density of a display, in dots an inch (Android's `ldpi`): the same speed in pixels flings furthest
/// there.
const LOW_DENSITY: u32 = 120;

/// Returns the time for which content moves on after a swipe, at least that in which a pager settles, and two
/// frames. `density` is the display's, in dots an inch.
pub fn time(gesture: &Gesture, density: u32) -> Duration {
    let seconds = deceleration(speed(gesture, density)) / (decay() - 1.0);
    Duration::from_secs_f64(seconds.exp()).max(PAGER_TIME) + FRAMES
}

/// Returns the distance in pixels that content moves on after a swipe.
fn distance(gesture: &Gesture, density: u32) -> f64 {
    let rate = decay() / (decay() - 1.0);
    let dp = FRICTION * (rate * deceleration(speed(gesture, density))).exp();
    dp * dp_in_pixels(density)
}

/// Returns the swipe to send in place of a drag on releases on which each start of `input` is slow (before API
/// level 30); `None` on later ones. An unknown level (0) counts as such a release. The swipe takes at least a
/// second, and longer if it would fling content far.
pub fn drag_as_swipe(gesture: &Gesture, sdk: u32) -> Option<Gesture> {
    (sdk < CHEAP_INPUT_SDK).then(|| {
        slowed(&Gesture {
            duration: gesture.duration.max(SLOW_SWIPE),
            ..*gesture
        })
    })
}

/// Slows a swipe in steps of 50 ms until content moves on by at most a third of the swipe's length, on every
/// display. Points and direction stay.
fn slowed(gesture: &Gesture) -> Gesture {
    let mut slow = *gesture;
    let third = length(gesture) / 3.0;
    while distance(&slow, LOW_DENSITY) > third {
        slow.duration += SLOWER;
    }
    slow
}

fn deceleration(speed: f64) -> f64 {
    (INFLEXION * speed / FRICTION).ln()
}

fn decay() -> f64 {
    0.78_f64.ln() / 0.9_f64.ln()
}

fn dp_in_pixels(density: u32) -> f64 {
    f64::from(density.max(1)) / 160.0
}

fn length(gesture: &Gesture) -> f64 {
    let across = f64::from(gesture.to.x) - f64::from(gesture.from.x);
    let down = f64::from(gesture.to.y) - f64::from(gesture.from.y);
    across.hypot(down)
}

/// Returns the speed at which the finger leaves, in dp a second, at most [`MAX_SPEED`].
fn speed(gesture: &Gesture, density: u32) -> f64 {
    let seconds = gesture.duration.as_secs_f64().max(0.001);
    (length(gesture) / seconds / dp_in_pixels(density)).min(MAX_SPEED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use runner_screen::Point;

    fn swipe(pixels: i32, ms: u64) -> Gesture {
        Gesture {
            from: Point { x: 500, y: 4000 },
            to: Point {
                x: 500,
                y: 4000 - pixels,
            },
            duration: Duration::from_millis(ms),
        }
    }

    #[test]
    fn content_moves_on_for_as_long_as_android_says() {
        // Measured in Android 15's framework at 420 dots an inch: 825 ms and 770 pixels for the shorter swipe.
        let measured = time(&swipe(1404, 300), 420);
        assert!(measured.as_millis().abs_diff(825) < 60, "{measured:?}");
        let further = distance(&swipe(1000, 300), 420);
        assert!((further - 770.0).abs() < 40.0, "{further}");
        assert_eq!(time(&swipe(0, 300), 420), PAGER_TIME + FRAMES);
        assert_eq!(
            time(&swipe(2000, 0), 420),
            time(&swipe(2000, 10), 420),
            "a fling has a highest speed"
        );
    }

    proptest! {
        #[test]
        fn a_slow_swipe_over_a_part_of_a_list_skips_no_row(
            height in 50_i32..4000,
            percent in 1_i32..=60,
            ms in 0_u64..3000,
            density in 120_u32..=640,
        ) {
            let asked = swipe(height * percent / 100, ms);
            let slow = slowed(&asked);
            prop_assert!(slow.duration >= asked.duration);
            let travel = length(&slow) + distance(&slow, density);
            prop_assert!(travel <= f64::from(height) * 0.8 + 1.0, "{travel} of {height}");
        }
    }
}
