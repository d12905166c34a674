//! Units that people write: durations such as `500ms`, `10s`, `2m`.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A duration with its unit, as flows write it: a whole or decimal number and `ms`, `s`, `m` or `h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct HumanDuration(pub Duration);

/// A duration that does not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a duration; write a number with a unit, such as `500ms`, `10s` or `2m`")]
pub struct DurationError(String);

/// Longest duration a flow may name: one day.
const LONGEST: Duration = Duration::from_hours(24);

impl std::str::FromStr for HumanDuration {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        let wrong = || DurationError(text.to_owned());
        let trimmed = text.trim();
        let unit_at = trimmed
            .find(|c: char| c.is_ascii_alphabetic())
            .ok_or_else(wrong)?;
        let (number, unit) = trimmed.split_at(unit_at);
        let seconds_per_unit = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(wrong()),
        };
        let number: f64 = number.trim_end().parse().map_err(|_| wrong())?;
        let duration =
            Duration::try_from_secs_f64(number * seconds_per_unit).map_err(|_| wrong())?;
        if duration > LONGEST {
            return Err(wrong());
        }
        Ok(Self(duration))
    }
}

impl std::fmt::Display for HumanDuration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let millis = self.0.as_millis();
        if millis.is_multiple_of(60_000) && millis > 0 {
            write!(f, "{}m", millis / 60_000)
        } else if millis.is_multiple_of(1000) {
            write!(f, "{}s", millis / 1000)
        } else {
            write!(f, "{millis}ms")
        }
    }
}

impl<'de> Deserialize<'de> for HumanDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Serialize for HumanDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for HumanDuration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "duration",
            "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$",
            "examples": ["500ms", "10s", "2m"],
        })
    }
}
