//! The quarantine of a flow: why its failure does not fail the run, and until when.

use chrono::NaiveDate;
use serde_json::{Value, json};

/// Why the failure of a flow does not fail the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quarantine {
    /// The reason; empty where nobody said one.
    pub because: String,
    /// Its last day. Without one it does not end.
    pub until: Option<NaiveDate>,
    /// Where its end is worked on: a ticket, an address.
    pub issue: Option<String>,
}

/// A text that is not the date of a day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a day of the calendar; write it as 2026-12-31")]
pub struct DayError(String);

/// A text that gives no reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no reason for a quarantine; say why the flow fails, or name a ticket such as `#123`"
)]
pub struct ReasonError(String);

/// Words of yes, no and nothing, without signs between their letters.
const EMPTY_WORDS: [&str; 20] = [
    "yes",
    "y",
    "no",
    "n",
    "true",
    "t",
    "false",
    "f",
    "on",
    "off",
    "none",
    "null",
    "nil",
    "na",
    "nan",
    "nothing",
    "empty",
    "undefined",
    "ok",
    "enabled",
];

/// Checks that a text gives a reason: words, or a ticket of at least three digits.
pub(super) fn check_reason(text: &str) -> Result<(), ReasonError> {
    let letters: String = text.chars().filter(|char| char.is_alphanumeric()).collect();
    let letters = letters.to_lowercase();
    let digits = text.trim().strip_prefix('#').unwrap_or(text.trim());
    let is_ticket = digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let has_word =
        letters.chars().any(char::is_alphabetic) && !EMPTY_WORDS.contains(&letters.as_str());
    if is_ticket || has_word {
        return Ok(());
    }
    Err(ReasonError(text.to_owned()))
}

impl Quarantine {
    /// Whether it is over on this day: its last day counts.
    pub fn has_ended(&self, today: NaiveDate) -> bool {
        self.until.is_some_and(|until| until < today)
    }

    /// How many days are left after this one; none where it does not end, or is over.
    pub fn days_left(&self, today: NaiveDate) -> Option<i64> {
        let left = self.until?.signed_duration_since(today).num_days();
        (left >= 0).then_some(left)
    }
}

/// `2026-12-31` as a day.
pub(super) fn day(text: &str) -> Result<NaiveDate, DayError> {
    let wrong = || DayError(text.to_owned());
    // chrono takes `2026-1-2` too, which people read in two ways.
    let is_iso = text.len() == 10 && text.is_ascii();
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| wrong())?;
    is_iso.then_some(day).ok_or_else(wrong)
}

/// The schema where it is `true`, `false` or the reason alone.
pub(super) fn short_schema() -> Value {
    json!({ "type": ["boolean", "string"], "minLength": 1 })
}

/// The schema where it is a map. Its day is text here; [`day`] reads it.
pub(super) fn map_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["because"],
        "properties": {
            "because": { "type": "string", "minLength": 1, "description": "The reason." },
            "until": { "type": "string", "description": "The last day of the quarantine, as 2026-12-31." },
            "issue": { "type": "string", "minLength": 1, "description": "Where its end is worked on: a ticket, an address." },
        },
    })
}

/// The schema for editors.
pub(super) fn schema() -> Value {
    let mut map = map_schema();
    // An editor has nobody to read the day; what reads it says more than that a pattern does not fit.
    map["properties"]["until"]["pattern"] = json!(r"^\d{4}-\d{2}-\d{2}$");
    json!({
        "description": "The flow runs and is reported, but its failure does not fail the run: `true`, the reason, or a map with the reason and the last day.",
        "anyOf": [short_schema(), map],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_day_counts() {
        let quarantine = Quarantine {
            until: Some(day("2026-12-31").unwrap()),
            ..Quarantine::default()
        };
        for (today, ended, left) in [
            ("2026-12-24", false, Some(7)),
            ("2026-12-31", false, Some(0)),
            ("2027-01-01", true, None),
        ] {
            let today = day(today).unwrap();
            assert_eq!(quarantine.has_ended(today), ended, "{today}");
            assert_eq!(quarantine.days_left(today), left, "{today}");
        }
        let endless = Quarantine::default();
        assert!(!endless.has_ended(day("9999-12-31").unwrap()));
    }

    #[test]
    fn a_reason_has_words_or_is_a_ticket() {
        for text in [
            "",
            " ",
            "   ",
            "0",
            "1",
            "12",
            "#12",
            "-",
            "?",
            "!!!",
            "...",
            "~",
            "1.5",
            "no",
            "No.",
            "YES!",
            "true",
            "FALSE",
            "on",
            "off",
            "none",
            "None",
            "null",
            "NULL",
            "n/a",
            "N.A.",
            "nil",
            "y",
            "n",
            "'no'",
            "(none)",
            "2026-01-01",
            "🙈",
            "# 123 4",
        ] {
            assert!(check_reason(text).is_err(), "{text}");
        }
        for text in [
            "flaky",
            "#123",
            "4711",
            "PAY-12",
            "x",
            "no network in CI",
            "nothing works",
            "вход сломан",
            "決済が失敗",
            "https://example.com/1",
        ] {
            assert!(check_reason(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn only_days_of_the_calendar_are_days() {
        assert!(day("2028-02-29").is_ok());
        for text in [
            "2026-02-29",
            "2026-13-01",
            "2026-1-01",
            "31.12.2026",
            "",
            "2026-12-311",
        ] {
            assert!(day(text).is_err(), "{text}");
        }
    }
}
