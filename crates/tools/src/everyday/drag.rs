//! Step `drag`: press, hold and move in one gesture.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

use super::element::area_outcome;
use super::place::{Place, move_time};
use crate::arguments::Arguments;
use crate::{Call, Failure, Outcome, Rehearsal, StepSyntax, StepValue, Tool, Words};
use runner_device::{FingerPath, Input};
use runner_engine::{DragSource, Readiness, Session};
use runner_screen::{Display, Point, Rect, Selector};
use runner_text::units::HumanDuration;

/// Limit for holding before the move. Chosen: apps react to a long press within a second or two.
const MAX_HOLD: Duration = Duration::from_secs(10);
/// Number of intermediate points. Chosen: an app sees where the finger goes, not only where it ends.
const STEPS: u32 = 4;
/// Time for which the finger rests before it leaves. Chosen: long enough that nothing flings.
const REST: Duration = Duration::from_millis(300);

/// One end of the drag.
#[derive(Debug, Clone, PartialEq)]
pub enum DragEnd {
    /// Middle of an element's visible part.
    Element(Selector),
    /// Place in an element, or on the display if none is named.
    Place(ElementPlace),
}

/// A place in an element, or on the display.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct ElementPlace {
    /// The element; by default the display.
    #[serde(default)]
    pub on: Option<Selector>,
    /// Where in it.
    pub at: Place,
}

impl<'de> Deserialize<'de> for DragEnd {
    /// Reads an end of a drag: a place in an element (`on`, `at`), a place on the display (`x`, `y`), else a selector.
    /// Keys that the form does not have are errors.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let has = |key: &str| value.get(key).is_some();
        if has("at") || has("on") {
            let place = ElementPlace::deserialize(value).map_err(D::Error::custom)?;
            return Ok(Self::Place(place));
        }
        if has("x") || has("y") {
            let at = Place::deserialize(value).map_err(D::Error::custom)?;
            return Ok(Self::Place(ElementPlace { on: None, at }));
        }
        let selector = Selector::from_value(&value).map_err(D::Error::custom)?;
        Ok(Self::Element(selector))
    }
}

impl JsonSchema for DragEnd {
    fn schema_name() -> Cow<'static, str> {
        "DragEnd".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let element = generator.subschema_for::<Selector>();
        let place = generator.subschema_for::<Place>();
        let inside = generator.subschema_for::<ElementPlace>();
        json_schema!({ "anyOf": [element, place, inside] })
    }
}

impl DragEnd {
    /// Returns the element to find. `None` for a place on the display.
    fn selector(&self) -> Option<&Selector> {
        match self {
            Self::Element(selector) => Some(selector),
            Self::Place(place) => place.on.as_ref(),
        }
    }

    /// Returns the named place if it lies in `area`.
    fn place_in(&self, area: Rect) -> Option<Point> {
        self.point(area).ok()
    }

    /// Returns the point of the display: the middle of the area for an element, else the place in it. A place outside
    /// the area is a failure of usage.
    fn point(&self, area: Rect) -> Result<Point, Failure> {
        match self {
            Self::Element(_) => Ok(area.center()),
            Self::Place(place) => place.at.within(area),
        }
    }
}

/// Arguments of `drag`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DragArgs {
    /// What is taken: an element, `{ x, y }` on the display, or `{ on, at: { x, y } }`.
    pub from: DragEnd,
    /// Where it is let go, in the same forms.
    pub to: DragEnd,
    /// How long the finger presses before it moves, at most `10s`. Apps take hold after about half a second.
    #[serde(default = "usual_hold")]
    pub hold: HumanDuration,
    /// How long the way takes.
    #[serde(default = "usual")]
    pub duration: HumanDuration,
    /// Drag it also while it is disabled or something lies above it.
    #[serde(default)]
    pub force: bool,
}

fn usual_hold() -> HumanDuration {
    HumanDuration(Duration::from_millis(600))
}

fn usual() -> HumanDuration {
    HumanDuration(Duration::from_millis(500))
}

#[derive(Debug)]
pub struct Drag;

