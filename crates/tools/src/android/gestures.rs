//! Tools for gestures of several fingers (A13, A14).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::{coordinates, duration, invalid};
use super::errors::{self, action_failed};
use super::touch::{millis, pixel, three_hundred};
use crate::arguments::{Arguments, Complaint};
use crate::everyday::TwoFingerMove;
use crate::touch_start::check_start;
use crate::{Call, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::{FingerPath, Input};
use runner_engine::Session;
use runner_screen::Point;

/// Limit for the fingers of a gesture: touchscreens distinguish ten.
const MAX_PATHS: usize = 10;
/// Limit for the points of a gesture. Chosen: each takes several commands on the device.
const MAX_POINTS: usize = 1000;
/// Limit for a gesture's duration in milliseconds, the same as for all gestures of the reference.
const MAX_MILLIS: i64 = 60_000;

/// Arguments of `pinch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinchArgs {
    /// Center X coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub center_x: f64,
    /// Center Y coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub center_y: f64,
    /// Scale factor (> 0; > 1 = zoom in, < 1 = zoom out)
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
    /// Gesture duration in ms (1-60000)
    #[serde(default = "three_hundred")]
    #[schemars(range(min = 1, max = 60000))]
    pub duration: f64,
}

#[derive(Debug)]
pub struct Pinch;

impl Tool for Pinch {
    const NAME: &'static str = "pinch";
    const SUMMARY: &'static str =
        "Performs a pinch-to-zoom gesture centered at the specified coordinates.";
    const HELP: &'static str =
        "A device whose shell may not write to its touchscreen refuses; the driver `uia2` can.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = PinchArgs;

    /// Checks that the centre is not negative, the scale above 0, and the duration from 1 to 60,000 ms.
    fn check(args: &Arguments) -> Result<(), Failure> {
        args.required_number("center_x")?;
        args.required_number("center_y")?;
        let scale = args.required_number("scale")?;
        coordinates(args, ["center_x", "center_y"])?;
        if scale <= 0.0 {
            let got = format!("{scale:?}");
            return Err(args.complaint("scale", &Complaint::NotPositive(&got)));
        }
        duration(args, "duration")
    }

    /// Pinches, after the dialogs that rules find were answered. Fails before that if there is no room for two fingers.
    /// A scale of 1 is told as zooming out.
    async fn call(session: &Session, args: PinchArgs, _: &Call) -> Result<Outcome, Failure> {
        let center = Point {
            x: pixel(args.center_x),
            y: pixel(args.center_y),
        };
        let duration = millis(args.duration);
        let name = Words::format("pinch({}, {})", &[&center.x, &center.y]);
        let failed = |error| errors::gesture(&name, error);
        let display = session.display().await.map_err(failed)?;
        // As the reference writes it: always with a fraction.
        let scale = format!("{:?}", args.scale);
        let way = TwoFingerMove {
            center,
            scale: args.scale,
            turn: 0.0,
            duration,
        };
        let area = display.bounds();
        let paths = way.paths(area, area).ok_or_else(|| {
            action_failed(Words::format("Failed to dispatch gesture: there is no room for two fingers around ({}, {}) with scale {}; \
                 take a point further from the edge, or several smaller pinches", &[&center.x, &center.y, &scale]))
        })?;
        session
            .touch_display(&[Input::Fingers { paths, display }])
            .await
            .map_err(|error| errors::gesture(&name, error))?;
        let way = if args.scale > 1.0 { "in" } else { "out" };
        Ok(Outcome::text(Words::format(
            "Pinch (zoom {}) executed at ({}, {}) with scale {} over {}ms",
            &[
                &Words::from(way),
                &center.x,
                &center.y,
                &scale,
                &duration.as_millis(),
            ],
        )))
    }
}

/// One point of a finger's path.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub struct PathPoint {
    /// X coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub x: f64,
    /// Y coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub y: f64,
    /// Time offset in ms from gesture start (>= 0, monotonically increasing)
    #[schemars(range(min = 0))]
    pub time: f64,
}

/// Arguments of `custom_gesture`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomGestureArgs {
    /// Array of paths
    #[schemars(length(min = 1))]
    pub paths: Vec<Vec<PathPoint>>,
}

#[derive(Debug)]
pub struct CustomGesture;

impl Tool for CustomGesture {
    const NAME: &'static str = "custom_gesture";
    const SUMMARY: &'static str = "Executes a custom multi-touch gesture defined by path points. Each path represents one finger's movement.";
    const HELP: &'static str =
        "Several paths need a shell that may write to the touchscreen, or the driver `uia2`.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = CustomGestureArgs;

