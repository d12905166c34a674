//! Records drags and gestures of two fingers: on which elements they are, and at which places in them.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::act::Act;
use super::gesture_place::GesturePlace;
use super::secrets::Secrets;
use runner_engine::is_disabled;
use runner_screen::{Point, Screen};
use runner_text::units::HumanDuration;
use runner_tools::arguments;
use runner_tools::everyday::{MAX_SCALE, MAX_TURN_DEGREES};

/// Longest hold that is left out of a drag: the step by itself waits so long for the app to take hold.
const MAX_DEFAULT_HOLD: Duration = Duration::from_secs(1);
/// Pixels that two fingers must move for a gesture. Chosen: less is the trembling of a finger; more would
/// lose small turns.
const MIN_MOVE_PIXELS: f64 = 16.0;

impl GesturePlace {
    /// Returns the value of `from` or `to` of a drag: the selector, with secrets replaced, or the place as
    /// a map such as `{ x: "50%", y: "30%" }`, or both as `on` and `at`. With neither it is null.
    fn end_value(&self, secrets: &Secrets) -> Value {
        let on = self.on.as_deref().map(|on| secrets.selector(on));
        match (on, self.at.map(as_place)) {
            (Some(on), None) => on,
            (Some(on), Some(at)) => json!({ "on": on, "at": at }),
            (None, at) => json!(at),
        }
    }

    /// Returns the keys `on` and `at`, each if there is one. A place in the middle, 50 % and 50 %, is left
    /// out.
    fn place_keys(&self, secrets: &Secrets) -> Map<String, Value> {
        let on = self.on.as_deref().map(|on| secrets.selector(on));
        let at = self.at.filter(|at| *at != [50, 50]).map(as_place);
        let keys = [("on", on), ("at", at)];
        let keys = keys
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?)));
        keys.collect()
    }
}

fn as_place([x, y]: [i32; 2]) -> Value {
    json!({ "x": format!("{x}%"), "y": format!("{y}%") })
}

/// Translates a call of `drag`, `pinch` or `custom_gesture` into an act. `None` for other tools, if the call
/// names elements instead of points, or if its gesture has no step.
pub(super) fn act(tool: &str, args: &Value, screen: &Screen) -> Option<Act> {
    match tool {
        "drag" => drag(args, screen),
        "pinch" => pinch(args, screen),
        "custom_gesture" => two_fingers(args, screen),
        _ => None,
    }
}

/// Reads a drag between two points. `None` if its ends are given in another way. If both ends mean the same element,
/// its places count. A hold of up to 1 s is left out, as the step holds by itself; one of 0 is kept. `force` is added
/// if the start is disabled.
fn drag(args: &Value, screen: &Screen) -> Option<Act> {
    let end = |name: &str| point(args.get(name)?, ["x", "y"]);
    let (taken, left) = (end("from")?, end("to")?);
    let mut from = GesturePlace::at_point(screen, taken, false);
    let mut to = GesturePlace::at_point(screen, left, false);
    if from == to {
        from = GesturePlace::at_point(screen, taken, true);
        to = GesturePlace::at_point(screen, left, true);
    }
    let hold = args.get("hold").and_then(Value::as_str);
    let hold = hold.and_then(|hold| hold.parse::<HumanDuration>().ok());
    let mut options = Map::new();
    if let Some(hold) = hold.filter(|hold| hold.0.is_zero() || hold.0 > MAX_DEFAULT_HOLD) {
        options.insert("hold".to_owned(), json!(hold.to_string()));
    }
    if is_target_disabled(screen, &from) {
        options.insert("force".to_owned(), json!(true));
    }
    Some(Act::Drag { from, to, options })
}

/// Reads a gesture of exactly two fingers, with as many points each, as a scaling or a turn, whichever moved
/// them more. `None` for anything else, or if they hardly moved.
fn two_fingers(args: &Value, screen: &Screen) -> Option<Act> {
    let paths = args.get("paths")?.as_array()?;
    let [one, other] = paths.as_slice() else {
        return None;
    };
    let points = |path: &Value| -> Option<Vec<Point>> {
        path.as_array()?
            .iter()
            .map(|at| point(at, ["x", "y"]))
            .collect()
    };
    let (one, other) = (points(one)?, points(other)?);
    // Only paths with as many points can be compared point by point.
    if one.len() != other.len() {
        return None;
    }
    let middle = Point {
        x: i32::midpoint(one.first()?.x, other.first()?.x),
        y: i32::midpoint(one.first()?.y, other.first()?.y),
    };
    let option = scale_or_turn(&one, &other)?;
    Some(two_finger_act(screen, middle, option))
}

