//! Translates times with their unit in the key, such as `seconds: 2`, into durations.

use super::tables::{lists, plain};
use crate::yaml::Node;

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
