//! Places in an area, in pixels or as parts of its size.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use crate::{Failure, Words};
use runner_screen::{Point, Rect};
use runner_text::units::HumanDuration;

/// Limit for the duration of a finger's movement. Chosen: gestures last seconds; longer looks like a mistake
/// in the unit.
const MAX_MOVE_TIME: Duration = Duration::from_mins(1);

/// Checks the duration of a finger's movement: more than 0 and at most 1 minute. `what` describes the
/// movement in the error.
pub(super) fn move_time(what: &'static str, given: HumanDuration) -> Result<Duration, Failure> {
    if given.0.is_zero() || given.0 > MAX_MOVE_TIME {
        return Err(Failure::usage(Words::format(
            "`duration` is {}; {} takes more than nothing and at most 1m",
            &[&given, &Words::from(what)],
        )));
    }
    Ok(given.0)
}

/// Percentage of a whole, from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Deserialize)]
#[serde(try_from = "Value")]
pub struct Percent(pub f64);

/// Error of a text that is not a percentage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a part of a whole; write such as `50%`, at most `100%`")]
pub struct PercentError(String);

impl TryFrom<Value> for Percent {
    type Error = PercentError;

    /// Parses a percentage such as `50%`, from 0 to 100. The sign must follow the digits; spaces at the ends are
    /// ignored. All else is an error, also a number.
    fn try_from(value: Value) -> Result<Self, PercentError> {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let digits = text.trim().strip_suffix('%').unwrap_or_default();
        let is_plain = digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number = digits.parse().ok().filter(|_| is_plain);
        number
            .filter(|number| (0.0..=100.0).contains(number))
            .map(Self)
            .ok_or(PercentError(text))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

impl JsonSchema for Percent {
    fn schema_name() -> Cow<'static, str> {
        "Percent".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": r"^\s*(100(\.0+)?|\d{1,2}(\.\d+)?)%\s*$",
            "examples": ["50%"],
        })
    }
}

/// Distance from the left or upper edge of an area.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub enum Distance {
    Pixels(u32),
    /// Part of the area's width or height.
    Part(Percent),
}

/// Error of a text that is neither pixels nor a part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a place; write pixels such as `120`, or a part such as `50%`")]
pub struct DistanceError(String);

impl TryFrom<Value> for Distance {
    type Error = DistanceError;

    /// Parses whole pixels, as a number or text, or a percentage. Negative and fractional pixels are errors.
    fn try_from(value: Value) -> Result<Self, DistanceError> {
        if let Some(pixels) = value.as_u64().and_then(|pixels| u32::try_from(pixels).ok()) {
            return Ok(Self::Pixels(pixels));
        }
        let display = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        // The value of `${…}` may be text.
        if let Ok(pixels) = display.trim().parse() {
            return Ok(Self::Pixels(pixels));
        }
        Percent::try_from(value)
            .map(Self::Part)
            .map_err(|_| DistanceError(display))
    }
}

impl JsonSchema for Distance {
    fn schema_name() -> Cow<'static, str> {
        "Distance".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut part = Percent::json_schema(generator);
        let about = "Pixels such as `120`, or a part such as `50%`, at most `100%`.";
        part.insert("description".to_owned(), about.into());
        json_schema!({
            "anyOf": [{ "type": "integer", "minimum": 0, "maximum": u32::MAX }, part],
        })
    }
}

impl Distance {
    /// Returns the pixel of the display on an axis, for an area that begins at `low` and is `length` long.
    /// `None` if pixels reach beyond the area, or the area is empty. 100 % is the last pixel of the area.
    fn along(self, low: i32, length: u32) -> Option<i32> {
        match self {
            Self::Pixels(pixels) => (pixels < length).then(|| low + pixels as i32),
            // The last pixel is 100 %.
            Self::Part(part) => {
                let last = f64::from(length.checked_sub(1)?);
                Some(low + (last * part.0 / 100.0).round() as i32)
            }
        }
    }
}

/// A place in an area, such as the display or an element.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// From the left edge: pixels, or a part of the width such as `50%`.
    pub x: Distance,
    /// From the upper edge: pixels, or a part of the height such as `50%`.
    pub y: Distance,
}

impl Place {
    /// Returns the place, counted from the left upper corner of `area`, as a point of the display.
    ///
    /// # Errors
    ///
    /// If it lies outside the area.
    pub(super) fn within(self, area: Rect) -> Result<Point, Failure> {
        let x = self.x.along(area.left, area.width());
        let y = self.y.along(area.top, area.height());
        match (x, y) {
            (Some(x), Some(y)) => Ok(Point { x, y }),
            _ => Err(Failure::usage(Words::format(
                "the place lies outside: the area has {}x{} pixels; parts such as `50%` fit every size",
                &[&area.width(), &area.height()],
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place(x: Value, y: Value) -> Result<Place, serde_json::Error> {
        serde_json::from_value(json!({ "x": x, "y": y }))
    }

    #[test]
    fn places_are_pixels_or_parts() {
        let area = Rect::new(100, 200, 300, 601);
        for (x, y, expected) in [
            (json!(0), json!(0), Some((100, 200))),
            (json!("0%"), json!("100%"), Some((100, 600))),
            (json!("50%"), json!("12.5%"), Some((200, 250))),
            (json!(199), json!("7"), Some((299, 207))),
            (json!(200), json!(0), None),
            (json!(0), json!(401), None),
        ] {
            let point = place(x.clone(), y.clone()).unwrap().within(area).ok();
            let point = point.map(|point| (point.x, point.y));
            assert_eq!(point, expected, "{x} {y}");
        }
        let nowhere = place(json!("50%"), json!("50%")).unwrap();
        assert!(nowhere.within(Rect::new(5, 5, 5, 5)).is_err());
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for wrong in [
            json!(-1),
            json!(1.5),
            json!("101%"),
            json!("-1%"),
            json!("%"),
            json!("a%"),
            json!("1e1%"),
            json!("50 %"),
            json!(null),
            json!(true),
        ] {
            assert!(place(wrong.clone(), json!(0)).is_err(), "{wrong}");
        }
    }
}
