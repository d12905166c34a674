//! The catalogue's functions. Calling one that is not supported is an error.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::value::{BudgetError, ByteBudget, Scope, ValueError, as_text, is_true};

/// Deepest nesting of expressions in a text. Chosen: people write two or three levels, and recursion must
/// end.
const MAX_DEPTH: usize = 8;
/// Largest compiled regular expression, in bytes. Chosen: a fifth of the `regex` crate's own limit; a few
/// Unicode classes fit.
const MAX_PATTERN_BYTES: usize = 2 * 1024 * 1024;
/// Compiled patterns that are kept. Chosen: an app has a few; an agent may send any number.
const MAX_PATTERNS: usize = 64;
/// Bytes of the budget that compiling one pattern costs. Chosen: 128 new patterns use up a screen's budget.
const PATTERN_COST_BYTES: usize = 128 * 1024;

/// Reason why a regular expression cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("{}", last_line(.0))]
    Syntax(regex::Error),
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

/// Returns the last line of a `regex` error. The lines before it show the pattern with marks.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

/// Compiles a regular expression of an app. Results, errors too, are cached for the whole process, since the
/// screen is built often. Only a compilation takes from the budget `work`; fails if that is used up.
pub(crate) fn pattern(text: &str, work: &ByteBudget) -> Result<Regex, PatternError> {
    type PatternCache = HashMap<String, Result<Regex, regex::Error>>;
    static COMPILED: LazyLock<Mutex<PatternCache>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = compiled.get(text) {
        return known.clone().map_err(PatternError::Syntax);
    }
    work.take(PATTERN_COST_BYTES)?;
    let built = RegexBuilder::new(text)
        .size_limit(MAX_PATTERN_BYTES)
        .build();
    if compiled.len() >= MAX_PATTERNS {
        compiled.clear();
    }
    compiled.insert(text.to_owned(), built.clone());
    built.map_err(PatternError::Syntax)
}

/// Calls a function by its name in the catalogue. A missing argument is `null`, and numbers may be texts; a `value` to
/// be formatted that is no number is 0. `and` and `or` resolve all `values`, also after the result is clear. Fails for
/// an unknown function, an argument that cannot be resolved, a malformed pattern or `formatString`, a value that is no
/// date for `formatDate`, and `and` or `or` without a list `values`.
pub(super) fn call(
    name: &str,
    args: Option<&Value>,
    scope: &Scope<'_>,
) -> Result<Value, ValueError> {
    let arg = |key: &str| -> Result<Value, ValueError> {
        args.and_then(|args| args.get(key))
            .map_or(Ok(Value::Null), |value| scope.resolve(value))
    };
    let number = |key: &str| -> Result<Option<f64>, ValueError> { Ok(as_number(&arg(key)?)) };
    match name {
        "required" => Ok(Value::Bool(match arg("value")? {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        })),
        "length" => {
            let length = as_text(&arg("value")?).chars().count() as f64;
            Ok(within(length, number("min")?, number("max")?))
        }
        "numeric" => match number("value")? {
            Some(value) => Ok(within(value, number("min")?, number("max")?)),
            None => Ok(Value::Bool(false)),
        },
        "email" => Ok(Value::Bool(is_email(&as_text(&arg("value")?)))),
        "regex" => {
            let pattern = as_text(&arg("pattern")?);
            let regex = self::pattern(&pattern, scope.work)
                .map_err(|source| ValueError::Pattern { pattern, source })?;
            Ok(Value::Bool(regex.is_match(&as_text(&arg("value")?))))
        }
        "not" => Ok(Value::Bool(!is_true(&arg("value")?))),
        "and" | "or" => {
            let values = args
                .and_then(|args| args.get("values"))
                .and_then(Value::as_array)
                .ok_or_else(|| ValueError::NoValues(name.to_owned()))?;
            let mut all = values.iter().map(|value| scope.resolve(value));
            let wanted = name == "or";
            let found = all.try_fold(false, |found, value| {
                value.map(|value| found || is_true(&value) == wanted)
            })?;
            Ok(Value::Bool(found == wanted))
        }
        "formatString" => Ok(Value::String(interpolate(&as_text(&arg("value")?), scope)?)),
        "formatNumber" => {
            let grouping = arg("grouping")? != Value::Bool(false);
            Ok(Value::String(format_number(
                number("value")?.unwrap_or(0.0),
                number("decimals")?,
                grouping,
                0,
            )))
        }
        "formatCurrency" => {
            let grouping = arg("grouping")? != Value::Bool(false);
            let value = number("value")?.unwrap_or(0.0);
            let figures = format_number(value.abs(), number("decimals")?, grouping, 2);
            let sign = if value < 0.0 { "-" } else { "" };
            let currency = as_text(&arg("currency")?);
            let mark = match currency.as_str() {
                "USD" => "$",
                "EUR" => "€",
                "GBP" => "£",
                "JPY" => "¥",
                other => return Ok(Value::String(format!("{sign}{other} {figures}"))),
            };
            Ok(Value::String(format!("{sign}{mark}{figures}")))
        }
        "pluralize" => {
            let key = match number("value")? {
                Some(1.0) => "one",
                Some(0.0) => "zero",
                Some(2.0) => "two",
                _ => "other",
            };
            // English has only `one` and `other`. Of the other forms, those that an app gives are used.
            let chosen = arg(key)?;
            Ok(if chosen.is_null() {
                arg("other")?
            } else {
                chosen
            })
        }
        "capitalize" => {
            let text = as_text(&arg("value")?);
            let mut letters = text.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            Ok(Value::String(
                first.chain(letters.as_str().chars()).collect(),
            ))
        }
        "formatDate" => {
            super::date::format_date(&as_text(&arg("value")?), &as_text(&arg("format")?))
        }
        _ => Err(ValueError::Unsupported(name.to_owned())),
    }
}

