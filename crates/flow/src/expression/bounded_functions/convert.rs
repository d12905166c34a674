//! Filters that convert values to another kind. A text that is only partly a number is refused.

use minijinja::Value;

use super::super::EvalError;
use super::super::arguments::Arguments;
use super::super::evaluation::Evaluation;
use super::super::kind::Kind;
use super::super::operands::defined;

/// Largest float that `int` converts. Chosen: below the maximum of `i128`, 1.7e38.
const MAX_WHOLE: f64 = 1e38;

/// Converts a number, a boolean or a text to a whole number. Truncates floats towards 0; trims texts, and parses them
/// in `base` (2 to 36, else 10). Returns `default` for any other value; without one it fails. An undefined value is
/// always an error.
pub(in super::super) fn int(
    _: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let default = arguments.take(1, "default");
    let base = arguments.number(2, "base")?.unwrap_or(10);
    let base = u32::try_from(base)
        .ok()
        .filter(|base| (2..=36).contains(base));
    let base = base.ok_or_else(|| EvalError::new("`base` is a whole number from 2 to 36"))?;
    arguments.finish(3)?;
    let value = defined(arguments.subject()?)?;
    let made = match Kind::from_value(value) {
        Some(Kind::Number) if value.is_integer() => return Ok(value.clone()),
        Some(Kind::Boolean) => return Ok(i64::from(value.is_true()).into()),
        _ => match value.as_str() {
            Some(text) => integer(text.trim(), base),
            None => finite(value).and_then(whole_part),
        },
    };
    let filter = Filter { name: "int", base };
    made.or(default).ok_or_else(|| filter.no_number(value))
}

/// Converts a number, a boolean (1 or 0) or a trimmed text to a float. Returns `default` for other values, also
/// infinity; without one it fails. An undefined value is always an error.
pub(in super::super) fn float(
    _: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let default = arguments.take(1, "default");
    arguments.finish(2)?;
    let value = defined(arguments.subject()?)?;
    let made = match value.as_str() {
        Some(text) => decimal(text.trim()),
        None if Kind::from_value(value) == Some(Kind::Boolean) => {
            Some(f64::from(u8::from(value.is_true())))
        }
        None => finite(value),
    };
    let filter = Filter {
        name: "float",
        base: 10,
    };
    made.map(Value::from)
        .or(default)
        .ok_or_else(|| filter.no_number(value))
}

/// Filter that makes a number.
struct Filter {
    name: &'static str,
    base: u32,
}

impl Filter {
    /// Returns the error for a value that is no number, with what to write for a text; a long text is not shown.
    fn no_number(&self, value: &Value) -> EvalError {
        let Some(text) = value.as_str() else {
            return EvalError::new(format!("{} is not a number", Kind::name_of(value)));
        };
        // Not quoted: a secret in a part of the text would not be masked.
        let text_shown = if text.len() <= 40 {
            format!("`'{text}'`")
        } else {
            "a text".to_owned()
        };
        let advice = self.advice(text).map(|advice| format!("; {advice}"));
        EvalError::new(format!(
            "{text_shown} is not a number{}",
            advice.unwrap_or_default()
        ))
    }

