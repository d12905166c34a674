//! Dates as text: ISO 8601 is parsed, and patterns of Unicode are written.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use serde_json::Value;

use super::value::ValueError;

/// Parses a date, a time, or both, in ISO 8601. A time zone is dropped, and the clock time stays as written.
/// A date alone is at midnight, a time alone on 1 January 2026. Returns `None` for any other text.
pub(super) fn parse_timestamp(text: &str) -> Option<NaiveDateTime> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.naive_local());
    }
    for format in ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"] {
        if let Ok(at) = NaiveDateTime::parse_from_str(text, format) {
            return Some(at);
        }
    }
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return date.and_hms_opt(0, 0, 0);
    }
    ["%H:%M:%S", "%H:%M"].iter().find_map(|format| {
        let time = NaiveTime::parse_from_str(text, format).ok()?;
        // A time alone still needs some day.
        Some(NaiveDate::from_ymd_opt(2026, 1, 1)?.and_time(time))
    })
}

/// Formats a date by the common letters of a Unicode TR35 pattern, in English. Text in single quotes and unknown
/// letters are copied; two quotes in a row give one, also inside quotes. Fails if `value` is not a date.
pub(super) fn format_date(value: &str, pattern: &str) -> Result<Value, ValueError> {
    let Some(at) = parse_timestamp(value) else {
        return Err(ValueError::NotDate(value.to_owned()));
    };
    let mut out = String::new();
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\'' {
            if letters.next_if_eq(&'\'').is_some() {
                out.push('\'');
                continue;
            }
            while let Some(quoted) = letters.next() {
                if quoted == '\'' && letters.next_if_eq(&'\'').is_none() {
                    break;
                }
                out.push(quoted);
            }
            continue;
        }
        let mut count = 1;
        while letters.peek() == Some(&letter) {
            letters.next();
            count += 1;
        }
        let code = match (letter, count) {
            ('y', 2) => "%y",
            ('y', _) => "%Y",
            ('M', 1) => "%-m",
            ('M', 2) => "%m",
            ('M', 3) => "%b",
            ('M', _) => "%B",
            ('d', 1) => "%-d",
            ('d', _) => "%d",
            ('E', 1..=3) => "%a",
            ('E', _) => "%A",
            ('h', 1) => "%-I",
            ('h', _) => "%I",
            ('H', 1) => "%-H",
            ('H', _) => "%H",
            ('m', 1) => "%-M",
            ('m', _) => "%M",
            ('s', 1) => "%-S",
            ('s', _) => "%S",
            ('a', _) => "%p",
            (other, count) => {
                out.extend(std::iter::repeat_n(other, count));
                continue;
            }
        };
        out.push_str(&at.format(code).to_string());
    }
    Ok(Value::String(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_by_their_patterns() {
        for (pattern, written) in [
            ("MMM d, yyyy h:mm a", "Jan 6, 2026 2:05 PM"),
            ("yy-MM-dd HH:mm:ss", "26-01-06 14:05:09"),
            ("H:m:s", "14:5:9"),
            ("h 'o''clock'", "2 o'clock"),
            ("''yy", "'26"),
            ("EEEE 'the' d'", "Tuesday the 6"),
        ] {
            let got = format_date("2026-01-06T14:05:09Z", pattern);
            assert_eq!(got, Ok(Value::from(written)), "{pattern}");
        }
        assert!(format_date("soon", "yyyy").is_err());
    }
}