fn within(value: f64, min: Option<f64>, max: Option<f64>) -> Value {
    let low = min.is_none_or(|min| value >= min);
    let high = max.is_none_or(|max| value <= max);
    Value::Bool(low && high)
}

/// Returns a number, also from a text with spaces around it. Returns `None` for other texts, for infinity, and for
/// other types.
fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        // Rust reads `nan` and `inf` as numbers too.
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// Returns true for `name@host.tld`: one `@`, no space, and a dot in the host that is not its last character.
fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        let clean = |part: &str| !part.is_empty() && !part.contains(['@', ' ']);
        clean(name) && clean(host) && host.contains('.') && !host.ends_with('.')
    })
}

/// Formats a number with `decimals`, limited to 0 to 10, or else `default`, in English. `grouping` puts a comma between
/// thousands. What is rounded to zero has no sign.
fn format_number(value: f64, decimals: Option<f64>, grouping: bool, default: usize) -> String {
    let decimals = decimals.map_or(default, |decimals| decimals.clamp(0.0, 10.0) as usize);
    let plain = format!("{value:.decimals$}");
    // A number that is rounded to zero has no sign.
    let plain = match plain.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_owned(),
        _ => plain,
    };
    if !grouping {
        return plain;
    }
    let (whole, rest) = plain
        .split_once('.')
        .map_or((plain.as_str(), String::new()), |(whole, rest)| {
            (whole, format!(".{rest}"))
        });
    let (sign, digits) = whole
        .strip_prefix('-')
        .map_or(("", whole), |digits| ("-", digits));
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
}

/// Replaces `${path}` and `${function(name: value)}` by their values; `\${` is a plain `${`. A path to nothing gives no
/// text. Fails if a `${` is not closed, its expression is malformed, its function fails, or texts are nested too
/// deeply.
fn interpolate(text: &str, scope: &Scope<'_>) -> Result<String, ValueError> {
    let scope = &scope.deeper()?;
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        if let Some(plain) = before.strip_suffix('\\') {
            out.push_str(plain);
            out.push_str("${");
            rest = after.get(2..).unwrap_or_default();
            continue;
        }
        out.push_str(before);
        let inside = after.get(2..).unwrap_or_default();
        let end = closing(inside).ok_or_else(|| ValueError::Unclosed(text.to_owned()))?;
        let (expression, behind) = inside.split_at(end);
        out.push_str(&as_text(&evaluate(expression, scope, 0)?));
        rest = behind.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    Ok(out)
}

/// Returns the names of the functions that a text for `formatString` calls, in order, also as arguments of each other.
/// Unknown names are listed too, and a name may come twice; calls nested deeper than [`MAX_DEPTH`] are left out. Fails
/// only if a `${` is not closed.
pub(crate) fn calls(text: &str) -> Result<Vec<String>, ValueError> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        if before.ends_with('\\') {
            rest = after;
            continue;
        }
        let end = closing(after).ok_or_else(|| ValueError::Unclosed(text.to_owned()))?;
        let (expression, behind) = after.split_at(end);
        calls_of(expression, 0, &mut names);
        rest = behind.get(1..).unwrap_or_default();
    }
    Ok(names)
}

/// Adds the names of the functions in an expression, outer ones first.
fn calls_of(expression: &str, depth: usize, names: &mut Vec<String>) {
    let text = expression.trim();
    if depth > MAX_DEPTH || text.starts_with(['\'', '"']) {
        return;
    }
    if let Some(inner) = text
        .strip_prefix("${")
        .and_then(|inner| inner.strip_suffix('}'))
    {
        return calls_of(inner, depth + 1, names);
    }
    if let Some((name, arguments)) = text.strip_suffix(')').and_then(|call| call.split_once('(')) {
        names.push(name.trim().to_owned());
        for argument in split_arguments(arguments) {
            if let Some((_, value)) = argument.split_once(':') {
                calls_of(value, depth + 1, names);
            }
        }
    }
}

