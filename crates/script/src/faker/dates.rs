//! Dates near today, and social security numbers, for `faker`.

use chrono::{Duration, Local, NaiveDateTime};
use fake::RngExt as _;
use fake::rand::rngs::StdRng;

/// Mean length of a year in days.
const YEAR: f64 = 365.25;
const DAY: i64 = 86_400;
/// Description of valid arguments, for errors.
pub(super) const TAKES: &str =
    "numbers, a unit such as 'DAYS', and a pattern of yyyy, MM, dd, HH, mm and ss";

/// Makes a date around now, in local time. `date.birthday` takes two ages in years, 18 and 65 without them.
/// `date.past` and any other name (the future) take a greatest distance and its unit (`SECONDS` to `DAYS`), 365
/// `DAYS` without them. Numbers and other arguments may come in any order, so a pattern for these comes after the
/// unit; numbers are clamped to 0 to 10,000. Returns `None` for an unknown unit or pattern.
pub(super) fn day(name: &str, arguments: &[String], rng: &mut StdRng) -> Option<String> {
    let now = Local::now().naive_local();
    let (numbers, rest): (Vec<_>, Vec<_>) = arguments
        .iter()
        .map(String::as_str)
        .partition(|argument| argument.trim().parse::<f64>().is_ok());
    let number = |place: usize, default: f64| {
        let number = numbers.get(place).and_then(|text| text.trim().parse().ok());
        number.unwrap_or(default).clamp(0.0, 10_000.0)
    };
    if name == "date.birthday" {
        let (min, max) = (number(0, 18.0), number(1, 65.0));
        let age = min + rng.random::<f64>() * (max - min).max(0.0);
        return format_date(earlier(now, (age * YEAR) as i64 * DAY), rest.first());
    }
    let (unit, pattern) = match rest.as_slice() {
        [unit, pattern @ ..] => (*unit, pattern.first()),
        [] => ("DAYS", None),
    };
    let seconds = match unit {
        "SECONDS" => 1,
        "MINUTES" => 60,
        "HOURS" => 3600,
        "DAYS" => DAY,
        _ => return None,
    };
    let max = (number(0, 365.0) as i64).max(1) * seconds;
    let distance = rng.random_range(1..=max);
    let signed = if name == "date.past" {
        distance
    } else {
        -distance
    };
    format_date(earlier(now, signed), pattern)
}

fn earlier(now: NaiveDateTime, seconds: i64) -> NaiveDateTime {
    now.checked_sub_signed(Duration::seconds(seconds))
        .unwrap_or(now)
}

/// Formats a date with a pattern of Java's `SimpleDateFormat`; without one as Java's `Timestamp` prints it. Other
/// signs are copied. `None` if the pattern has other letters than those of dates and times in numbers, or a quote.
fn format_date(day: NaiveDateTime, pattern: Option<&&str>) -> Option<String> {
    let Some(pattern) = pattern else {
        return Some(day.format("%Y-%m-%d %H:%M:%S%.3f").to_string());
    };
    let mut result = String::new();
    let mut rest = *pattern;
    while let Some(letter) = rest.chars().next() {
        let length = rest.len() - rest.trim_start_matches(letter).len();
        let (word, after) = rest.split_at(length);
        rest = after;
        let format = match word {
            "yyyy" | "uuuu" => "%Y",
            "yy" => "%y",
            "MM" => "%m",
            "M" => "%-m",
            "dd" => "%d",
            "d" => "%-d",
            "HH" => "%H",
            "mm" => "%M",
            "ss" => "%S",
            _ if letter.is_ascii_alphabetic() || letter == '\'' => return None,
            other => {
                result.push_str(other);
                continue;
            }
        };
        result.push_str(&day.format(format).to_string());
    }
    Some(result)
}

/// Makes a social security number of the United States. `idNumber.invalid` makes one that is never assigned.
/// `idNumber.valid` and `idNumber.ssnValid` make any other. `None` for other names.
pub(super) fn number_of_person(name: &str, rng: &mut StdRng) -> Option<String> {
    let area = match name {
        "idNumber.valid" | "idNumber.ssnValid" => match rng.random_range(1..899) {
            666 => 667,
            area => area,
        },
        "idNumber.invalid" => [0, 666, 900][rng.random_range(0..3_usize)],
        _ => return None,
    };
    let (group, serial) = (rng.random_range(1..100), rng.random_range(1..10_000));
    Some(format!("{area:03}-{group:02}-{serial:04}"))
}
