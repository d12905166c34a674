//! Step `two_fingers`: pinches, spreads and turns on an element.

use std::f64::consts::FRAC_PI_2;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::element::area_outcome;
use super::place::{Place, move_time};
use crate::arguments::Arguments;
use crate::{Call, Failure, Outcome, StepSyntax, StepValue, Tool, Words};
use runner_device::{FingerPath, Input};
use runner_engine::{DragSource, Readiness, Session};
use runner_screen::{Display, Point, Rect, Selector};
use runner_text::units::HumanDuration;

/// Distance of each finger from the middle at their closest, in pixels, if there is room. Chosen: a hand's
/// usual span on a phone.
const START_DISTANCE: f64 = 300.0;
/// Minimum distance of a finger from the middle, in pixels. Chosen: closer fingers merge into one for a
/// touchscreen.
const MIN_DISTANCE: f64 = 20.0;
/// Limit for the scale; its inverse is the minimum. Chosen: no display has room for more.
pub const MAX_SCALE: f64 = 50.0;
/// Limit for the turn, in degrees: one full turn.
pub const MAX_TURN_DEGREES: f64 = 360.0;
/// Degrees between two points of a turn, connected by straight lines. Chosen: the error of a chord is below
/// one percent.
const ARC_DEGREES: f64 = 15.0;

/// Arguments of `two_fingers`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoFingersArgs {
    /// The element; by default the display.
    #[serde(default)]
    pub on: Option<Selector>,
    /// The middle between the fingers, in the element; by default the element's middle.
    #[serde(default)]
    pub at: Option<Place>,
    /// How many times as far apart the fingers end: more than 1 zooms in, less than 1 zooms out.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: Option<f64>,
    /// How far the fingers turn, in degrees clockwise.
    #[serde(default)]
    #[schemars(range(min = -360, max = 360))]
    pub turn: Option<f64>,
    /// How long the way takes.
    #[serde(default = "usual")]
    pub duration: HumanDuration,
    /// Do it also while the element is disabled or something lies above it.
    #[serde(default)]
    pub force: bool,
}

const SAYS_NOTHING: &str = "say what the fingers do: `scale`, such as 2, or `turn`, such as 90";

fn usual() -> HumanDuration {
    HumanDuration(Duration::from_millis(500))
}

#[derive(Debug)]
pub struct TwoFingers;

impl Tool for TwoFingers {
    const NAME: &'static str = "two_fingers";
    const EXAMPLE: &'static str = "- two_fingers: { on: { id: map }, scale: 2 }\n- two_fingers: { on: { id: photo }, turn: 90 }";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str =
        "Moves two fingers apart, together or around on an element or a place: a pinch or a turn.";
    const HELP: &'static str = "Both fingers come down in the element. \
        A device whose shell may not write to its touchscreen refuses; the driver `uia2` can.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = TwoFingersArgs;

    /// Requires a scale or a turn; their values are checked at the call.
    fn check(args: &Arguments) -> Result<(), Failure> {
        match args.get("scale").or_else(|| args.get("turn")) {
            Some(_) => Ok(()),
            None => Err(Failure::usage(SAYS_NOTHING)),
        }
    }

    /// Moves two fingers around a place in an element or the display, by default its middle. The element must be
    /// enabled and free, unless `force` is set; it is the value. No room for both fingers around the place is a failure
    /// of usage. What the gesture did is not checked.
    async fn call(
        session: &Session,
        args: TwoFingersArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let (scale, turn) = check(&args)?;
        let duration = move_time("the way", args.duration)?;
        let way = |area: Rect| -> Result<TwoFingerMove, Failure> {
            let center = match args.at {
                Some(place) => place.within(area)?,
                None => area.center(),
            };
            Ok(TwoFingerMove {
                center,
                scale,
                turn,
                duration,
            })
        };
        let starts = |area: Rect, display: Display| {
            let way = way(area).ok();
            let paths = way.and_then(|way| way.paths(area, display.bounds()));
            let first = |path: FingerPath| path.points.first().map(|(point, _)| *point);
            paths.into_iter().flatten().filter_map(first).collect()
        };
        let source = DragSource {
            selector: args.on.as_ref(),
            readiness: Readiness::from_force(args.force),
            starts: Some(&starts),
        };
        let areas = session.drag_areas(source, None, call.timeout).await?;
        let area = areas.from;
        let way = way(area)?;
        let center = way.center;
        let paths = way.paths(area, areas.display.bounds()).ok_or_else(|| {
            Failure::usage(Words::format(
                "there is no room for two fingers around ({}, {}); take a larger element, a place further from its edge, or a smaller `scale`",
                &[&center.x, &center.y],
            ))
        })?;
        let input = Input::Fingers {
            paths,
            display: areas.display,
        };
        areas.guard.send(&[input]).await?;
        let text = Words::format("Moved two fingers around ({}, {})", &[&center.x, &center.y]);
        Ok(area_outcome(text, areas.element.as_ref()))
    }
}

