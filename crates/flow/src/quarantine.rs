//! Quarantine of a flow: its failure does not fail the run.

use chrono::NaiveDate;
use serde_json::{Value, json};

/// Quarantine of a flow, with its reason and end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quarantine {
    /// Reason; empty if none is given.
    pub because: String,
    /// Last day, inclusive. `None`: no end.
    pub until: Option<NaiveDate>,
    /// Ticket or address where the problem is tracked.
    pub issue: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a day of the calendar; write it as 2026-12-31")]
pub struct DayError(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no reason for a quarantine; say why the flow fails, or name a ticket such as `#123`"
)]
pub struct ReasonError(String);

/// Words that mean yes, no or nothing, and so are no reasons.
const EMPTY_WORDS: [&str; 32] = [
    "yes",
    "y",
    "yep",
    "yeah",
    "yup",
    "no",
    "n",
    "nope",
    "nah",
    "never",
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
    "void",
    "ok",
    "okay",
    "enabled",
    "enable",
    "disabled",
    "disable",
    "not",
];

/// Checks that a text gives a reason: a word that says something, not only `yes`, `n/a` or a number, or a ticket of
/// at least three digits, with `#` or without, that are not all 0. Case and full-width forms do not count. An empty
/// text and signs alone are errors.
pub(super) fn check_reason(text: &str) -> Result<(), ReasonError> {
    let plain: String = text.chars().map(narrow).collect();
    let plain = plain.to_lowercase();
    let digits = plain.trim().strip_prefix('#').unwrap_or(plain.trim());
    let is_ticket = digits.len() >= 3
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.bytes().any(|byte| byte != b'0');
    let words: Vec<&str> = plain
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| word.chars().any(char::is_alphabetic))
        .collect();
    let is_empty = |word: &str| EMPTY_WORDS.contains(&word) || is_number(word);
    // Joined, because `n/a` and `n-o` are split at their signs.
    let is_reason = words.iter().any(|word| !is_empty(word)) && !is_empty(&words.concat());
    if is_ticket || is_reason {
        return Ok(());
    }
    Err(ReasonError(text.to_owned()))
}

/// Converts a full-width character to the ordinary one; returns any other as it is.
fn narrow(char: char) -> char {
    match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char),
        _ => char,
    }
}

/// Returns true for a lower-case number in any notation, such as `0x1f` and `1e5`. One with a sign is false. `0x`
/// alone is true.
fn is_number(word: &str) -> bool {
    let is_radix = ["0x", "0o", "0b"].iter().any(|radix| {
        let digits = word.strip_prefix(radix);
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
    });
    is_radix || word.starts_with(|char: char| char.is_ascii_digit()) && word.parse::<f64>().is_ok()
}

impl Quarantine {
    /// Returns true if the last day is before `today`. On that day itself, and without a last day, it is
    /// false.
    pub fn has_ended(&self, today: NaiveDate) -> bool {
        self.until.is_some_and(|until| until < today)
    }

    /// Returns the number of days after `today`, 0 on the last day; `None` if there is no end or it has passed.
    pub fn days_left(&self, today: NaiveDate) -> Option<i64> {
        let left = self.until?.signed_duration_since(today).num_days();
        (left >= 0).then_some(left)
    }
}

/// Parses a date in exactly the form `2026-12-31`. Other forms, blanks around it and days that do not exist are
/// errors; days in the past are not.
pub(super) fn day(text: &str) -> Result<NaiveDate, DayError> {
    let wrong = || DayError(text.to_owned());
    // chrono also accepts `2026-1-2`, which people read in two ways, blanks before a number, and a sign.
    let is_part = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    let is_iso = text.len() == 10 && text.bytes().enumerate().all(is_part);
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| wrong())?;
    is_iso.then_some(day).ok_or_else(wrong)
}

/// Returns the schema of the short forms: `true`, `false` or the reason.
pub(super) fn short_schema() -> Value {
    json!({ "type": ["boolean", "string"], "minLength": 1 })
}

/// Returns the schema of the map form; `because` is required. The day is a plain text in it; [`day`] parses
/// it.
pub(super) fn map_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["because"],
        "properties": {
            "because": { "type": "string", "minLength": 1, "description": "The reason." },
            "until": { "type": "string", "examples": ["2026-12-31"], "description": "The last day of the quarantine, as 2026-12-31." },
            "issue": { "type": "string", "minLength": 1, "description": "Where its end is worked on: a ticket, an address." },
        },
    })
}

/// Returns the schema for editors: the short form or the map, with a pattern for the day.
pub(super) fn schema() -> Value {
    let mut map = map_schema();
    // Only for editors: the parser's own message is better than that of a pattern.
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
            "000",
            "#000",
            "0x0",
            "0x1F",
            "ｎｏ",
            "１２",
            "ＴＲＵＥ",
            "nope",
            "never",
            "disabled",
            "no no",
            "n-o",
            "yes, no",
            "1e5",
        ] {
            assert!(check_reason(text).is_err(), "{text}");
        }
        for text in [
            "flaky",
            "#123",
            "4711",
            "PAY-12",
            "no network in CI",
            "not yet",
            "OTP",
            "x",
            "2FA",
            "true negatives only",
            "坏了",
            "ANR",
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
            " 2026-1-01",
            "2026- 1-01",
            "2026-01- 1",
            "+2026-1-01",
            "02026-1-01",
            "2026-01-1 ",
        ] {
            assert!(day(text).is_err(), "{text}");
        }
    }
}
