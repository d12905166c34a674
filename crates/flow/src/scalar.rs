//! Checks a scalar against a schema: its type, range and choices.

use runner_text::diagnostic::Code;
use serde_json::{Number, Value};

use super::check::types;
use super::map_advice::regex_fault;
use super::time_advice::number_with_unit;
use super::value_advice;
use super::yaml::Scalar;
use runner_text::units::{DurationError, HumanDuration};

pub(crate) struct ScalarError {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

fn wrong(code: Code, message: impl Into<String>, help: Option<String>) -> ScalarError {
    ScalarError {
        code,
        message: message.into(),
        help,
    }
}

/// Returns true if the scalar can be read as one of the schema's types; any but a null fits a schema without types.
/// Does not check limits and choices. Text accepts anything, numbers and booleans too; a null fits nothing. A
/// fraction such as `1.0` is no whole number.
pub(crate) fn fits(scalar: &Scalar, schema: &Value) -> bool {
    if scalar.is_null() {
        return false;
    }
    let Some(types) = types(schema) else {
        return true;
    };
    types.iter().any(|name| match *name {
        "string" => true,
        "boolean" => scalar.boolean().is_some(),
        "integer" => scalar.number().is_some_and(|number| !number.is_f64()),
        "number" => scalar.number().is_some(),
        _ => false,
    })
}

/// Converts the scalar to the schema's type: a boolean if the schema accepts one and it looks like one, else a
/// number, else a text. A schema without types accepts all three. The caller has asked [`fits`]: a wrong type becomes
/// a text without an error.
///
/// # Errors
/// A number or text that breaks the schema's limits, a whole number that would not stay what it is, and a word such
/// as a quoted `yes` where a boolean is possible.
pub(crate) fn check(scalar: &Scalar, schema: &Value) -> Result<Value, ScalarError> {
    let types = types(schema);
    let takes = |name: &str| types.as_ref().is_none_or(|types| types.contains(&name));
    if takes("boolean")
        && let Some(value) = scalar.boolean()
    {
        return Ok(Value::Bool(value));
    }
    if (takes("number") || takes("integer"))
        && let Some(number) = scalar.number()
    {
        range(&number, schema)?;
        if scalar.is_rounded() {
            return Err(rounded());
        }
        return Ok(Value::Number(number));
    }
    // Only if the schema names types; without any the text stays as it is.
    if types.is_some() && takes("boolean") && is_word_of_boolean(&scalar.text) {
        return Err(wrong(
            Code::WrongType,
            format!(
                "`{}` is text here, neither `true` nor `false`, and says nothing as a text",
                scalar.text
            ),
            Some("write `true` or `false` without quotes".to_owned()),
        ));
    }
    text(&scalar.text, schema)?;
    Ok(Value::String(scalar.text.clone()))
}

/// Builds the error for a whole number that could only be kept as another one near it. It does not quote the number,
/// which may be a secret.
fn rounded() -> ScalarError {
    let (least, most) = (i64::MIN, u64::MAX);
    let message = format!("this whole number is out of range: {least} to {most} is possible");
    let help = "in quotes it is a text, which keeps every digit, as for an id";
    wrong(Code::OutOfRange, message, Some(help.to_owned()))
}

/// Returns true for words that YAML 1.1 reads as booleans, in any case. A person may mean a boolean where the
/// text would mean the opposite.
fn is_word_of_boolean(text: &str) -> bool {
    const WORDS: [&str; 8] = ["y", "yes", "n", "no", "on", "off", "true", "false"];
    let text = text.trim();
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Checks a text: one of the choices, or else a duration, or else the length, regular expression and pattern that the
/// schema asks for. The first that does not hold is the error. A schema that asks for nothing accepts any text. Case
/// counts.
fn text(text: &str, schema: &Value) -> Result<(), ScalarError> {
    if let Some(choices) = choices(schema) {
        if choices.contains(&text) {
            return Ok(());
        }
        return Err(wrong(
            Code::UnknownValue,
            format!("`{text}` is none of the values that are possible here"),
            value_advice::choice(text, &choices),
        ));
    }
    if is_duration(schema) {
        let HumanDuration(duration) = text.parse().map_err(|error: DurationError| {
            wrong(Code::Duration, error.to_string(), number_with_unit(text))
        })?;
        return match schema.get("not") {
            Some(_) if duration.is_zero() => Err(no_time(text)),
            _ => Ok(()),
        };
    }
    let length = text.chars().count() as u64;
    let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
    if limit("minLength").is_some_and(|least| length < least) {
        let message = if length == 0 {
            "this text must not be empty".to_owned()
        } else {
            format!(
                "this text is shorter than {} characters",
                limit("minLength").unwrap_or_default()
            )
        };
        return Err(wrong(Code::OutOfRange, message, None));
    }
    if let Some(most) = limit("maxLength").filter(|most| length > *most) {
        return Err(wrong(
            Code::OutOfRange,
            format!("this text has {length} characters; at most {most} are possible"),
            None,
        ));
    }
    if schema.get("format").and_then(Value::as_str) == Some("regex")
        && let Err(error) = regex::Regex::new(text)
    {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default();
        let reason = reason.trim_start_matches("error: ");
        let message = format!("this regular expression does not read: {reason}");
        return Err(wrong(Code::Regex, message, regex_fault(reason)));
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
        && let Ok(regex) = regex::Regex::new(pattern)
        && !regex.is_match(text)
    {
        let help = schema.get("description").and_then(Value::as_str);
        // The pattern itself, if there is no better description.
        let message = match help {
            Some(_) => format!("`{text}` does not have the form that is needed here"),
            None => format!("`{text}` does not have the form `{pattern}`"),
        };
        let near = value_advice::in_form(text, &regex);
        let help = match (near, help) {
            (Some(near), Some(help)) => Some(format!("write `{near}`; {help}")),
            (Some(near), None) => Some(format!("write `{near}`")),
            (None, help) => help.map(str::to_owned),
        };
        return Err(wrong(Code::Malformed, message, help));
    }
    Ok(())
}

/// Checks a number against the limits of the schema, or else those of its Rust type. The limits themselves are
/// allowed, except `exclusiveMinimum` and `exclusiveMaximum`. Does not check that it is a whole number.
fn range(number: &Number, schema: &Value) -> Result<(), ScalarError> {
    let value = number.as_f64().unwrap_or_default();
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (low, high) = format_limits(schema);
    let low = limit("minimum").or(low);
    let high = limit("maximum").or(high);
    let outside = low.is_some_and(|low| value < low)
        || high.is_some_and(|high| value > high)
        || limit("exclusiveMinimum").is_some_and(|low| value <= low)
        || limit("exclusiveMaximum").is_some_and(|high| value >= high);
    if !outside {
        return Ok(());
    }
    let possible = match (low, high) {
        (Some(low), Some(high)) => format!("{low} to {high} is possible"),
        (Some(low), None) => format!("it must be at least {low}"),
        (None, Some(high)) => format!("it must be at most {high}"),
        (None, None) => match (limit("exclusiveMinimum"), limit("exclusiveMaximum")) {
            (Some(low), None) => format!("it must be more than {low}"),
            (None, Some(high)) => format!("it must be less than {high}"),
            (low, high) => format!(
                "it must be between {} and {}",
                low.unwrap_or_default(),
                high.unwrap_or_default()
            ),
        },
    };
    Err(wrong(
        Code::OutOfRange,
        format!("{number} is out of range: {possible}"),
        None,
    ))
}

/// Returns the least and the greatest number that only the name of a Rust type, such as `uint8`, implies.
/// `uint64` has no greatest one, and other formats have none of both.
fn format_limits(schema: &Value) -> (Option<f64>, Option<f64>) {
    match schema.get("format").and_then(Value::as_str) {
        Some("int32") => (Some(f64::from(i32::MIN)), Some(f64::from(i32::MAX))),
        Some("uint32") => (Some(0.0), Some(f64::from(u32::MAX))),
        Some("uint8") => (Some(0.0), Some(f64::from(u8::MAX))),
        Some("uint16") => (Some(0.0), Some(f64::from(u16::MAX))),
        Some("uint" | "uint64") => (Some(0.0), None),
        _ => (None, None),
    }
}

/// Returns the least number of a schema: `minimum`, else `exclusiveMinimum`, which it does not take itself, else that
/// of its Rust type; `None` if it has none.
pub(crate) fn least(schema: &Value) -> Option<f64> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (low, _) = format_limits(schema);
    limit("minimum")
        .or_else(|| limit("exclusiveMinimum"))
        .or(low)
}

/// Returns the texts that a schema lists as choices, those of `enum` or the only one of `const`; `None` if it
/// has neither. Choices that are no texts are left out.
pub(crate) fn choices(schema: &Value) -> Option<Vec<&str>> {
    if let Some(list) = schema.get("enum").and_then(Value::as_array) {
        return Some(list.iter().filter_map(Value::as_str).collect());
    }
    schema
        .get("const")
        .and_then(Value::as_str)
        .map(|only| vec![only])
}

pub(crate) fn is_duration(schema: &Value) -> bool {
    schema.get("format").and_then(Value::as_str) == Some("duration")
}

fn no_time(text: &str) -> ScalarError {
    wrong(
        Code::OutOfRange,
        format!("a limit of `{text}` leaves no time for any step"),
        Some("write a limit such as `30s`, or leave the key out for the usual one".to_owned()),
    )
}

/// Words that mean `true`, in lower case with blanks between; those that mean `false` follow.
const TRUE: &str = "true yes on y 1 allow allowed grant granted enable enabled";
const FALSE: &str = "false no off n 0 deny denied revoke revoked disable disabled";

/// Returns advice for a scalar of the wrong type; `None` if there is none, and for a schema without types. Where a
/// boolean is possible there is advice for words of booleans alone; else numbers come first, then lists. Texts of
/// several words are not quoted, because they may have parts of a secret. `is_final`: the text is the result of an
/// expression, so it has no quotes in the file. The caller decides that the type is wrong.
pub(crate) fn advice(scalar: &Scalar, schema: &Value, is_final: bool) -> Option<String> {
    let types = types(schema)?;
    let text = scalar.text.as_str();
    let unquoted = Scalar {
        text: scalar.text.clone(),
        plain: true,
    };
    if types.contains(&"boolean") {
        let text = text.to_lowercase();
        let is = |words: &str| words.split(' ').any(|word| word == text);
        if is(TRUE) {
            return Some("write `true`, without quotes".to_owned());
        }
        return is(FALSE).then(|| "write `false`, without quotes".to_owned());
    }
    if types.contains(&"integer") || types.contains(&"number") {
        let number = unquoted.number();
        let is_broken = number.as_ref().is_some_and(serde_json::Number::is_f64);
        let takes_broken = types.contains(&"number");
        if is_broken && !takes_broken || types.contains(&"integer") && scalar.number().is_some() {
            let whole = value_advice::number(text, schema);
            return Some(whole.map_or_else(
                || "write a whole number".to_owned(),
                |whole| format!("write `{whole}`"),
            ));
        }
        if !scalar.plain && number.is_some() {
            return Some(if is_final {
                let filter = if is_broken { "float" } else { "int" };
                format!("`| {filter}` in the expression makes a number of the text")
            } else {
                format!("remove the quotes: `{text}`")
            });
        }
        if text.parse::<HumanDuration>().is_ok() {
            return Some("this is a number without a unit".to_owned());
        }
        if let Some(number) = value_advice::number(text, schema) {
            return Some(format!("write `{number}`"));
        }
    }
    if types.contains(&"array") {
        let after_dash = text.strip_prefix('-').filter(|_| scalar.plain);
        if after_dash.is_some_and(|rest| rest.starts_with(char::is_alphabetic)) {
            return Some("put a space after each dash: `- …`".to_owned());
        }
        // Several words are not quoted one by one: the scrubber would not find pieces of a secret.
        return Some(if text.contains(char::is_whitespace) {
            "write a list, an item for each word: [first, second]".to_owned()
        } else {
            let is_plain = text
                .chars()
                .all(|c| c.is_alphanumeric() || "_./*-".contains(c));
            let begins = text.starts_with(char::is_alphanumeric);
            if is_plain && begins {
                format!("write a list: [{text}]")
            } else {
                format!("write a list: [\"{text}\"]")
            }
        });
    }
    None
}

/// Describes the types of a schema for messages: its choices in one entry, or else a duration, or else each type in
/// words. Null is left out. Returns an empty list for a schema without types.
pub(crate) fn expected(schema: &Value) -> Vec<String> {
    if let Some(choices) = choices(schema) {
        let list: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
        return vec![list.join(" or ")];
    }
    if is_duration(schema) {
        return vec!["a duration such as `10s`".to_owned()];
    }
    types(schema)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|name| match name {
            "string" => Some("text"),
            "boolean" => Some("`true` or `false`"),
            "integer" => Some("a whole number"),
            "number" => Some("a number"),
            "array" => Some("a list"),
            "object" => Some("a map"),
            _ => None,
        })
        .map(str::to_owned)
        .collect()
}
