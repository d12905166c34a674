//! Advice for texts that are no duration: other units and notations, words, and times that are too long.

use super::value_advice;
use runner_text::units::HumanDuration;

/// Returns help for a text that is no duration: a negative time, a number in words, with a comma, without a unit or
/// with another word for it, several units, more than a day, or a word such as `never`. A number of 1000 or more is
/// taken for milliseconds. Returns `None` for other texts.
pub(crate) fn number_with_unit(text: &str) -> Option<String> {
    const NO_LIMIT: [&str; 9] = [
        "none",
        "never",
        "infinite",
        "infinity",
        "unlimited",
        "forever",
        "off",
        "no",
        "false",
    ];
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('-') {
        let is_time = rest.parse::<HumanDuration>().is_ok();
        let example = if is_time { rest } else { "10s" };
        return Some(format!(
            "no time is less than nothing; write one such as `{example}`"
        ));
    }
    let pointed = value_advice::with_point(text);
    if let Some(pointed) = pointed.filter(|text| text.parse::<HumanDuration>().is_ok()) {
        return Some(format!("a decimal number has a point: write `{pointed}`"));
    }
    if let Some(seconds) = value_advice::seconds(text) {
        return Some(write(&format!("{seconds}s")));
    }
    if let Some(time) = value_advice::spelled(text) {
        return Some(format!("write `{time}`"));
    }
    if NO_LIMIT.contains(&text.to_lowercase().as_str()) {
        return Some(
            "there is always a limit: write a long one, such as `30m`, or leave the key out for the usual one"
                .to_owned(),
        );
    }
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic()).trim();
    let number: f64 = digits.parse().ok()?;
    let word = text.trim_start_matches(digits).trim().to_lowercase();
    match word.as_str() {
        "" if number <= 0.0 => {
            Some("write a time such as `30s`, or leave the key out for the usual one".to_owned())
        }
        // A large number is probably in milliseconds.
        "" if number >= 1000.0 => Some(possible(&format!("{number}ms"), |time| {
            format!("give it a unit: `{time}` for milliseconds")
        })),
        "" => Some(format!(
            "give it a unit: `{number}s` for seconds, `{number}ms` for milliseconds"
        )),
        // The number, because `1e3` is one, but no part of a time.
        word => Some(write(&format!("{number}{}", unit(word)?))),
    }
}

/// Returns advice to write a time, or that it is longer than the longest one.
fn write(time: &str) -> String {
    possible(time, |time| format!("write `{time}`"))
}

/// Returns the advice of `advice` for a time, or that it is longer than the longest one.
fn possible(time: &str, advice: impl Fn(&str) -> String) -> String {
    if time.parse::<HumanDuration>().is_ok() {
        advice(time)
    } else {
        "a day is the longest time: write at most `24h`".to_owned()
    }
}

/// Returns the unit that a word in lower case means, such as `s` for `secs`; `None` for other words, as for `months`.
fn unit(word: &str) -> Option<&'static str> {
    const UNITS: [(&str, &str); 4] = [
        ("ms", "ms mil"),
        ("s", "sec sek seg"),
        ("m", "min"),
        ("h", "hr hour hora heure std stunde"),
    ];
    let means = |begins: &str| begins.split(' ').any(|begin| word.starts_with(begin));
    let mut units = UNITS.iter();
    units
        .find(|(unit, begins)| *unit == word || means(begins))
        .map(|(unit, _)| *unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_advised_is_a_time() {
        for (text, wanted) in [
            ("5 sec", Some("`5s`")),
            ("5 Sekunden", Some("`5s`")),
            ("5S", Some("`5s`")),
            (" 5 sec ", Some("`5s`")),
            ("5 minutes", Some("`5m`")),
            ("5 hours", Some("`5h`")),
            ("5 Stunden", Some("`5h`")),
            ("300 millis", Some("`300ms`")),
            ("300 msec", Some("`300ms`")),
            ("1h30m", Some("`5400s`")),
            ("5", Some("`5s`")),
            ("999.5", Some("`999.5s`")),
            ("1000", Some("`1000ms`")),
            ("1e3", Some("`1000ms`")),
            ("1e3 sec", Some("`1000s`")),
            ("90000000", Some("at most `24h`")),
            ("1e999", Some("at most `24h`")),
            ("90000h", Some("at most `24h`")),
            ("25 hours", Some("at most `24h`")),
            ("30h 5m", Some("at most `24h`")),
            ("5 months", None),
            ("5 semanas", None),
            ("5 moments", None),
            ("soon", None),
        ] {
            let told = number_with_unit(text);
            assert_eq!(told.is_some(), wanted.is_some(), "{text}: {told:?}");
            let told = told.unwrap_or_default();
            assert!(told.contains(wanted.unwrap_or_default()), "{text}: {told}");
        }
    }
}
