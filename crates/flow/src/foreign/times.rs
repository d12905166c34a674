//! Translates times with their unit in the key, such as `seconds: 2`, into durations, and knows times in words.

use std::sync::LazyLock;

use regex::Regex;

use super::element::regex;
use super::tables::{STEPS, lists, plain, rows};
use crate::yaml::Node;

/// Returns true for a time alone in a form that people write: `3`, `3s`, `3 seconds`, `for half a minute`.
pub(crate) fn is_time(text: &str) -> bool {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?ix)^\s*(?:for\s|about\s|max\s)?
            (?: \d+(?:[.,]\d+)?\s*(?:ms|msecs?|millis|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)?
              | (?:an?|half\san?|one|two|three|four|five|six|seven|eight|nine|ten|a\sfew|some|several)\s
                (?:milliseconds?|secs?|seconds?|mins?|minutes?|hours?)
            )\s*$",
        )
    });
    TIME.is_match(text)
}

/// Returns the milliseconds of a time with its unit: `10s`, `1.5 seconds`, `2m`. Returns `None` for other texts.
pub(crate) fn milliseconds(text: &str) -> Option<u64> {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)^\s*(\d{1,6})(?:[.,](\d{1,3}))?\s*(ms|msecs?|millis|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\s*$",
        )
    });
    let found = TIME.captures(text)?;
    let unit: u64 = match found[3].to_lowercase().as_str() {
        "ms" | "msec" | "msecs" | "millis" | "millisecond" | "milliseconds" => 1,
        "s" | "sec" | "secs" | "second" | "seconds" => 1000,
        _ => 60_000,
    };
    let whole: u64 = found[1].parse().ok()?;
    let part = found.get(2).map_or("0", |part| part.as_str());
    let thousandths: u64 = format!("{part:0<3}").parse().ok()?;
    Some(whole * unit + thousandths * unit / 1000)
}

/// Returns advice for a wait for a time in one text: `wait 3 seconds`, `sleep 3`, `pause for 2s`. Returns `None` for other
/// texts.
pub(crate) fn wait(text: &str) -> Option<String> {
    static WAIT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)^(?:please |then |and )?(?:wait[_ ]?for|wait|sleep|pause|delay|hold)[:=(]? ?(.+?)\)?$",
        )
    });
    let found = WAIT.captures(text.trim())?;
    let [ours, _] = rows(STEPS).find(|[_, words]| lists(words, "sleep"))?;
    is_time(&found[1]).then(|| format!("write {ours}"))
}

/// Returns advice for a key that names a unit of time and has a number, with number and unit: the step's `duration`
/// if it is among `names` and the key does not begin with `timeout` or `wait`, else the modifier `timeout`. Returns
/// `None` for other keys and values, and for a `timeout` where `names` has a key `timeout` of its own.
pub(crate) fn timed(key: &str, value: &Node, names: &[&str]) -> Option<String> {
    const UNITS: [(&str, &str); 3] = [
        (
            "ms",
            "ms millis milliseconds msec durationms durationmillis timeoutms timeoutmillis timeoutinms holdms waitms timeoutmilliseconds",
        ),
        (
            "s",
            "s sec secs seconds durationseconds timeoutseconds timeoutsec timeoutins holdseconds waitseconds durations",
        ),
        ("m", "minutes mins timeoutminutes"),
    ];
    let word = plain(key);
    let mut units = UNITS.iter();
    let (unit, _) = units.find(|(_, words)| lists(words, &word))?;
    let number = value.scalar()?.number()?;
    if names.contains(&"duration") && !word.starts_with("timeout") && !word.starts_with("wait") {
        return Some(format!("write `duration: {number}{unit}`"));
    }
    let is_free = !names.contains(&"timeout");
    is_free.then(|| {
        format!(
            "`timeout` is a modifier: write `timeout: {number}{unit}` on a line of its own, beside the step"
        )
    })
}
