//! Filters that apply something to each item of a list.

use minijinja::Value;

use super::super::EvalError;
use super::super::arguments::Arguments;
use super::super::evaluation::Evaluation;
use super::super::limits::Size;
use super::super::operands::items;
use super::super::{compare, predicates};
use super::{List, optional_part, part};

/// Keeps the items that pass a test, or are true without a test; see [`choose`].
pub(in super::super) fn select(
    evaluation: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    choose(evaluation, arguments, TestSubject::Item, KeptItems::Passing)
}

/// Keeps the items that fail a test, or are false without a test; see [`choose`].
pub(in super::super) fn reject(
    evaluation: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    choose(evaluation, arguments, TestSubject::Item, KeptItems::Failing)
}

/// Keeps the items of which the part at a path, the first argument, passes a test, or is true without a test; see
/// [`choose`].
pub(in super::super) fn selectattr(
    evaluation: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    choose(
        evaluation,
        arguments,
        TestSubject::Attribute,
        KeptItems::Passing,
    )
}

/// Keeps the items of which the part at a path, the first argument, fails a test, or is false without a test; see
/// [`choose`].
pub(in super::super) fn rejectattr(
    evaluation: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    choose(
        evaluation,
        arguments,
        TestSubject::Attribute,
        KeptItems::Failing,
    )
}

/// Value of each item that is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TestSubject {
    Item,
    /// Part at a path, which is the first argument.
    Attribute,
}

/// Items that stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeptItems {
    Passing,
    Failing,
}

/// Keeps items, in their order, by a test on the item or on a part of it. Without a test they must be true or false,
/// and any other value is an error. A part may be missing only with a test. An unknown test is an error, also for an
/// empty list.
fn choose(
    evaluation: &mut Evaluation<'_>,
    mut arguments: Arguments,
    tested: TestSubject,
    chosen: KeptItems,
) -> Result<Value, EvalError> {
    let subject = arguments.subject()?.clone();
    let by_path = tested == TestSubject::Attribute;
    let path = if by_path {
        let path = arguments.path(1, "attribute")?;
        Some(path.ok_or_else(|| EvalError::new("the name of an attribute is missing"))?)
    } else {
        None
    };
    let (test, rest) = filter_or_test(&arguments, 1 + usize::from(by_path))?;
    match &test {
        Some(test) if !predicates::is_test(test) => {
            return Err(EvalError::new("there is no test of this name"));
        }
        Some(_) => {}
        None => arguments.finish(usize::MAX)?,
    }
    let mut list = List::default();
    for item in items(&subject)? {
        evaluation.meter.tick()?;
        let item = item?;
        let requested = match &path {
            // A test such as `defined` accepts a missing part.
            Some(path) if test.is_some() => optional_part(&item, path),
            Some(path) => part(&item, path)?,
            None => item.clone(),
        };
        let passed = match &test {
            Some(test) => predicates::test(test, with_subject(requested, &rest))?,
            None => compare::truth(&requested).map_err(|kind| {
                EvalError::new(format!(
                    "without a test, items are true or false, and {kind} is neither; write a test, such as `select('ne', '')`"
                ))
            })?,
        };
        if passed == (chosen == KeptItems::Passing) {
            list.push(item)?;
        }
    }
    Ok(list.into())
}

/// Returns the name of a filter or test at the position `place`, and the arguments after it with all named
/// ones. Does not check that the filter exists. Returns `None` if nothing or `none` is there; another value
/// than a text is an error.
pub(in super::super) fn filter_or_test(
    arguments: &Arguments,
    place: usize,
) -> Result<(Option<String>, Arguments), EvalError> {
    let Some(name) = arguments.values.get(place).filter(|name| !name.is_none()) else {
        return Ok((None, Arguments::default()));
    };
    let name = name
        .as_str()
        .ok_or_else(|| EvalError::new("the name of a filter or test is a text"))?;
    let mut rest = arguments.clone();
    rest.values.drain(..=place);
    // Measured, because they are passed again for each item.
    for value in rest.values.iter().chain(rest.named.values()) {
        Size::measure(value)?;
    }
    Ok((Some(name.to_owned()), rest))
}

/// Prepends a subject to arguments.
pub(in super::super) fn with_subject(value: Value, rest: &Arguments) -> Arguments {
    let mut arguments = rest.clone();
    arguments.values.insert(0, value);
    arguments
}
