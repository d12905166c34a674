//! Advice for values that a schema refuses: words for numbers and choices, values inside of a map, examples.

use std::time::Duration;

use runner_text::suggest::suggest;
use runner_text::units::HumanDuration;
use serde_json::Value;

use super::check::types;
use super::foreign;
use super::scalar::{self, choices, is_duration, least};
use super::yaml::{Key, Node, NodeKind};

/// Table of choices: a choice, and words for it.
const CHOICES: &str = include_str!("foreign/choices.tsv");

/// Words for numbers.
const NUMBERS: [(&str, u32); 14] = [
    ("zero", 0),
    ("one", 1),
    ("once", 1),
    ("two", 2),
    ("twice", 2),
    ("three", 3),
    ("thrice", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
];

/// Words for places in a row, from 0.
const PLACES: [(&str, i32); 12] = [
    ("first", 0),
    ("1st", 0),
    ("second", 1),
    ("2nd", 1),
    ("third", 2),
    ("3rd", 2),
    ("fourth", 3),
    ("4th", 3),
    ("fifth", 4),
    ("5th", 4),
    ("last", -1),
    ("end", -1),
];

/// Returns the letters and digits of a text in lower case.
fn plain(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns help for a text that is none of the choices: the one that another word means, the one that it begins with,
/// the most similar, or all. Returns `None` only without choices.
pub(crate) fn choice(text: &str, choices: &[&str]) -> Option<String> {
    let word = plain(text);
    let mut rows = CHOICES.lines().filter_map(|line| line.split_once('\t'));
    let meant = rows.find(|(ours, words)| {
        choices.contains(ours) && words.split(' ').any(|known| known == word)
    });
    // `landscape mode` begins with a choice.
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = choices.iter().find(|choice| **choice == first);
    match meant.map(|(ours, _)| ours).or(first.copied()) {
        Some(ours) => Some(format!("write `{ours}`")),
        None => suggest(text, choices.iter().copied()),
    }
}

/// Returns a time whose number is a word: `10s` of `ten seconds`. Returns `None` for other texts.
pub(crate) fn spelled(text: &str) -> Option<HumanDuration> {
    let text = text.trim().to_lowercase();
    let (word, unit) = text.split_once(' ')?;
    let (_, number) = NUMBERS.iter().find(|(known, _)| *known == word)?;
    let time = foreign::milliseconds(&format!("{number} {unit}"))?;
    Some(HumanDuration(Duration::from_millis(time)))
}

/// Returns a decimal number with a point in place of its comma, with what stands behind it: `1.5s` of `1,5s`. Returns
/// `None` for other texts.
pub(crate) fn with_point(text: &str) -> Option<String> {
    let (whole, rest) = text.trim().split_once(',')?;
    let is_number = |digits: &str| {
        let digits = digits.strip_prefix('-').unwrap_or(digits);
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    let begins = rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains(',');
    (is_number(whole) && begins).then(|| format!("{whole}.{rest}"))
}

/// Returns the number that a text means where a number is expected: `three`, `3x`, `90deg`, and where the schema
/// takes broken numbers `150%` and `1,5` (both 1.5). A place such as `last` (-1) or `first` (0) counts where whole
/// numbers below 0 are allowed. Returns `None` for other texts, for times such as `5s`, and for a fraction where a
/// whole number is expected. Limits are not checked.
pub(crate) fn number(text: &str, schema: &Value) -> Option<String> {
    let takes_broken = types(schema).is_some_and(|types| types.contains(&"number"));
    let word = text.trim().to_lowercase();
    if let Some((_, number)) = NUMBERS.iter().find(|(known, _)| *known == word) {
        return Some(number.to_string());
    }
    if !takes_broken
        && least(schema).is_none_or(|least| least < 0.0)
        && let Some((_, place)) = PLACES.iter().find(|(known, _)| *known == word)
    {
        return Some(place.to_string());
    }
    let word = with_point(&word).filter(|_| takes_broken).unwrap_or(word);
    if word.parse::<HumanDuration>().is_ok() {
        return None;
    }
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-');
    let (digits, unit) = word.split_at(end.unwrap_or(word.len()));
    let value: f64 = digits.parse().ok()?;
    let is_whole = value.fract() == 0.0;
    match unit.trim() {
        "%" if takes_broken => Some((value / 100.0).to_string()),
        "" | "x" | "times" | "deg" | "degrees" | "°" | "px" | "pixels" | "characters" | "chars"
        | "letters" | "rounds" | "retries" | "attempts" | "elements" => {
            (is_whole || takes_broken).then(|| value.to_string())
        }
        _ => None,
    }
}

/// Returns the seconds of a time with several units or in another notation: `1m30s`, `1h 30m`, `PT5S`, `01:30` (90)
/// or `1:00:00`. Case does not count. Returns `None` for other texts, also for one number with one unit.
pub(crate) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim().to_lowercase();
    if text.contains(':') {
        let parts: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
        let parts = parts.filter(|parts| parts.len() <= 3)?;
        return Some(
            parts
                .into_iter()
                .fold(0.0, |sum, part| sum * 60.0 + f64::from(part)),
        );
    }
    let is_iso = text.starts_with("pt");
    let mut rest = text.trim_start_matches("pt").trim_start();
    let mut parts = 0;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        let behind = rest[end..].trim_start();
        let unit_end = behind.find(|c: char| !c.is_alphabetic());
        let (unit, after) = behind.split_at(unit_end.unwrap_or(behind.len()));
        sum += number
            * match unit {
                "h" | "hr" | "hours" | "hour" => 3600.0,
                "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
                "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
                "ms" => 0.001,
                _ => return None,
            };
        parts += 1;
        rest = after.trim_start();
    }
    (parts > 1 || is_iso && parts == 1).then_some(sum)
}

/// Returns the text in the form of a pattern that it misses by little: as a share in percent (`0.5`, `half`), without
/// blanks, or with `-` for blanks. The first that the pattern matches counts; `None` if no form matches.
pub(crate) fn in_form(text: &str, pattern: &regex::Regex) -> Option<String> {
    let share = text.trim().parse::<f64>().ok();
    let share = share.filter(|share| *share > 0.0 && *share <= 1.0);
    let share = share.map(|share| format!("{}%", (share * 100.0).round()));
    let word = match plain(text).as_str() {
        "half" | "center" | "centre" | "middle" => Some("50%"),
        "full" | "all" | "whole" | "true" | "yes" | "fully" | "complete" | "entire" => Some("100%"),
        _ => None,
    };
    let squeezed: String = text.split_whitespace().collect();
    let joined = text.split_whitespace().collect::<Vec<_>>().join("-");
    let is_amount = squeezed.starts_with(|c: char| c.is_ascii_digit());
    let forms = [
        share,
        word.map(str::to_owned),
        Some(squeezed).filter(|_| is_amount),
        Some(joined),
    ];
    let mut forms = forms.into_iter().flatten();
    forms.find(|form| form != text && pattern.is_match(form))
}

/// Returns advice for a map in place of one value, with one entry that has the value: `{ times: 3 }`. A text is not
/// quoted, because it may be a secret. `forms` are the schemas of the value. Returns `None` for other maps, and if
/// the value fits none of them.
pub(crate) fn only_value(entries: &[(Key, Node)], forms: &[&Value]) -> Option<String> {
    let [(key, node)] = entries else {
        return None;
    };
    let given = node.scalar().filter(|_| !node.is_missing())?;
    let mut fitting = forms
        .iter()
        .filter(|form| scalar::fits(given, form) && scalar::check(given, form).is_ok());
    let form = fitting.next()?;
    let is_text = types(form).is_some_and(|types| types == ["string"]) && !is_duration(form);
    Some(if is_text && choices(form).is_none() {
        format!(
            "write the text alone, without `{}:`; a text that begins with `{{` must be quoted",
            key.text
        )
    } else {
        format!("write the value alone: `{}`", given.text)
    })
}

/// Returns an example of a duration, boolean or number that the schema takes, in a sentence: its default or the least
/// one from 1. Returns `None` for other texts, lists, maps and a schema without types.
pub(crate) fn example(schema: &Value) -> Option<String> {
    if is_duration(schema) {
        return Some("write a number with a unit, such as `10s`".to_owned());
    }
    let types = types(schema)?;
    let default = schema.get("default").filter(|default| default.is_number());
    if types.contains(&"boolean") {
        return Some("write `true` or `false`".to_owned());
    }
    let least = least(schema).unwrap_or(0.0).max(0.0);
    if types.contains(&"integer") {
        let number = default.map_or_else(|| least.max(1.0).to_string(), Value::to_string);
        return Some(format!("write a whole number, such as `{number}`"));
    }
    if types.contains(&"number") {
        let number = default.map_or_else(|| "1.5".to_owned(), Value::to_string);
        return Some(format!("write a number, such as `{number}`"));
    }
    None
}

/// Returns advice for a map in place of a list of maps or of elements: the map in brackets, with `…` for values.
/// `is_one_each` says that each key is an item of its own.
pub(crate) fn in_list(entries: &[(Key, Node)], is_one_each: bool) -> String {
    let value = |node: &Node| match &node.kind {
        NodeKind::Scalar(_) => "…",
        NodeKind::Map(_) => "{ … }",
        NodeKind::Sequence(_) => "[ … ]",
    };
    let entries = entries.iter();
    let keys: Vec<String> = entries
        .map(|(key, node)| format!("{}: {}", key.text, value(node)))
        .collect();
    let inside = keys.join(if is_one_each { " }, { " } else { ", " });
    format!("write a list: `[ {{ {inside} }} ]`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_and_units_are_read_as_numbers() {
        let whole = json!({ "type": "integer", "minimum": 0 });
        let any = json!({ "type": "integer" });
        let broken = json!({ "type": "number" });
        for (text, schema, wanted) in [
            ("three", &whole, Some("3")),
            ("3x", &whole, Some("3")),
            ("3 times", &whole, Some("3")),
            ("2.5x", &whole, None),
            ("first", &whole, None),
            ("last", &any, Some("-1")),
            ("1st", &any, Some("0")),
            ("150%", &broken, Some("1.5")),
            ("150%", &whole, None),
            ("90°", &broken, Some("90")),
            ("5s", &whole, None),
            ("many", &whole, None),
        ] {
            assert_eq!(number(text, schema).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn times_of_several_units_are_read_as_seconds() {
        for (text, wanted) in [
            ("1m30s", Some(90.0)),
            ("1h 30m", Some(5400.0)),
            ("PT5S", Some(5.0)),
            ("01:30", Some(90.0)),
            ("5 seconds", None),
            ("five", None),
            ("5", None),
        ] {
            assert_eq!(seconds(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_near_form_matches_the_pattern() {
        let share = regex::Regex::new(r"^\d+%?$").unwrap();
        for (text, wanted) in [
            ("50 %", Some("50%")),
            ("center", Some("50%")),
            ("0.5", Some("50%")),
            ("x", None),
        ] {
            assert_eq!(in_form(text, &share).as_deref(), wanted, "{text}");
        }
    }
}
