//! Methods that move fingers.

use std::time::Duration;

use serde_json::Value;

use super::error::RpcError;
use super::parameters::Parameters;
use super::server::Server;
use super::{object, selector};
use crate::input;
use crate::other_clients::scroll::{MAX_SWIPES, Scroll, moves};
use crate::other_clients::touch;
use runner_screen::{Point, Rect};
use runner_virtual_device::Touch;
use runner_virtual_device::app_host::{PointerAction, PointerEvent};

/// Duration of a swipe's step in seconds: `MOTION_EVENT_INJECTION_DELAY_MILLIS` of androidx
/// `InteractionController`.
const STEP_SECONDS: f64 = 0.005;
/// Limit for steps. Chosen: one minute.
const MAX_STEPS: f64 = 12_000.0;
/// Duration of a click: `REGULAR_CLICK_LENGTH` of androidx `InteractionController`.
const CLICK: Duration = Duration::from_millis(100);
/// Duration of a long click. Chosen: longer than Android's long-press timeout, which is 400 ms and was 500 ms
/// in older versions.
const LONG_CLICK: Duration = Duration::from_millis(600);
/// Interval between the points of a finger that the client moves. Chosen: one frame.
const MOVE_INTERVAL: Duration = Duration::from_millis(16);
/// Half the width of a finger in pixels, `FINGER_TOUCH_HALF_WIDTH` of androidx `UiObject`: pinching fingers do
/// not come closer.
const HALF_FINGER: i32 = 20;

/// Runs a method that moves fingers, at a point or on an object if the first parameter is a selector. Returns
/// its boolean result; `None` for other methods.
pub(super) fn run(
    server: &Server,
    method: &str,
    params: &Parameters,
) -> Option<Result<Value, RpcError>> {
    let on_object = params.get(0).is_object();
    let done = match method {
        "click" | "longClick" if on_object => click_object(server, method, params),
        "click" => click(server, params),
        "swipe" if on_object => swipe_object(server, params),
        "swipe" => swipe(server, params),
        "swipePoints" => swipe_points(server, params),
        "drag" => drag(server, params),
        "dragTo" => drag_to(server, params),
        "injectInputEvent" => inject(server, params),
        "gesture" => gesture(server, params),
        "pinchIn" | "pinchOut" => pinch(server, method, params),
        "scrollTo" => scroll_to(server, params),
        "flingForward" | "scrollForward" | "flingBackward" | "scrollBackward"
        | "flingToBeginning" | "scrollToBeginning" | "flingToEnd" | "scrollToEnd" => {
            scroll(server, method, params)
        }
        _ => return None,
    };
    Some(done.map(Value::from))
}

type GestureResult = Result<bool, RpcError>;

fn steps(steps: f64) -> Duration {
    Duration::from_secs_f64(steps.clamp(1.0, MAX_STEPS) * STEP_SECONDS)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "methods return its result, and most may fail"
)]
fn touch(server: &Server, finger: Touch) -> GestureResult {
    input::fingers(&server.state, &[finger]);
    Ok(true)
}

/// Touches a point for the third parameter's milliseconds, 100 by default and a minute at most. Returns false, and
/// touches nothing, left of the display or above it. A missing coordinate is an error.
fn click(server: &Server, params: &Parameters) -> GestureResult {
    let at = params.point(0)?;
    if at.x < 0 || at.y < 0 {
        return Ok(false);
    }
    let time = params.number(2).map_or(CLICK, |time| {
        Duration::from_millis(time.clamp(0.0, 60_000.0) as u64)
    });
    touch(server, touch::press(at, time))
}

/// Touches an object: near its bottom right or top left corner, or for any other word in its middle. A click takes
/// 100 ms, any other method 600. An error if the object is not there.
fn click_object(server: &Server, method: &str, params: &Parameters) -> GestureResult {
    let found = object::find(server, params.get(0))?;
    let Rect {
        left,
        top,
        right,
        bottom,
    } = found.bounds;
    let at = match params.get(1).as_str().map(str::to_lowercase).as_deref() {
        Some("br" | "bottomright") => Point {
            x: right - 5,
            y: bottom - 5,
        },
        Some("tl" | "topleft") => Point {
            x: left + 5,
            y: top + 5,
        },
        _ => found.centre(),
    };
    let time = if method == "click" { CLICK } else { LONG_CLICK };
    touch(server, touch::press(at, time))
}

