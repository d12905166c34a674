//! Filters that make text.

use std::collections::BTreeSet;
use std::fmt::Write;

use minijinja::Value;

use super::super::EvalError;
use super::super::arguments::Arguments;
use super::super::evaluate::Evaluation;
use super::super::limits::Size;
use super::super::operators::{Text, items, text};
use super::{List, part};

pub(in super::super) fn join(
    evaluation: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let joiner = match arguments.take(1, "d") {
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

fn given(value: &Value) -> Result<&str, EvalError> {
    let text = value.as_str();
    text.ok_or_else(|| EvalError::new(format!("a {} is not text", value.kind())))
}

pub(in super::super) fn lines(
    evaluation: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    arguments.finish(1)?;
    list(evaluation, given(arguments.subject()?)?.lines())
}

/// At a separator, or else at white space; in as many places as `maxsplits` says.
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
    // Less than 0 is no limit.
    let places = places.transpose()?.and_then(|it| usize::try_from(it).ok());
    let most = places.map_or(usize::MAX, |places| places.saturating_add(1));
    let subject = given(arguments.subject()?)?;
    match separator {
        Some(separator) => list(evaluation, subject.splitn(most, given(&separator)?)),
        None => list(evaluation, words(subject, most)),
    }
}

/// Up to `most` words; the last is all that is left. White space at the end is not a word, though minijinja makes one of it.
fn words(text: &str, most: usize) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    let mut made = 0_usize;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        made += 1;
        let end = rest.find(char::is_whitespace).filter(|_| made < most);
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after.trim_start();
        Some(word)
    })
}

/// Indents all lines but the first, or that one too.
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

fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

pub(in super::super) fn pprint(
    _: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    arguments.finish(1)?;
    let subject = arguments.subject()?;
    // Its lines are indented once a level, so that what is small enough here stays small.
    Size::of(subject)?;
    let mut printed = String::new();
    // Writing into a `String` does not fail.
    let _ = write!(printed, "{subject:#?}");
    Ok(Value::from(printed))
}
