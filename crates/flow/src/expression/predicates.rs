//! Tests: what may follow `is`. Each takes values of the kinds it is for, and refuses others.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::Value;
use minijinja::value::ValueKind;

use super::EvalError;
use super::arguments::Arguments;
use super::compare::{self, Kind};
use super::operators::{defined, is_divisible};

/// A test of a value.
#[derive(Clone, Copy)]
enum Predicate {
    /// Looks at the value alone.
    Alone(fn(&Value) -> Result<bool, EvalError>),
    /// Looks at the value beside another.
    Beside(fn(&Value, &Value) -> Result<bool, EvalError>),
}

use Predicate::{Alone, Beside};

static TESTS: LazyLock<BTreeMap<&'static str, Predicate>> = LazyLock::new(|| {
    let eq = Beside(|a, b| compare::same("is eq", a, b));
    let ne = Beside(|a, b| compare::same("is ne", a, b).map(|same| !same));
    let lt = Beside(|a, b| Ok(compare::ordering("is lt", a, b)?.is_lt()));
    let le = Beside(|a, b| Ok(compare::ordering("is le", a, b)?.is_le()));
    let gt = Beside(|a, b| Ok(compare::ordering("is gt", a, b)?.is_gt()));
    let ge = Beside(|a, b| Ok(compare::ordering("is ge", a, b)?.is_ge()));
    let whole = Alone(|value| Ok(value.is_integer()));
    BTreeMap::from([
        ("!=", ne),
        ("<", lt),
        ("<=", le),
        ("==", eq),
        (">", gt),
        (">=", ge),
        (
            "boolean",
            Alone(|value| Ok(value.kind() == ValueKind::Bool)),
        ),
        ("defined", Alone(|value| Ok(!value.is_undefined()))),
        ("divisibleby", Beside(is_divisible)),
        (
            "endingwith",
            Beside(|value, end| Ok(text("endingwith", value)?.ends_with(text("endingwith", end)?))),
        ),
        ("eq", eq),
        ("equalto", eq),
        ("even", Alone(|value| Ok(integer("even", value)? % 2 == 0))),
        (
            "false",
            Alone(|value| compare::same("is false", value, &false.into())),
        ),
        (
            "float",
            Alone(|value| Ok(value.kind() == ValueKind::Number && !value.is_integer())),
        ),
        ("ge", ge),
        ("greaterthan", gt),
        ("gt", gt),
        (
            "in",
            Beside(|value, container| {
                compare::contains(container, value)
                    .map_err(|wrong| compare::between(wrong, "is in", value, container))
            }),
        ),
        ("int", whole),
        ("integer", whole),
        (
            "iterable",
            Alone(|value| Ok(matches!(Kind::of(value), Some(Kind::List | Kind::Map)))),
        ),
        ("le", le),
        ("lessthan", lt),
        (
            "lower",
            Alone(|value| {
                let text = text("lower", value)?;
                Ok(has_case(text) && text.chars().flat_map(char::to_lowercase).eq(text.chars()))
            }),
        ),
        ("lt", lt),
        ("mapping", Alone(|value| Ok(value.kind() == ValueKind::Map))),
        ("ne", ne),
        ("none", Alone(|value| Ok(value.is_none()))),
        (
            "number",
            Alone(|value| Ok(value.kind() == ValueKind::Number)),
        ),
        ("odd", Alone(|value| Ok(integer("odd", value)? % 2 != 0))),
        ("sameas", eq),
        (
            "sequence",
            Alone(|value| Ok(Kind::of(value) == Some(Kind::List))),
        ),
        (
            "startingwith",
            Beside(|value, start| {
                Ok(text("startingwith", value)?.starts_with(text("startingwith", start)?))
            }),
        ),
        (
            "string",
            Alone(|value| Ok(value.kind() == ValueKind::String)),
        ),
        (
            "true",
            Alone(|value| compare::same("is true", value, &true.into())),
        ),
        ("undefined", Alone(|value| Ok(value.is_undefined()))),
        (
            "upper",
            Alone(|value| {
                let text = text("upper", value)?;
                Ok(has_case(text) && text.chars().flat_map(char::to_uppercase).eq(text.chars()))
            }),
        ),
    ])
});

fn text<'a>(test: &str, value: &'a Value) -> Result<&'a str, EvalError> {
    value.as_str().ok_or_else(|| {
        EvalError::new(format!(
            "`is {test}` is for texts, not for a {}",
            value.kind()
        ))
    })
}

fn integer(test: &str, value: &Value) -> Result<i128, EvalError> {
    let whole = value
        .is_integer()
        .then(|| i128::try_from(value.clone()).ok());
    whole.flatten().ok_or_else(|| {
        EvalError::new(format!(
            "`is {test}` is for whole numbers, not for a {}",
            value.kind()
        ))
    })
}

fn has_case(text: &str) -> bool {
    text.chars()
        .any(|char| char.is_lowercase() || char.is_uppercase())
}

pub(super) fn is_test(name: &str) -> bool {
    TESTS.contains_key(name)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TESTS.keys().copied()
}

/// What is wrong with the number of values that a test is given.
pub(super) fn wrong_count(name: &str, given: usize) -> Option<String> {
    match (TESTS.get(name)?, given) {
        (Alone(_), 0) | (Beside(_), 1) => None,
        (Alone(_), _) => Some(format!("`is {name}` takes no value behind it")),
        (Beside(_), 0) => Some(format!("`is {name}` wants a value behind it")),
        (Beside(_), _) => Some(format!("`is {name}` takes one value behind it")),
    }
}

/// Whether the first of `arguments` passes a test.
pub(super) fn test(name: &str, arguments: Arguments) -> Result<bool, EvalError> {
    let test = TESTS
        .get(name)
        .ok_or_else(|| EvalError::new(format!("there is no test `{name}`")))?;
    if let Some(wrong) = wrong_count(name, arguments.values.len().saturating_sub(1)) {
        return Err(EvalError::new(wrong));
    }
    arguments.finish(2)?;
    match (test, arguments.values.as_slice()) {
        (Alone(test), [value]) if ["defined", "undefined"].contains(&name) => test(value),
        (Alone(test), [value]) => test(defined(value)?),
        (Beside(test), [value, other]) => test(defined(value)?, defined(other)?),
        _ => Err(EvalError::new(format!(
            "a value is missing before `is {name}`"
        ))),
    }
}