fn swipe(server: &Server, params: &Parameters) -> GestureResult {
    let (from, to) = (params.point(0)?, params.point(2)?);
    touch(server, touch::drag(&[from, to], steps(params.number(4)?)))
}

/// Draws one finger through the points, each line in the second parameter's number of steps of 5 ms. Returns false
/// for fewer than two. What is no number is left out.
fn swipe_points(server: &Server, params: &Parameters) -> GestureResult {
    let numbers: Vec<i32> = params
        .get(0)
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .map(|number| number as i32)
        .collect();
    let points: Vec<Point> = numbers
        .chunks_exact(2)
        .map(|pair| Point {
            x: pair[0],
            y: pair[1],
        })
        .collect();
    if points.len() < 2 {
        return Ok(false);
    }
    let time = steps(params.number(1)? * (points.len() - 1) as f64);
    touch(server, touch::drag(&points, time))
}

/// Builds a drag that begins with a long press of 600 ms. `time` is that of the movement after it.
fn drag_after_hold(from: Point, to: Point, time: Duration) -> Touch {
    let mut path = vec![(from, Duration::ZERO)];
    let drawn = touch::drag(&[from, to], time).path;
    path.extend(
        drawn
            .into_iter()
            .map(|(point, at)| (point, at + LONG_CLICK)),
    );
    Touch { path }
}

fn drag(server: &Server, params: &Parameters) -> GestureResult {
    let (from, to) = (params.point(0)?, params.point(2)?);
    touch(server, drag_after_hold(from, to, steps(params.number(4)?)))
}

/// Drags an object to another one or to a point, after a long press. Returns true. An error if an object is not there
/// or a number is missing.
fn drag_to(server: &Server, params: &Parameters) -> GestureResult {
    let from = object::find(server, params.get(0))?.centre();
    let (to, at) = if params.get(1).is_object() {
        (object::find(server, params.get(1))?.centre(), 2)
    } else {
        (params.point(1)?, 3)
    };
    touch(server, drag_after_hold(from, to, steps(params.number(at)?)))
}

/// Passes one event of a finger under the client's control to the phone, and lets the time of a frame
/// pass. Action 0 is down, 1 up, 2 a movement. Returns `false`, and does nothing, for another action,
/// and for up or a movement while no finger is down. A second down is passed on too. A missing number
/// is an error.
fn inject(server: &Server, params: &Parameters) -> GestureResult {
    let at = params.point(1)?;
    let action = match params.number(0)? as i64 {
        0 => PointerAction::Down,
        1 => PointerAction::Up,
        2 => PointerAction::Move,
        _ => return Ok(false),
    };
    {
        let mut memory = server.memory();
        // A finger that is not down moves nothing.
        if action != PointerAction::Down && !memory.is_finger_down {
            return Ok(false);
        }
        memory.is_finger_down = action != PointerAction::Up;
    }
    server
        .state
        .phone()
        .pointer(&PointerEvent::single(action, at));
    input::spend(&server.state, MOVE_INTERVAL);
    Ok(true)
}

/// Swipes from the object's middle to 5 pixels before one of its edges; false for an unknown direction. An error if
/// the object is not there, or the direction or the steps are missing.
fn swipe_object(server: &Server, params: &Parameters) -> GestureResult {
    let found = object::find(server, params.get(0))?;
    let middle = found.centre();
    let bounds = found.bounds;
    let to = match params.text(1)? {
        "up" | "u" => Point {
            y: bounds.top + 5,
            ..middle
        },
        "down" | "d" => Point {
            y: bounds.bottom - 5,
            ..middle
        },
        "left" | "l" => Point {
            x: bounds.left + 5,
            ..middle
        },
        "right" | "r" => Point {
            x: bounds.right - 5,
            ..middle
        },
        _ => return Ok(false),
    };
    // A share of the object may stand before the steps.
    let time = params.number(params.len().saturating_sub(1))?;
    touch(server, touch::drag(&[middle, to], steps(time)))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "methods return its result, and most may fail"
)]
fn two_fingers(server: &Server, ways: [(Point, Point); 2], count: f64) -> GestureResult {
    let fingers = ways.map(|(from, to)| touch::drag(&[from, to], steps(count)));
    input::fingers(&server.state, &fingers);
    Ok(true)
}

