//! Filters whose result is a text.

use std::collections::BTreeSet;
use std::fmt::Write;

use minijinja::Value;

use super::super::EvalError;
use super::super::arguments::Arguments;
use super::super::bounded_text::{Text, text};
use super::super::evaluation::Evaluation;
use super::super::kind::Kind;
use super::super::limits::Size;
use super::super::operands::items;
use super::{List, part};

/// Joins items, or a part of each, as texts with `d` between, which is empty by default. A missing part is an error, and
/// so is a `d` that is none.
pub(in super::super) fn join(
    evaluation: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let joiner = match arguments.take_given(1, "d") {
        Some(joiner) => text(&joiner)?,
        None => String::new(),
    };
    let path = arguments.path(2, "attribute")?;
    arguments.finish(3)?;
    let mut joined = Text::default();
    for (index, item) in items(arguments.subject()?)?.enumerate() {
        evaluation.meter.tick()?;
        let mut item = item?;
        if let Some(path) = &path {
            item = part(&item, path)?;
        }
        if index > 0 {
            joined.push(&joiner)?;
        }
        joined.push_value(&item)?;
    }
    Ok(joined.into_value())
}

/// Replaces all occurrences of `from` by `to`. Values that are no texts are converted. The size of the result is
/// checked before it exists.
pub(in super::super) fn replace(
    _: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let from = text(&arguments.need(1, "from")?)?;
    let to = text(&arguments.need(2, "to")?)?;
    arguments.finish(3)?;
    let subject = text(arguments.subject()?)?;
    let times = subject.matches(&from).count();
    let mut size = Size::default();
    size.bytes(
        subject
            .len()
            .saturating_sub(times.saturating_mul(from.len())),
    )?;
    size.bytes(times.saturating_mul(to.len()))?;
    Ok(Value::from(subject.replace(&from, &to)))
}

/// Removes white space, or any of the characters in `chars`, at both ends. A value that is no text is converted.
pub(in super::super) fn trim(
    _: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let characters = arguments.take(1, "chars");
    arguments.finish(2)?;
    let subject = text(arguments.subject()?)?;
    Ok(match characters {
        Some(characters) => {
            let characters: BTreeSet<char> = text(&characters)?.chars().collect();
            subject
                .trim_matches(|char| characters.contains(&char))
                .into()
        }
        None => subject.trim().into(),
    })
}

/// Converts a value to text: texts as they are, all else as JSON. `none` and an undefined value are errors.
pub(in super::super) fn string(
    _: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    arguments.finish(1)?;
    text(arguments.subject()?).map(Value::from)
}

/// Collects texts into a list. Each takes memory of its own, so all count; above the limits it fails.
fn list<'a>(
    evaluation: &mut Evaluation<'_>,
    parts: impl Iterator<Item = &'a str>,
) -> Result<Value, EvalError> {
    let mut list = List::default();
    for part in parts {
        evaluation.meter.tick()?;
        list.push_made(Value::from(part))?;
    }
    Ok(list.into())
}

/// Returns the text of a value; other kinds are an error.
fn given(value: &Value) -> Result<&str, EvalError> {
    let text = value.as_str();
    text.ok_or_else(|| EvalError::new(format!("{} is no text", Kind::name_of(value))))
}

/// Splits a text into its lines, without their ends. The end of the last line makes no empty one. Other kinds are an
/// error.
pub(in super::super) fn lines(
    evaluation: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    arguments.finish(1)?;
    list(evaluation, given(arguments.subject()?)?.lines())
}

/// Splits a text at each separator, or else at white space, at most `maxsplits` times; the rest is the last part. A
/// negative `maxsplits` means no limit. Subject and separator must be texts.
pub(in super::super) fn split(
    evaluation: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let separator = arguments.take(1, "split");
    let places = arguments.take(2, "maxsplits").map(|places| {
        let places = places.as_i64();
        places.ok_or_else(|| EvalError::new("`maxsplits` must be a whole number"))
    });
    arguments.finish(3)?;
    // A negative number means no limit.
    let places = places.transpose()?.and_then(|it| usize::try_from(it).ok());
    let max = places.map_or(usize::MAX, |places| places.saturating_add(1));
    let subject = given(arguments.subject()?)?;
    match separator {
        Some(separator) => list(evaluation, subject.splitn(max, given(&separator)?)),
        None => list(evaluation, words(subject, max)),
    }
}

/// Splits at white space into at most `max` words; the last one is the rest. Trailing white space is no word,
/// although minijinja makes one of it.
fn words(text: &str, max: usize) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    let mut made = 0_usize;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        made += 1;
        let end = rest.find(char::is_whitespace).filter(|_| made < max);
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after.trim_start();
        Some(word)
    })
}

/// Indents all lines but the first by `width` blanks, 4 by default; with `first` also that one. Empty lines
/// stay empty unless `blank` is true. One line end at the end of the text is dropped.
pub(in super::super) fn indent(
    _: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let width = arguments.number(1, "width")?.unwrap_or(4);
    let (first, blank) = (arguments.flag(2, "first")?, arguments.flag(3, "blank")?);
    arguments.finish(4)?;
    let subject = text(arguments.subject()?)?;
    let subject = without_line_end(&subject);
    let mut size = Size::default();
    let lines = subject.split('\n').count();
    size.bytes(lines.saturating_mul(width.saturating_add(1)))?;
    size.bytes(subject.len())?;
    let space = " ".repeat(width);
    let mut indented = String::new();
    for (index, line) in subject.split('\n').enumerate() {
        let is_blank = line.is_empty() || line == "\r";
        if (index > 0 || first) && (blank || !is_blank) {
            indented.push_str(&space);
        }
        indented.push_str(line);
        indented.push('\n');
    }
    Ok(Value::from(without_line_end(&indented)))
}

/// Removes one line end, `\n` or `\r\n`, from the end of a text.
fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// Formats a value over several lines, for people. Fails for a value above the limits of size.
pub(in super::super) fn pprint(
    _: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    arguments.finish(1)?;
    let subject = arguments.subject()?;
    // The nesting is limited, so the indent adds little to a value within the limits.
    Size::measure(subject)?;
    let mut printed = String::new();
    // Writing into a `String` cannot fail.
    let _ = write!(printed, "{subject:#?}");
    Ok(Value::from(printed))
}