impl Tool for Drag {
    const NAME: &'static str = "drag";
    const EXAMPLE: &'static str = "- drag: { from: Milk, to: Bread }\n- drag: { from: { id: volume }, to: { on: { id: volume }, at: { x: 90%, y: 50% } }, hold: 0ms }";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str =
        "Presses an element or a place, holds it, moves it to another and lets go.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    type Args = DragArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        let hold = args.get("hold").and_then(Value::as_str);
        let hold = hold.and_then(|hold| hold.parse().ok());
        hold.map_or(Ok(()), |hold| hold_time(hold).map(|_| ()))
    }

    /// Drags from one end to the other, with a hold before. Waits for both ends, each for the step's limit; the start
    /// must be enabled and free unless `force` is set, the end need not. The result is the element at the start, or a
    /// text if there is none. What the drag did is not checked.
    async fn call(session: &Session, args: DragArgs, call: &Call) -> Result<Outcome, Failure> {
        let hold = hold_time(args.hold)?;
        let duration = move_time("the way", args.duration)?;
        let start = |area: Rect, _: Display| Vec::from_iter(args.from.place_in(area));
        let source = DragSource {
            selector: args.from.selector(),
            readiness: Readiness::from_force(args.force),
            starts: match &args.from {
                DragEnd::Element(_) => None,
                DragEnd::Place(_) => Some(&start),
            },
        };
        let to = args.to.selector();
        let areas = session.drag_areas(source, to, call.timeout).await?;
        let from = match &args.from {
            DragEnd::Element(_) => areas.free,
            DragEnd::Place(_) => args.from.point(areas.from)?,
        };
        let to = args.to.point(areas.to)?;
        let input = Input::Fingers {
            paths: vec![path(from, to, hold, duration)],
            display: areas.display,
        };
        areas.guard.send(&[input]).await?;
        let text = Words::format(
            "Dragged from ({}, {}) to ({}, {})",
            &[&from.x, &from.y, &to.x, &to.y],
        );
        Ok(area_outcome(text, areas.element.as_ref()))
    }
}

/// Returns the hold, which may be 0. One of more than 10 s is a failure of usage.
fn hold_time(given: HumanDuration) -> Result<Duration, Failure> {
    if given.0 > MAX_HOLD {
        return Err(Failure::usage(Words::format(
            "`hold` is {}; a drag is held for at most 10s before it moves",
            &[&given],
        )));
    }
    Ok(given.0)
}

/// Builds the finger's path, with times from the beginning: it comes down at `from`, stays there for `hold`,
/// moves to `to` in 4 equal steps during `duration`, rests there for 300 ms and leaves.
fn path(from: Point, to: Point, hold: Duration, duration: Duration) -> FingerPath {
    let between = |a: i32, b: i32, step: u32| {
        let way = (i64::from(b) - i64::from(a)) * i64::from(step) / i64::from(STEPS);
        (i64::from(a) + way) as i32
    };
    let mut points = vec![(from, Duration::ZERO)];
    if !hold.is_zero() {
        points.push((from, hold));
    }
    points.extend((1..=STEPS).map(|step| {
        let point = Point {
            x: between(from.x, to.x, step),
            y: between(from.y, to.y, step),
        };
        (point, hold + duration * step / STEPS)
    }));
    points.push((to, hold + duration + REST));
    FingerPath { points }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_end_is_an_element_or_a_place() {
        let end = |value: Value| serde_json::from_value::<DragEnd>(value);
        let at = |value: Value| serde_json::from_value::<Place>(value).unwrap();
        let volume = Selector::from_value(&json!({ "id": "volume" })).unwrap();
        for (value, expected) in [
            (json!({ "id": "volume" }), DragEnd::Element(volume.clone())),
            (
                json!({ "x": 3, "y": "50%" }),
                DragEnd::Place(ElementPlace {
                    on: None,
                    at: at(json!({ "x": 3, "y": "50%" })),
                }),
            ),
            (
                json!({ "on": { "id": "volume" }, "at": { "x": "90%", "y": 0 } }),
                DragEnd::Place(ElementPlace {
                    on: Some(volume),
                    at: at(json!({ "x": "90%", "y": 0 })),
                }),
            ),
        ] {
            assert_eq!(end(value.clone()).unwrap(), expected, "{value}");
        }
        for (value, says) in [
            (json!({ "txt": "a" }), "txt"),
            (json!({ "x": 3 }), "`y`"),
            (json!({ "on": "a" }), "`at`"),
            (
                json!({ "on": "a", "at": { "x": 1, "y": 1 }, "id": "b" }),
                "`id`",
            ),
            (json!({ "x": "101%", "y": 0 }), "101%"),
            (json!(5), "selector"),
        ] {
            let message = end(value.clone()).unwrap_err().to_string();
            assert!(message.contains(says), "{value}: {message}");
        }
    }

    #[test]
    fn a_finger_holds_moves_and_rests() {
        let point = |x| Point { x, y: 7 };
        let ms = Duration::from_millis;
        let path = |hold| path(point(0), point(100), ms(hold), ms(400)).points;
        assert_eq!(
            path(600),
            [
                (point(0), ms(0)),
                (point(0), ms(600)),
                (point(25), ms(700)),
                (point(50), ms(800)),
                (point(75), ms(900)),
                (point(100), ms(1000)),
                (point(100), ms(1300)),
            ]
        );
        assert_eq!(path(0)[1], (point(25), ms(100)));
    }
}