/// Moves two fingers, each from its start to its end, wherever the object is. Returns true. An error if the object is
/// not there or a point is missing.
fn gesture(server: &Server, params: &Parameters) -> GestureResult {
    object::find(server, params.get(0))?;
    let point = |index: usize| {
        let place = params.get(index);
        let at = |name: &str| place.get(name).and_then(Value::as_f64);
        match (at("x"), at("y")) {
            (Some(x), Some(y)) => Ok(Point {
                x: x as i32,
                y: y as i32,
            }),
            _ => Err(RpcError::parameters(format!(
                "parameter {index} is not a point"
            ))),
        }
    };
    let ways = [(point(1)?, point(3)?), (point(2)?, point(4)?)];
    two_fingers(server, ways, params.number(5)?)
}

/// Pinches with two fingers side by side, across a share in percent of an object's width. `pinchIn` moves them
/// together, any other method apart. Their inner places are 20 pixels from its middle. An error if the object is not
/// there.
fn pinch(server: &Server, method: &str, params: &Parameters) -> GestureResult {
    let found = object::find(server, params.get(0))?;
    let percent = (params.number(1)? / 100.0).clamp(0.0, 1.0);
    let middle = found.centre();
    let half = f64::from(found.bounds.right - found.bounds.left) / 2.0 * percent;
    let at = |offset: i32| Point {
        x: middle.x + offset,
        ..middle
    };
    let half = half as i32;
    let ways = [(at(-HALF_FINGER), at(-half)), (at(HALF_FINGER), at(half))];
    let ways = if method == "pinchIn" {
        ways.map(|(inner, outer)| (outer, inner))
    } else {
        ways
    };
    two_fingers(server, ways, params.number(2)?)
}

/// Returns the bounds of the object to scroll, and the direction: vertical if the parameter at `vertical` is true,
/// else horizontal. An error if the object is not there.
fn scroll_area(server: &Server, params: &Parameters, vertical: usize) -> Result<Scroll, RpcError> {
    Ok(Scroll {
        area: object::find(server, params.get(0))?.bounds,
        vertical: params.flag(vertical),
    })
}

/// Scrolls or flings once, or to an end. Returns true if something moved; to an end always. A fling is two slow swipes
/// at most, and a way to an end as many as the third parameter says, 200 at most. A missing object is an error.
fn scroll(server: &Server, method: &str, params: &Parameters) -> GestureResult {
    let scroll = scroll_area(server, params, 1)?;
    let state = &server.state;
    let most = params.number(2).unwrap_or(MAX_SWIPES as f64).max(0.0) as usize;
    Ok(match method {
        "scrollForward" => scroll.swipe(state, true),
        "scrollBackward" => scroll.swipe(state, false),
        "flingForward" | "flingBackward" => {
            let forward = method == "flingForward";
            moves(state, || scroll.to_end(state, forward, 2))
        }
        "flingToBeginning" | "scrollToBeginning" => {
            scroll.to_end(state, false, most);
            true
        }
        _ => {
            scroll.to_end(state, true, most);
            true
        }
    })
}

/// Scrolls to the beginning, and from there until the wanted object is there; false if it does not come. If it is there
/// already, nothing moves. A missing container is an error.
fn scroll_to(server: &Server, params: &Parameters) -> GestureResult {
    let wanted = selector::read(params.get(1))?;
    let scroll = scroll_area(server, params, 2)?;
    let is_there = || object::first(server, &wanted).is_some();
    Ok(scroll.into_view(&server.state, MAX_SWIPES, is_there))
}