/// Checks and returns scale and turn in degrees. At least one must be given; the other is then 1 or 0. The scale is
/// from 0.02 to 50, the turn from -360 to 360; all else is a failure of usage.
fn check(args: &TwoFingersArgs) -> Result<(f64, f64), Failure> {
    if args.scale.is_none() && args.turn.is_none() {
        return Err(Failure::usage(SAYS_NOTHING));
    }
    let (scale, turn) = (args.scale.unwrap_or(1.0), args.turn.unwrap_or(0.0));
    if !(1.0 / MAX_SCALE..=MAX_SCALE).contains(&scale) {
        return Err(Failure::usage(Words::format(
            "`scale` is {}; it is between 0.02 and 50",
            &[&scale],
        )));
    }
    if !(-MAX_TURN_DEGREES..=MAX_TURN_DEGREES).contains(&turn) {
        return Err(Failure::usage(Words::format(
            "`turn` is {}; it is between -360 and 360 degrees",
            &[&turn],
        )));
    }
    Ok((scale, turn))
}

/// Movement of two fingers on opposite sides of a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TwoFingerMove {
    pub(crate) center: Point,
    /// Ratio of the fingers' final to their initial distance.
    pub(crate) scale: f64,
    /// Turn in degrees, clockwise.
    pub(crate) turn: f64,
    pub(crate) duration: Duration,
}

impl TwoFingerMove {
    /// Returns the paths of two fingers that start at opposite sides of `center`. Both come down in `area`,
    /// at most 300 pixels from the centre (more if they come together), and stay on the display. Without a
    /// turn they move along the axis with more room; with one they start side by side, and the path is a
    /// curve of points. `None` if they would come nearer than 20 pixels to the centre.
    pub(crate) fn paths(self, area: Rect, display: Rect) -> Option<Vec<FingerPath>> {
        let center = self.center;
        let room = |at: i32, low: i32, high: i32| f64::from((at - low).min(high - 1 - at));
        // Fingers come down in the element; they may leave it, but not the display.
        let start = |inside: f64, around: f64| {
            let most = around / self.scale.max(1.0);
            inside.min(most).min(START_DISTANCE / self.scale.min(1.0))
        };
        let across = start(
            room(center.x, area.left, area.right),
            room(center.x, display.left, display.right),
        );
        let down = start(
            room(center.y, area.top, area.bottom),
            room(center.y, display.top, display.bottom),
        );
        let (start, first_angle) = if self.turn != 0.0 {
            (across.min(down), 0.0)
        } else if across > down {
            (across, 0.0)
        } else {
            (down, FRAC_PI_2)
        };
        let end = start * self.scale;
        let near = start.min(end);
        if near.is_nan() || near < MIN_DISTANCE {
            return None;
        }
        let steps = (self.turn.abs() / ARC_DEGREES).ceil().max(1.0) as u32;
        let finger = |side: f64| {
            let points = (0..=steps).map(|step| {
                let part = f64::from(step) / f64::from(steps);
                let away = side * (start + (end - start) * part);
                let (sin, cos) = (first_angle + self.turn.to_radians() * part).sin_cos();
                let point = Point {
                    x: center.x + (away * cos).round() as i32,
                    y: center.y + (away * sin).round() as i32,
                };
                (point, self.duration * step / steps)
            });
            FingerPath {
                points: points.collect(),
            }
        };
        Some(vec![finger(-1.0), finger(1.0)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISPLAY: Rect = Rect {
        left: 0,
        top: 0,
        right: 1000,
        bottom: 2000,
    };

    fn ways(scale: f64, turn: f64, area: Rect) -> Option<[Vec<(i32, i32)>; 2]> {
        let way = TwoFingerMove {
            center: area.center(),
            scale,
            turn,
            duration: Duration::from_millis(300),
        };
        let paths = way.paths(area, DISPLAY)?;
        let [one, other] = paths.as_slice() else {
            panic!("{paths:?}");
        };
        let of = |path: &FingerPath| path.points.iter().map(|(at, _)| (at.x, at.y)).collect();
        Some([of(one), of(other)])
    }

    #[test]
    fn fingers_come_down_in_the_element_and_stay_on_the_display() {
        let photo = Rect {
            left: 300,
            top: 900,
            right: 701,
            bottom: 1101,
        };
        for (scale, one, other) in [
            (2.0, [(300, 1000), (100, 1000)], [(700, 1000), (900, 1000)]),
            (0.5, [(300, 1000), (400, 1000)], [(700, 1000), (600, 1000)]),
        ] {
            let ways = ways(scale, 0.0, photo).unwrap();
            assert_eq!(ways, [one.to_vec(), other.to_vec()], "{scale}");
        }
        let [one, _] = ways(1.0, 90.0, photo).unwrap();
        assert_eq!((one[0], one[6]), ((400, 1000), (500, 900)));
        assert_eq!(one.len(), 7);
        let dot = Rect {
            left: 500,
            top: 500,
            right: 530,
            bottom: 530,
        };
        assert_eq!(ways(2.0, 0.0, dot), None);
    }
}