/// Reads `pinch`, which has a centre and a scale. `None` if one of them is missing.
fn pinch(args: &Value, screen: &Screen) -> Option<Act> {
    let center = point(args, ["center_x", "center_y"])?;
    let scale = args.get("scale")?.clone();
    Some(two_finger_act(screen, center, ("scale".to_owned(), scale)))
}

/// Builds the act around the middle: of the element there, by force if that was disabled, or at the place.
fn two_finger_act(screen: &Screen, middle: Point, option: (String, Value)) -> Act {
    let mut options: Map<String, Value> = [option].into_iter().collect();
    let place = GesturePlace::at_point(screen, middle, false);
    if is_target_disabled(screen, &place) {
        options.insert("force".to_owned(), json!(true));
    }
    Act::TwoFingers { place, options }
}

/// Returns the option `scale`, rounded to hundredths, or `turn`, in whole degrees clockwise, whichever moved
/// the fingers further. Both are limited to what the step allows. `None` if they moved less than 16 pixels,
/// or began or ended at one point.
fn scale_or_turn(one: &[Point], other: &[Point]) -> Option<(String, Value)> {
    let ways: Vec<(f64, f64)> = one
        .iter()
        .zip(other)
        .map(|(a, b)| (f64::from(b.x - a.x), f64::from(b.y - a.y)))
        .collect();
    let distance = |way: &(f64, f64)| way.0.hypot(way.1);
    let (start, end) = (distance(ways.first()?), distance(ways.last()?));
    // Summed from point to point, as a turn may be more than half a circle.
    let turn: f64 = ways
        .windows(2)
        .map(|pair| {
            let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
            (ax * by - ay * bx).atan2(ax * bx + ay * by)
        })
        .sum();
    let (apart, around) = ((end - start).abs(), turn.abs() * f64::midpoint(start, end));
    if apart.max(around) < MIN_MOVE_PIXELS || start < 1.0 || end < 1.0 {
        return None;
    }
    Some(if apart >= around {
        let scale = (end / start).clamp(1.0 / MAX_SCALE, MAX_SCALE);
        ("scale".to_owned(), json!((scale * 100.0).round() / 100.0))
    } else {
        let degrees = turn.to_degrees().round();
        let degrees = degrees.clamp(-MAX_TURN_DEGREES, MAX_TURN_DEGREES) as i32;
        ("turn".to_owned(), json!(degrees))
    })
}

/// Reads a point from two named numbers, rounded. `None` if one is missing or no number.
fn point(value: &Value, [x, y]: [&str; 2]) -> Option<Point> {
    let number = |name: &str| Some(value.get(name)?.as_f64()?.round() as i32);
    Some(Point {
        x: number(x)?,
        y: number(y)?,
    })
}

/// Returns true if the first element that the place's selector finds was disabled: the step then needs
/// `force`. A place without element never is.
fn is_target_disabled(screen: &Screen, place: &GesturePlace) -> bool {
    let nodes = place
        .on
        .as_ref()
        .map(|on| on.find(screen))
        .unwrap_or_default();
    nodes
        .first()
        .is_some_and(|node| is_disabled(screen.node(*node)))
}

/// Returns the step's name and its value. `None` unless the act is a drag or a gesture of two fingers.
pub(super) fn step(act: &Act, secrets: &Secrets) -> Option<(&'static str, Value)> {
    let (name, keys, options) = match act {
        Act::Drag { from, to, options } => {
            let ends = [("from", from), ("to", to)];
            let ends = ends.map(|(key, end)| (key.to_owned(), end.end_value(secrets)));
            ("drag", ends.into_iter().collect(), options)
        }
        Act::TwoFingers { place, options } => ("two_fingers", place.place_keys(secrets), options),
        _ => return None,
    };
    let keys: Map<String, Value> = keys;
    let mut value = keys.into_iter().chain(options.clone()).collect();
    arguments::normalize_integers(&mut value);
    Some((name, value))
}
