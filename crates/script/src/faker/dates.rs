//! Days of `faker`, near the day on which the run is, and numbers of persons.

use chrono::{Duration, Local, NaiveDateTime};
use fake::RngExt as _;
use fake::rand::rngs::StdRng;

/// Days of a year.
const YEAR: f64 = 365.25;
/// Seconds of a day.
const DAY: i64 = 86_400;
/// What a pattern may hold.
pub(super) const TAKES: &str =
    "numbers, a unit such as 'DAYS', and a pattern of yyyy, MM, dd, HH, mm and ss";

/// A day of this name; nothing where an argument is none that there is.
pub(super) fn day(name: &str, arguments: &[String], rng: &mut StdRng) -> Option<String> {
    let now = Local::now().naive_local();
    let (numbers, rest): (Vec<_>, Vec<_>) = arguments
        .iter()
        .map(String::as_str)
        .partition(|argument| argument.trim().parse::<f64>().is_ok());
    let number = |place: usize, usual: f64| {
        let number = numbers.get(place).and_then(|text| text.trim().parse().ok());
        number.unwrap_or(usual).clamp(0.0, 10_000.0)
    };
    if name == "date.birthday" {
        let (least, most) = (number(0, 18.0), number(1, 65.0));
        let age = least + rng.random::<f64>() * (most - least).max(0.0);
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
    let most = (number(0, 365.0) as i64).max(1) * seconds;
    let distance = rng.random_range(1..=most);
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

/// As Java writes it, or as a pattern of Java's has it.
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

/// A number of the United States' social security, or one that none may be.
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
