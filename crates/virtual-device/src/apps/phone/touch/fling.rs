//! Flings: scrolling that continues after the finger has left, as in Android's `OverScroller`.
//!
//! The numbers are those of AOSP's `OverScroller.SplineOverScroller` and `ViewConfiguration`.

use std::time::Duration;

use runner_screen::Point;

/// Lowest speed of a fling, in dp a second.
const MIN_SPEED: f64 = 50.0;
/// Highest speed of a fling, in dp a second.
const MAX_SPEED: f64 = 8000.0;
/// Time that `VelocityTracker` looks back.
const HORIZON: Duration = Duration::from_millis(100);

const FRICTION: f64 = 0.015;
/// Point at which the tension lines of the spline cross.
const INFLEXION: f64 = 0.35;
const START_TENSION: f64 = 0.5;
const END_TENSION: f64 = 1.0;

/// Distance and duration of a fling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fling {
    /// Distance in pixels; negative towards the start of the content.
    distance: f64,
    duration: Duration,
}

fn deceleration() -> f64 {
    0.78_f64.ln() / 0.9_f64.ln()
}

impl Fling {
    /// Computes the fling of a finger that leaves with a speed in pixels a second, on a display of `density` dots
    /// an inch. A negative speed flings backward, and a very high one is limited as on Android. Returns `None`
    /// below 50 dp a second.
    pub fn new(speed: f64, density: u32) -> Option<Self> {
        let dp = f64::from(density) / 160.0;
        if speed.abs() < MIN_SPEED * dp {
            return None;
        }
        let speed = speed.clamp(-MAX_SPEED * dp, MAX_SPEED * dp);
        // Gravity in inches, and a look of one's own: AOSP's comment is "look and feel tuning".
        let coefficient = 9.806_65 * 39.37 * f64::from(density) * 0.84;
        let ratio = (INFLEXION * speed.abs() / (FRICTION * coefficient)).ln();
        let decay = deceleration() - 1.0;
        let distance = FRICTION * coefficient * (deceleration() / decay * ratio).exp();
        Some(Self {
            distance: distance.trunc() * speed.signum(),
            duration: Duration::from_millis((1000.0 * (ratio / decay).exp()) as u64),
        })
    }

    /// Returns the distance after a time, in pixels, negative for a fling backward. From its end on it is the whole
    /// distance. The ends of the content do not count.
    pub fn at(&self, time: Duration) -> i32 {
        if time >= self.duration {
            return self.distance as i32;
        }
        let part = time.as_secs_f64() / self.duration.as_secs_f64();
        (self.distance * spline(part)).round() as i32
    }

    pub fn duration(&self) -> Duration {
        self.duration
    }
}

/// Returns the fraction of the distance after a fraction of the time. AOSP has a table of 100 points of this curve.
/// Both begin with 0 and end with 1.
fn spline(time: f64) -> f64 {
    let first = START_TENSION * INFLEXION;
    let second = 1.0 - END_TENSION * (1.0 - INFLEXION);
    let bezier =
        |x: f64, one: f64, two: f64| 3.0 * x * (1.0 - x) * ((1.0 - x) * one + x * two) + x * x * x;
    let (mut low, mut high) = (0.0, 1.0);
    // Each round halves the interval; 2⁻³⁰ of it is far below a pixel.
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if bezier(middle, first, second) > time {
            high = middle;
        } else {
            low = middle;
        }
    }
    bezier(low, START_TENSION, 1.0)
}

/// Place of a finger, and its time.
pub(super) type Sample = (Point, Duration);

/// Most samples that are kept of a finger. Chosen: a client may send any number at one time.
const MAX_SAMPLES: usize = 1000;

/// Drops samples that are older than [`HORIZON`] before the last, and the oldest beyond [`MAX_SAMPLES`].
pub(super) fn keep_recent(samples: &mut Vec<Sample>) {
    if let Some((_, end)) = samples.last().copied() {
        samples.retain(|(_, at)| *at + HORIZON >= end);
    }
    let surplus = samples.len().saturating_sub(MAX_SAMPLES);
    samples.drain(..surplus);
}

/// Returns the average speed of a finger in the [`HORIZON`] before its last sample, in pixels a second: across, then
/// down. It is 0 if the samples have fewer than two times.
pub(super) fn speed(samples: &[Sample]) -> (f64, f64) {
    let Some((last, end)) = samples.last().copied() else {
        return (0.0, 0.0);
    };
    let recent = samples.iter().find(|(_, at)| *at + HORIZON >= end);
    let Some((first, begin)) = recent.copied() else {
        return (0.0, 0.0);
    };
    let seconds = end.saturating_sub(begin).as_secs_f64();
    if seconds <= 0.0 {
        return (0.0, 0.0);
    }
    (
        (f64::from(last.x) - f64::from(first.x)) / seconds,
        (f64::from(last.y) - f64::from(first.y)) / seconds,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fling_ends_where_it_is_to_and_never_turns_back() {
        for density in [160, 420, 560] {
            for speed in [60.0, 500.0, 4000.0, 20_000.0, -900.0] {
                let Some(fling) = Fling::new(speed * f64::from(density) / 160.0, density) else {
                    panic!("{speed} flings");
                };
                let mut before = 0;
                for part in 0..=20 {
                    let now = fling.at(fling.duration() * part / 20);
                    assert!(
                        (now - before) * speed.signum() as i32 >= 0,
                        "{now} after {before}"
                    );
                    before = now;
                }
                assert_eq!(before, fling.distance as i32);
            }
        }
        assert_eq!(Fling::new(49.0, 160), None);
        assert_eq!(Fling::new(9000.0, 160), Fling::new(8000.0, 160));
    }
}