/// Returns the offset of the `}` that closes a `${`, or `None`. `text` begins behind the `${`; quoted texts, inner
/// braces and parentheses are skipped.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '{' | '(') => depth += 1,
            (None, '}') if depth == 0 => return Some(index),
            (None, '}' | ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Evaluates an expression: a path, a text in quotes, `${…}`, or a call with named arguments. A number or a boolean is
/// a literal only inside another expression; at the top it is a path. Fails beyond [`MAX_DEPTH`], for an argument
/// without `:`, and if the call fails.
fn evaluate(expression: &str, scope: &Scope<'_>, depth: usize) -> Result<Value, ValueError> {
    let text = expression.trim();
    if depth > MAX_DEPTH {
        return Err(ValueError::TooDeep(text.to_owned()));
    }
    if let Some(inner) = text
        .strip_prefix("${")
        .and_then(|inner| inner.strip_suffix('}'))
    {
        return evaluate(inner, scope, depth + 1);
    }
    for quote in ['\'', '"'] {
        if let Some(literal) = text
            .strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote))
        {
            return Ok(Value::String(literal.to_owned()));
        }
    }
    if let Some((name, arguments)) = text.strip_suffix(')').and_then(|call| call.split_once('(')) {
        let mut fields = serde_json::Map::new();
        for argument in split_arguments(arguments) {
            let (key, value) = argument
                .split_once(':')
                .ok_or_else(|| ValueError::Argument(argument.to_owned()))?;
            let value = evaluate(value, scope, depth + 1)?;
            fields.insert(key.trim().to_owned(), value);
        }
        return call(name.trim(), Some(&Value::Object(fields)), scope);
    }
    if depth > 0
        && let Ok(literal @ (Value::Number(_) | Value::Bool(_))) = serde_json::from_str(text)
    {
        return Ok(literal);
    }
    scope.at(text)
}

/// Splits arguments at commas outside quotes, parentheses and braces. The parts keep their spaces. A blank last part is
/// left out.
fn split_arguments(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut depth, mut quote) = (0, 0_usize, None);
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '{' | '(') => depth += 1,
            (None, '}' | ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.extend(text.get(begin..index));
                begin = index + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(begin..).filter(|rest| !rest.trim().is_empty()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_finite_and_nothing_has_no_sign() {
        for (text, number) in [
            ("1.5", Some(1.5)),
            ("nan", None),
            ("inf", None),
            ("x", None),
        ] {
            assert_eq!(as_number(&json!(text)), number);
        }
        assert_eq!(format_number(-0.4, Some(0.0), true, 0), "0");
        assert_eq!(format_number(-0.4, Some(1.0), true, 0), "-0.4");
    }

    #[test]
    fn functions_answer_as_the_catalogue_says() {
        let model = json!({"name": "Ada", "mail": "ada@example.com", "n": 1_234_567.891, "one": 1});
        let work = ByteBudget::default();
        let scope = Scope::new(&model, "", &work);
        let table = [
            (
                json!({"call": "required", "args": {"value": {"path": "/name"}}}),
                json!(true),
            ),
            (
                json!({"call": "required", "args": {"value": {"path": "/no"}}}),
                json!(false),
            ),
            (
                json!({"call": "email", "args": {"value": {"path": "/mail"}}}),
                json!(true),
            ),
            (
                json!({"call": "email", "args": {"value": "ada@"}}),
                json!(false),
            ),
            (
                json!({"call": "length", "args": {"value": "abc", "min": 4}}),
                json!(false),
            ),
            (
                json!({"call": "numeric", "args": {"value": "12", "max": 20}}),
                json!(true),
            ),
            (
                json!({"call": "regex", "args": {"value": "a1", "pattern": "^[a-z][0-9]$"}}),
                json!(true),
            ),
            (
                json!({"call": "and", "args": {"values": [true, {"call": "not", "args": {"value": true}}]}}),
                json!(false),
            ),
            (
                json!({"call": "and", "args": {"values": [true, true]}}),
                json!(true),
            ),
            (
                json!({"call": "or", "args": {"values": [false, true]}}),
                json!(true),
            ),
            (
                json!({"call": "or", "args": {"values": [false, false]}}),
                json!(false),
            ),
            (
                json!({"call": "formatString", "args": {"value": "Hello ${/name}, \\${x}"}}),
                json!("Hello Ada, ${x}"),
            ),
            (
                json!({"call": "formatNumber", "args": {"value": {"path": "/n"}, "decimals": 1}}),
                json!("1,234,567.9"),
            ),
            (
                json!({"call": "formatCurrency", "args": {"value": -5, "currency": "USD"}}),
                json!("-$5.00"),
            ),
            (
                json!({"call": "pluralize", "args": {"value": {"path": "/one"}, "one": "note", "other": "notes"}}),
                json!("note"),
            ),
            (
                json!({"call": "formatDate", "args": {"value": "2026-01-16T14:30:00Z", "format": "EEEE, d MMMM h:mm a"}}),
                json!("Friday, 16 January 2:30 PM"),
            ),
        ];
        for (call, expected) in table {
            assert_eq!(scope.resolve(&call), Ok(expected), "{call}");
        }
        let unknown = scope.resolve(&json!({"call": "openTheDoor"}));
        assert_eq!(
            unknown,
            Err(ValueError::Unsupported("openTheDoor".to_owned()))
        );
    }
}
