//! The filter `format`. It formats one placeholder of a `%` text at a time, so that none grows too large.

use minijinja::Value;
use minijinja::formatting::{self, FormatStyle};
use minijinja::value::Kwargs;

use super::super::EvalError;
use super::super::arguments::Arguments;
use super::super::bounded_text::{Text, not_none, text};
use super::super::evaluation::Evaluation;
use super::super::kind::Kind;
use super::super::limits::Size;
use super::super::operands::defined;

/// Maximum width and precision of a placeholder. Chosen: wider than any line of a report.
const MAX_WIDTH: usize = 1_000;

/// Formats values as `printf` does: `%s` takes the next value, `%%` is a plain `%`, and `%(name)s` takes a named
/// value, or without named ones that of a map as the first value. Values left over are ignored; a missing one and none
/// are errors, and so is a subject that is no text.
pub(in super::super) fn format(
    evaluation: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    let pattern = arguments.subject()?;
    let pattern = pattern
        .as_str()
        .ok_or_else(|| EvalError::new("`format` is for texts"))?
        .to_owned();
    let map = if arguments.named.is_empty() {
        arguments.values.get(1).cloned()
    } else {
        Some(arguments.named.into_iter().collect::<Kwargs>().into())
    };
    let mut values = arguments.values.into_iter().skip(1);
    let mut made = Text::default();
    let mut rest = pattern.as_str();
    while let Some(at) = rest.find('%') {
        evaluation.meter.tick()?;
        made.push(&rest[..at])?;
        let place = place(&rest[at..])?;
        rest = &rest[at + place.len()..];
        if place == "%%" {
            made.push("%")?;
            continue;
        }
        let value = if place.starts_with("%(") {
            map.clone()
        } else {
            values.next()
        };
        let value = value.ok_or_else(|| EvalError::new("`format` has more places than values"))?;
        Size::measure(defined(&value)?)?;
        let name = place
            .strip_prefix("%(")
            .and_then(|rest| rest.split_once(')'))
            .map(|(name, _)| name);
        let item = match name {
            Some(name) => value.get_item(&name.into()).unwrap_or_default(),
            None => value.clone(),
        };
        not_none(&item)?;
        let value = match (name, json(place, &item)?) {
            (_, None) => value,
            (Some(name), Some(text)) => Value::from_pairs([(name, text)]),
            (None, Some(text)) => text.into(),
        };
        made.push(&formatting::format(FormatStyle::Printf, place, &[value])?)?;
    }
    made.push(rest)?;
    Ok(made.into_value())
}

/// Returns the text of a boolean, a list or a map that `%s` shows, because minijinja would write it as Python does.
/// `None` for other values and placeholders. Fails above the limit of size.
fn json(place: &str, value: &Value) -> Result<Option<String>, EvalError> {
    let kinds = [Kind::Boolean, Kind::List, Kind::Map];
    let is_meant = Kind::from_value(value).is_some_and(|kind| kinds.contains(&kind));
    (is_meant && place.ends_with('s'))
        .then(|| text(value))
        .transpose()
}

/// Returns the placeholder at the start of `text`, such as `%05.1f` or `%(name)s`, up to its letter. `text`
/// must begin with `%`. Does not check that the letter is a known one.
///
/// # Errors
/// A placeholder without an end, and a width or precision above `MAX_WIDTH` or written `*`.
fn place(text: &str) -> Result<&str, EvalError> {
    let unfinished =
        || EvalError::new("a `%` in `format` is not finished; write `%%` for a plain one");
    let mut from = 1;
    if text[1..].starts_with('(') {
        from = text.find(')').ok_or_else(unfinished)? + 1;
    }
    let end = text[from..]
        // C's length modifiers `h`, `l` and `L` do not end a placeholder.
        .find(|char: char| char == '%' || char.is_alphabetic() && !"hlL".contains(char))
        .ok_or_else(unfinished)?
        + from;
    let last = text[end..].chars().next().ok_or_else(unfinished)?;
    // `%1000000000d` would write a gigabyte of blanks.
    let too_wide = text[from..end]
        .split(|char: char| !char.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .any(|digits| {
            digits
                .parse()
                .map_or(true, |width: usize| width > MAX_WIDTH)
        });
    if too_wide || text[from..end].contains('*') {
        return Err(EvalError::new(format!(
            "a width in `format` is a number up to {MAX_WIDTH}"
        )));
    }
    Ok(&text[..end + last.len_utf8()])
}
