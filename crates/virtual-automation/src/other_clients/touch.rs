//! Touches of one finger.

use std::time::Duration;

use crate::input::add_way;
use runner_screen::Point;
use runner_virtual_device::Touch;

/// Builds the touch of a finger that stays in place.
pub(crate) fn press(at: Point, time: Duration) -> Touch {
    Touch {
        path: vec![(at, Duration::ZERO), (at, time)],
    }
}

/// Builds the touch of a finger that moves from point to point. Each line takes the same part of `time`,
/// whatever its length. Fewer than two points make an empty path.
pub(crate) fn drag(points: &[Point], time: Duration) -> Touch {
    let mut path = Vec::new();
    let ways = points.len().saturating_sub(1).max(1) as u32;
    for (number, pair) in points.windows(2).enumerate() {
        add_way(
            &mut path,
            pair[0],
            pair[1],
            (time / ways) * number as u32,
            time / ways,
        );
    }
    Touch { path }
}