    /// Checks 1 to 10 paths of together at most 1000 points, each as `check_path` does.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let paths = args.required("paths")?;
        let Value::Array(paths) = paths else {
            return Err(invalid("Parameter 'paths' must be an array"));
        };
        if paths.is_empty() {
            return Err(invalid("Parameter 'paths' must not be empty"));
        }
        if paths.len() > MAX_PATHS {
            return Err(invalid(Words::format(
                "Parameter 'paths' must have at most {} paths, has {}",
                &[&MAX_PATHS, &paths.len()],
            )));
        }
        let points: usize = paths.iter().filter_map(Value::as_array).map(Vec::len).sum();
        if points > MAX_POINTS {
            return Err(invalid(Words::format(
                "Parameter 'paths' must have at most {} points, has {}",
                &[&MAX_POINTS, &points],
            )));
        }
        paths
            .iter()
            .enumerate()
            .try_for_each(|(index, path)| check_path(index, path))
    }

    /// Moves the fingers at the same time, with fractions of coordinates and times cut off, after the dialogs that
    /// rules find were answered. A finger that begins outside of the display is refused; others may leave it.
    async fn call(
        session: &Session,
        args: CustomGestureArgs,
        _: &Call,
    ) -> Result<Outcome, Failure> {
        let points: usize = args.paths.iter().map(Vec::len).sum();
        let paths: Vec<FingerPath> = args.paths.iter().map(|path| finger(path)).collect();
        let text = Words::format(
            "Custom gesture executed with {} path(s), total {} point(s)",
            &[&paths.len(), &points],
        );
        let failed = |error| errors::gesture(&"custom_gesture".into(), error);
        let display = session.display().await.map_err(failed)?;
        let input = Input::Fingers { paths, display };
        check_start(session, &input).await?;
        session.touch_display(&[input]).await.map_err(failed)?;
        Ok(Outcome::text(text))
    }
}

/// Converts a path, with fractions cut off; times are milliseconds since the beginning of the gesture.
fn finger(path: &[PathPoint]) -> FingerPath {
    let points = path.iter().map(|point| {
        let at = Point {
            x: pixel(point.x),
            y: pixel(point.y),
        };
        (at, millis(point.time))
    });
    FingerPath {
        points: points.collect(),
    }
}

/// Checks a path: at least two points with coordinates that are not negative, and times from 0 to 60,000 that increase
/// once their fractions are cut off. The failure names the first wrong point.
fn check_path(index: usize, path: &Value) -> Result<(), Failure> {
    let Value::Array(points) = path else {
        return Err(invalid(Words::format(
            "Path at index {} must be an array of point objects",
            &[&index],
        )));
    };
    if points.len() < 2 {
        return Err(invalid(Words::format(
            "Path at index {} must have at least 2 points, has {}",
            &[&index, &points.len()],
        )));
    }
    let mut previous = -1;
    for (at, point) in points.iter().enumerate() {
        let place = format!("path[{index}][{at}]");
        let Value::Object(_) = point else {
            return Err(invalid(Words::format(
                "Point at {} must be an object with x, y, time",
                &[&place],
            )));
        };
        let x = field(point, "x", &place)?;
        let y = field(point, "y", &place)?;
        let time = field(point, "time", &place)?.trunc() as i64;
        for (name, value) in [("x", x), ("y", y)] {
            if value < 0.0 {
                return Err(invalid(Words::format(
                    "Point at {}.{} must be >= 0, got: {}",
                    &[&place, &name, &format!("{value:?}")],
                )));
            }
        }
        if time < 0 {
            return Err(invalid(Words::format(
                "Point at {}.time must be >= 0, got: {}",
                &[&place, &time],
            )));
        }
        if time > MAX_MILLIS {
            return Err(invalid(Words::format(
                "Point at {}.time must be <= {}, got: {}",
                &[&place, &MAX_MILLIS, &time],
            )));
        }
        if time <= previous {
            return Err(invalid(Words::format(
                "Times must be monotonically increasing within each path. {}.time ({}) <= previous time ({})",
                &[&place, &time, &previous],
            )));
        }
        previous = time;
    }
    Ok(())
}

/// Returns a required number of a point, which must be finite. Texts are refused, even if they are numbers.
fn field(point: &Value, name: &str, place: &str) -> Result<f64, Failure> {
    match point.get(name) {
        None => Err(invalid(Words::format(
            "Missing '{}' in point at {}",
            &[&name, &place],
        ))),
        Some(Value::Number(number)) => number
            .as_f64()
            .filter(|number| number.is_finite())
            .ok_or_else(|| {
                invalid(Words::format(
                    "Field '{}' in point at {} must be a number, got: '{}'",
                    &[&name, &place, &number],
                ))
            }),
        Some(Value::Array(_) | Value::Object(_)) => Err(invalid(Words::format(
            "Field '{}' in point at {} must be a number",
            &[&name, &place],
        ))),
        Some(other) => {
            let display = other
                .as_str()
                .map_or_else(|| other.to_string(), str::to_owned);
            Err(invalid(Words::format(
                "Field '{}' in point at {} must be a number, got: '{}'",
                &[&name, &place, &display],
            )))
        }
    }
}
