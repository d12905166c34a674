//! A13 and A14: gestures of several fingers.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::{Arguments, Missing, invalid};
use super::errors::{self, ACTION_FAILED};
use super::touch::{millis, pixel, three_hundred};
use crate::device::{Gesture, Input};
use crate::engine::Session;
use crate::screen::Point;
use crate::tools::{Call, Failure, Outcome, Tool, Writing};

/// What is missing for more than one finger.
fn one_finger_only(what: &str) -> Failure {
    Failure {
        code: Some(ACTION_FAILED),
        ..Failure::unsupported(format!(
            "Failed to dispatch gesture: this device cannot {what}: `input` moves one finger along one straight line; \
             it would need `uinput`, `sendevent` or a helper on the device that this program may use"
        ))
    }
}

/// Arguments of `pinch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinchArgs {
    /// Center X coordinate in pixels.
    #[schemars(range(min = 0))]
    pub center_x: f64,
    /// Center Y coordinate in pixels.
    #[schemars(range(min = 0))]
    pub center_y: f64,
    /// Scale factor: more than 1 zooms in, less than 1 zooms out.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
    /// Gesture duration in milliseconds.
    #[serde(default = "three_hundred")]
    #[schemars(range(min = 1, max = 60000))]
    pub duration: f64,
}

/// A13 `pinch`.
#[derive(Debug)]
pub struct Pinch;

impl Tool for Pinch {
    const NAME: &'static str = "pinch";
    const SUMMARY: &'static str = "Performs a pinch-to-zoom gesture centered at the specified coordinates (needs a device with several fingers).";
    const WRITING: Writing = Writing::Map;
    type Args = PinchArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        let args = Arguments::new(args, Missing::Colon);
        args.required_number("center_x")?;
        args.required_number("center_y")?;
        let scale = args.required_number("scale")?;
        args.coordinates(["center_x", "center_y"])?;
        if scale <= 0.0 {
            return Err(invalid(format!(
                "Parameter 'scale' must be > 0, got: {scale:?}"
            )));
        }
        args.duration("duration")
    }

    async fn call(_: &Session, args: PinchArgs, _: &Call) -> Result<Outcome, Failure> {
        Err(one_finger_only(if args.scale > 1.0 {
            "zoom in with two fingers"
        } else {
            "zoom out with two fingers"
        }))
    }
}

/// One point of a finger's path.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub struct PathPoint {
    /// X coordinate in pixels.
    #[schemars(range(min = 0))]
    pub x: f64,
    /// Y coordinate in pixels.
    #[schemars(range(min = 0))]
    pub y: f64,
    /// Time in milliseconds since the gesture began; rises within a path.
    #[schemars(range(min = 0))]
    pub time: f64,
}

/// Arguments of `custom_gesture`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomGestureArgs {
    /// Paths, one a finger; each has at least two points.
    #[schemars(length(min = 1))]
    pub paths: Vec<Vec<PathPoint>>,
}

/// A14 `custom_gesture`.
#[derive(Debug)]
pub struct CustomGesture;

impl Tool for CustomGesture {
    const NAME: &'static str = "custom_gesture";
    const SUMMARY: &'static str = "Executes a custom gesture defined by path points, one path a finger (over `input`: one finger, a straight line).";
    const WRITING: Writing = Writing::Map;
    type Args = CustomGestureArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        let paths = Arguments::new(args, Missing::Colon).required("paths")?;
        let Value::Array(paths) = paths else {
            return Err(invalid("Parameter 'paths' must be an array"));
        };
        if paths.is_empty() {
            return Err(invalid("Parameter 'paths' must not be empty"));
        }
        paths
            .iter()
            .enumerate()
            .try_for_each(|(index, path)| check_path(index, path))
    }

    async fn call(
        session: &Session,
        args: CustomGestureArgs,
        _: &Call,
    ) -> Result<Outcome, Failure> {
        let [path] = args.paths.as_slice() else {
            return Err(one_finger_only("move several fingers at once"));
        };
        let [first, last] = path.as_slice() else {
            return Err(one_finger_only("move a finger along a path with corners"));
        };
        let at = |point: &PathPoint| Point {
            x: pixel(point.x),
            y: pixel(point.y),
        };
        let gesture = Gesture {
            from: at(first),
            to: at(last),
            duration: millis(last.time - first.time),
        };
        session
            .input(&[Input::Swipe(gesture)])
            .await
            .map_err(|error| errors::gesture("custom_gesture", error))?;
        Ok(Outcome::text(
            "Custom gesture executed with 1 path(s), total 2 point(s)",
        ))
    }
}

fn check_path(index: usize, path: &Value) -> Result<(), Failure> {
    let Value::Array(points) = path else {
        return Err(invalid(format!(
            "Path at index {index} must be an array of point objects"
        )));
    };
    if points.len() < 2 {
        return Err(invalid(format!(
            "Path at index {index} must have at least 2 points, has {}",
            points.len()
        )));
    }
    let mut previous = -1;
    for (at, point) in points.iter().enumerate() {
        let place = format!("path[{index}][{at}]");
        let Value::Object(_) = point else {
            return Err(invalid(format!(
                "Point at {place} must be an object with x, y, time"
            )));
        };
        let x = field(point, "x", &place)?;
        let y = field(point, "y", &place)?;
        let time = field(point, "time", &place)?.trunc() as i64;
        for (name, value) in [("x", x), ("y", y)] {
            if value < 0.0 {
                return Err(invalid(format!(
                    "Point at {place}.{name} must be >= 0, got: {value:?}"
                )));
            }
        }
        if time < 0 {
            return Err(invalid(format!(
                "Point at {place}.time must be >= 0, got: {time}"
            )));
        }
        if time <= previous {
            return Err(invalid(format!(
                "Times must be monotonically increasing within each path. {place}.time ({time}) <= previous time ({previous})"
            )));
        }
        previous = time;
    }
    Ok(())
}

fn field(point: &Value, name: &str, place: &str) -> Result<f64, Failure> {
    match point.get(name) {
        None => Err(invalid(format!("Missing '{name}' in point at {place}"))),
        Some(Value::Number(number)) => number
            .as_f64()
            .filter(|number| number.is_finite())
            .ok_or_else(|| {
                invalid(format!(
                    "Field '{name}' in point at {place} must be a number, got: '{number}'"
                ))
            }),
        Some(Value::Array(_) | Value::Object(_)) => Err(invalid(format!(
            "Field '{name}' in point at {place} must be a number"
        ))),
        Some(other) => {
            let shown = other
                .as_str()
                .map_or_else(|| other.to_string(), str::to_owned);
            Err(invalid(format!(
                "Field '{name}' in point at {place} must be a number, got: '{shown}'"
            )))
        }
    }
}