    /// Returns what takes the number out of a text. It has no part of the text, which may hold a secret. `None` for
    /// another base than 10.
    fn advice(&self, text: &str) -> Option<String> {
        let name = self.name;
        if self.base != 10 {
            return None;
        }
        let is_number = |word: &str| match name {
            "int" => integer(word, 10).is_some(),
            _ => decimal(word).is_some(),
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut numbers = (0..words.len()).filter(|place| is_number(words[*place]));
        Some(match (numbers.next(), numbers.next()) {
            (Some(0), None) => format!("`split | first | {name}` takes its first word"),
            (Some(place), None) if place + 1 == words.len() => {
                format!("`split | last | {name}` takes its last word")
            }
            (Some(place), _) => format!("`(… | split)[{place}] | {name}` takes one of its words"),
            (None, _) if text.bytes().any(|byte| byte.is_ascii_digit()) => {
                format!("`replace('…', '')` before `{name}` takes off what is no number")
            }
            (None, _) => format!("`{name}(0)` makes 0 of a text without one"),
        })
    }
}

/// Returns a number as float; `None` for booleans, other kinds, infinity and NaN.
fn finite(value: &Value) -> Option<f64> {
    let is_number = Kind::from_value(value) == Some(Kind::Number);
    let float = is_number
        .then(|| f64::try_from(value.clone()).ok())
        .flatten();
    float.filter(|float| float.is_finite())
}

/// Parses a decimal number with sign, fraction and exponent. Returns `None` for other texts, for words such
/// as `nan` and `infinity`, which Rust would parse, and for numbers too large for a float.
fn decimal(text: &str) -> Option<f64> {
    let digits = text.bytes().any(|byte| byte.is_ascii_digit());
    let letters = text
        .bytes()
        .all(|byte| b"+-.eE".contains(&byte) || byte.is_ascii_digit());
    let made = (digits && letters)
        .then(|| text.parse::<f64>().ok())
        .flatten();
    made.filter(|float| float.is_finite())
}

/// Parses a whole number with a sign and the prefix of its base, such as `0x`. With base 10 a decimal is truncated.
/// `None` for other texts. Too long a number with another base is `None` too.
fn integer(text: &str, base: u32) -> Option<Value> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixes: &[&str] = match base {
        2 => &["0b", "0B"],
        8 => &["0o", "0O"],
        16 => &["0x", "0X"],
        _ => &[],
    };
    let bare = prefixes
        .iter()
        .find_map(|prefix| digits.strip_prefix(prefix));
    let digits = bare.unwrap_or(digits);
    // `from_str_radix` would accept a second sign.
    if !digits.starts_with(['+', '-'])
        && let Ok(number) = i128::from_str_radix(digits, base)
    {
        let number = if negative { -number } else { number };
        return Some(i64::try_from(number).map_or_else(|_| Value::from(number), Value::from));
    }
    (base == 10)
        .then(|| decimal(text).and_then(whole_part))
        .flatten()
}

/// Truncates a float; `None` above [`MAX_WHOLE`].
fn whole_part(float: f64) -> Option<Value> {
    let number = float.trunc();
    let fits = number.abs() <= MAX_WHOLE;
    fits.then(|| {
        let number = number as i128;
        i64::try_from(number).map_or_else(|_| Value::from(number), Value::from)
    })
}

/// Converts booleans, the texts `true` and `false` in lower case, and the numbers 1 and 0. Fails for all
/// other values.
pub(in super::super) fn bool(
    _: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    arguments.finish(1)?;
    let value = defined(arguments.subject()?)?;
    let made = match (Kind::from_value(value), value.as_str(), finite(value)) {
        (Some(Kind::Boolean), ..) => Some(value.is_true()),
        (_, Some("true"), _) => Some(true),
        (_, Some("false"), _) => Some(false),
        (.., Some(1.0)) => Some(true),
        (.., Some(0.0)) => Some(false),
        _ => None,
    };
    made.map(Value::from).ok_or_else(|| {
        EvalError::new(
            "`bool` takes booleans, 'true', 'false', 1 and 0; for others write a comparison, such as `NAME != ''`",
        )
    })
}

/// Returns the first argument, or an empty text without one, if the subject is undefined. With `true` as
/// second argument also if it is `none` or an empty text, list or map. 0 and false are kept.
pub(in super::super) fn default(
    _: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let also_empty = arguments.flag(2, "boolean")?;
    arguments.finish(3)?;
    let value = arguments.subject()?;
    let is_empty = value.is_none() || value.len() == Some(0);
    if value.is_undefined() || also_empty && is_empty {
        let other = arguments.values.get(1).cloned();
        return Ok(other.unwrap_or_else(|| "".into()));
    }
    Ok(value.clone())
}
