//! Touches of `input`: taps, swipes, drags and single events of a finger.

use std::time::Duration;

use super::super::{Call, Outcome};
use super::usage::USAGE;
use crate::Touch;
use crate::app_host::{PointerAction, PointerEvent};
use runner_screen::Point;

/// Parses finite numbers and cuts off their fractions. The error is the outcome of a command that was given
/// another word; it is printed already.
fn numbers(call: &mut Call, args: &[String]) -> Result<Vec<i32>, Outcome> {
    let mut values = Vec::new();
    for arg in args {
        match arg.parse::<f64>() {
            Ok(value) if value.is_finite() => values.push(value as i32),
            _ => {
                return Err(call.fail(
                    255,
                    format!("\nException occurred while executing 'input':\njava.lang.NumberFormatException: For input string: \"{arg}\""),
                ));
            }
        }
    }
    Ok(values)
}

/// Sends the touch that `path` makes of `wanted` numbers, in pairs, and advances the time by it. Another count of
/// arguments, or one that is no number, exits with 255.
pub(super) fn pointer(
    call: &mut Call,
    command: &str,
    args: &[String],
    wanted: usize,
    path: impl Fn(&[Point]) -> Touch,
) -> Outcome {
    let values = match numbers(call, args) {
        Ok(values) => values,
        Err(outcome) => return outcome,
    };
    if values.len() != wanted {
        return call.fail(
            255,
            format!("Error: Invalid arguments for command: {command}\n{USAGE}"),
        );
    }
    let points: Vec<Point> = values
        .chunks_exact(2)
        .map(|pair| Point {
            x: pair[0],
            y: pair[1],
        })
        .collect();
    let touch = path(&points);
    let took = touch.path.last().map_or(Duration::ZERO, |(_, at)| *at);
    if call.is_job {
        call.device.phone().fingers_beside(&[touch]);
    } else {
        call.device.phone().fingers(&[touch]);
    }
    call.spend(took + Duration::from_millis(50));
    Outcome::Exit(0)
}

/// `swipe` or `draganddrop X Y X Y [MS]`: 300 ms unless given, ten minutes at most. A drag rests for 500 ms at its
/// start and at its end, in addition. A malformed time exits with 255.
pub(super) fn swipe(call: &mut Call, command: &str, args: &[String]) -> Outcome {
    let time = match args.get(4) {
        None => Some(300),
        Some(text) => text.parse::<u64>().ok().map(|time| time.min(600_000)),
    };
    let Some(time) = time else {
        return call.fail(
            255,
            format!("Error: Invalid arguments for command: {command}\n{USAGE}"),
        );
    };
    let points = args.get(..4.min(args.len())).unwrap_or_default();
    let drag = command == "draganddrop";
    pointer(call, command, points, 4, |points| {
        let mut touch = straight(points[0], points[1], Duration::from_millis(time));
        if drag {
            // `draganddrop` begins with a long press, and the finger rests before it leaves.
            let hold = Duration::from_millis(500);
            for (_, at) in touch.path.iter_mut().skip(1) {
                *at += hold;
            }
            let end = touch.path.last().map_or(hold, |(_, at)| *at);
            touch.path.push((points[1], end + hold));
        }
        touch
    })
}

/// Returns a straight path with a point every 16 ms, the time of a frame. It has its start and end in any
/// case, and at most 2001 points.
pub(super) fn straight(from: Point, to: Point, time: Duration) -> Touch {
    let steps = (time.as_millis() / 16).clamp(1, 2000) as i64;
    let between = |a: i32, b: i32, step: i64| {
        (i64::from(a) + (i64::from(b) - i64::from(a)) * step / steps) as i32
    };
    let path = (0..=steps)
        .map(|step| {
            let point = Point {
                x: between(from.x, to.x, step),
                y: between(from.y, to.y, step),
            };
            (point, time * step as u32 / steps as u32)
        })
        .collect();
    Touch { path }
}

/// `motionevent`: sends one event of a finger, DOWN, MOVE, UP or CANCEL. Only CANCEL needs no coordinates.
/// Other arguments exit with 255.
pub(super) fn motion(call: &mut Call, args: &[String]) -> Outcome {
    let Some((action, coordinates)) = args.split_first() else {
        return call.fail(255, "Error: Argument expected after \"motionevent\"");
    };
    let values = match numbers(call, coordinates) {
        Ok(values) => values,
        Err(outcome) => return outcome,
    };
    let action = action.to_uppercase();
    let point = match values.as_slice() {
        [x, y] => Point { x: *x, y: *y },
        [] if action == "CANCEL" => Point::default(),
        _ => {
            return call.fail(
                255,
                format!("Error: Invalid arguments for command: motionevent\n{USAGE}"),
            );
        }
    };
    let action = match action.as_str() {
        "DOWN" => PointerAction::Down,
        "MOVE" => PointerAction::Move,
        "UP" => PointerAction::Up,
        "CANCEL" => PointerAction::Cancel,
        _ => return call.fail(255, format!("Error: Unknown motionevent {action}")),
    };
    call.device
        .phone()
        .pointer(&PointerEvent::single(action, point));
    call.spend(Duration::from_millis(16));
    Outcome::Exit(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_where_it_should() {
        let touch = straight(
            Point { x: 0, y: 0 },
            Point { x: 100, y: -50 },
            Duration::from_millis(320),
        );
        assert_eq!(touch.path.len(), 21);
        assert_eq!(
            touch.path.last(),
            Some(&(Point { x: 100, y: -50 }, Duration::from_millis(320)))
        );
    }
}
