//! Durations as people write them: `500ms`, `10s`, `2m`.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Duration as written in a flow: a whole or decimal number and `ms`, `s`, `m` or `h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct HumanDuration(pub Duration);

/// Text that is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a duration; write a number with a unit, such as `500ms`, `10s` or `2m`")]
pub struct DurationError(String);

/// Longest duration that a flow may state. Chosen: one day; a longer one is a slip.
const MAX_DURATION: Duration = Duration::from_hours(24);

impl std::str::FromStr for HumanDuration {
    type Err = DurationError;

    /// Parses one number, whole or decimal, and one unit in small letters: `ms`, `s`, `m` or `h`. Blanks may stand
    /// around both. `0s` and `-0s` are valid. Errors are a missing unit, two numbers as in `1m30s`, another negative
    /// number, and more than `MAX_DURATION`.
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
        if duration > MAX_DURATION {
            return Err(wrong());
        }
        Ok(Self(duration))
    }
}

impl std::fmt::Display for HumanDuration {
    /// Writes whole minutes as `2m`, also those of hours, whole seconds as `10s`, and all else as `500ms`; zero is
    /// `0s`. Parts of a millisecond are dropped.
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

/// Measured or remaining duration, rounded for people: `120ms`, `1.5s`, `12s`, `2m 05s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundedDuration(pub Duration);

impl std::fmt::Display for RoundedDuration {
    /// Writes milliseconds below a second, else seconds with a tenth that is not 0, and from 59.95 s on minutes and
    /// seconds, never hours.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = self.0.as_millis();
        // To tenths; what would round up to a minute is one.
        let tenths = (ms + 50) / 100;
        let seconds = (ms + 500) / 1000;
        match ms {
            0..1000 => write!(f, "{ms}ms"),
            1000..59_950 if tenths.is_multiple_of(10) => write!(f, "{}s", tenths / 10),
            1000..59_950 => write!(f, "{}.{}s", tenths / 10, tenths % 10),
            _ => write!(f, "{}m {:02}s", seconds / 60, seconds % 60),
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

    /// Returns the schema of a text with a number and a unit. Its pattern cannot say that a day is the most.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "duration",
            "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$",
            "examples": ["500ms", "10s", "2m"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_is_rounded() {
        for (micros, written) in [
            (0, "0ms"),
            (999_900, "999ms"),
            (1_502_385, "1.5s"),
            (1_960_000, "2s"),
            (12_000_000, "12s"),
            (59_949_000, "59.9s"),
            (59_950_000, "1m 00s"),
            (125_400_000, "2m 05s"),
        ] {
            let rounded = RoundedDuration(Duration::from_micros(micros)).to_string();
            assert_eq!(rounded, written);
        }
    }
}
