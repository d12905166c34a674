//! Tests, which follow `is`. Each accepts certain kinds of values and refuses others.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::Value;
use minijinja::value::ValueKind;

use super::EvalError;
use super::arguments::Arguments;
use super::arithmetic::is_divisible;
use super::compare;
use super::kind::Kind;
use super::operands::defined;

#[derive(Clone, Copy)]
enum Predicate {
    /// Test of the value alone.
    Unary(fn(&Value) -> Result<bool, EvalError>),
    /// Test of the value together with an argument.
    Binary(fn(&Value, &Value) -> Result<bool, EvalError>),
}

use Predicate::{Binary, Unary};

static TESTS: LazyLock<BTreeMap<&'static str, Predicate>> = LazyLock::new(|| {
    let eq = Binary(|a, b| compare::same("is eq", a, b));
    let ne = Binary(|a, b| compare::same("is ne", a, b).map(|same| !same));
    let lt = Binary(|a, b| Ok(compare::ordering("is lt", a, b)?.is_lt()));
    let le = Binary(|a, b| Ok(compare::ordering("is le", a, b)?.is_le()));
    let gt = Binary(|a, b| Ok(compare::ordering("is gt", a, b)?.is_gt()));
    let ge = Binary(|a, b| Ok(compare::ordering("is ge", a, b)?.is_ge()));
    let whole = Unary(|value| Ok(value.is_integer()));
    BTreeMap::from([
        ("!=", ne),
        ("<", lt),
        ("<=", le),
        ("==", eq),
        (">", gt),
        (">=", ge),
        (
            "boolean",
            Unary(|value| Ok(value.kind() == ValueKind::Bool)),
        ),
        ("defined", Unary(|value| Ok(!value.is_undefined()))),
        ("divisibleby", Binary(is_divisible)),
        (
            "endingwith",
            Binary(|value, end| Ok(text("endingwith", value)?.ends_with(text("endingwith", end)?))),
        ),
        ("eq", eq),
        ("equalto", eq),
        ("even", Unary(|value| Ok(integer("even", value)? % 2 == 0))),
        (
            "false",
            Unary(|value| compare::same("is false", value, &false.into())),
        ),
        (
            "float",
            Unary(|value| Ok(value.kind() == ValueKind::Number && !value.is_integer())),
        ),
        ("ge", ge),
        ("greaterthan", gt),
        ("gt", gt),
        (
            "in",
            Binary(|value, container| {
                compare::contains(container, value)
                    .map_err(|wrong| compare::between(wrong, "is in", value, container))
            }),
        ),
        ("int", whole),
        ("integer", whole),
        (
            "iterable",
            Unary(|value| {
                Ok(matches!(
                    Kind::from_value(value),
                    Some(Kind::List | Kind::Map)
                ))
            }),
        ),
        ("le", le),
        ("lessthan", lt),
        (
            "lower",
            Unary(|value| {
                let text = text("lower", value)?;
                Ok(has_case(text) && text.chars().flat_map(char::to_lowercase).eq(text.chars()))
            }),
        ),
        ("lt", lt),
        ("mapping", Unary(|value| Ok(value.kind() == ValueKind::Map))),
        ("ne", ne),
        ("none", Unary(|value| Ok(value.is_none()))),
        (
            "number",
            Unary(|value| Ok(value.kind() == ValueKind::Number)),
        ),
        ("odd", Unary(|value| Ok(integer("odd", value)? % 2 != 0))),
        ("sameas", eq),
        (
            "sequence",
            Unary(|value| Ok(Kind::from_value(value) == Some(Kind::List))),
        ),
        (
            "startingwith",
            Binary(|value, start| {
                Ok(text("startingwith", value)?.starts_with(text("startingwith", start)?))
            }),
        ),
        (
            "string",
            Unary(|value| Ok(value.kind() == ValueKind::String)),
        ),
        (
            "true",
            Unary(|value| compare::same("is true", value, &true.into())),
        ),
        ("undefined", Unary(|value| Ok(value.is_undefined()))),
        (
            "upper",
            Unary(|value| {
                let text = text("upper", value)?;
                Ok(has_case(text) && text.chars().flat_map(char::to_uppercase).eq(text.chars()))
            }),
        ),
    ])
});

/// Returns the text that a test is about; other kinds are an error.
fn text<'a>(test: &str, value: &'a Value) -> Result<&'a str, EvalError> {
    value.as_str().ok_or_else(|| {
        EvalError::new(format!(
            "`is {test}` is for texts, not for {}",
            Kind::name_of(value)
        ))
    })
}

/// Returns the whole number that a test is about; other kinds and fractions are an error.
fn integer(test: &str, value: &Value) -> Result<i128, EvalError> {
    let whole = value
        .is_integer()
        .then(|| i128::try_from(value.clone()).ok());
    whole.flatten().ok_or_else(|| {
        EvalError::new(format!(
            "`is {test}` is for whole numbers, not for {}",
            Kind::name_of(value)
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

/// Returns a message if the test `name` gets the wrong number of arguments, its subject not counted; `None`
/// if the number is right or the test does not exist.
pub(super) fn wrong_count(name: &str, given: usize) -> Option<String> {
    match (TESTS.get(name)?, given) {
        (Unary(_), 0) | (Binary(_), 1) => None,
        (Unary(_), _) => Some(format!("`is {name}` takes no value behind it")),
        (Binary(_), 0) => Some(format!("`is {name}` wants a value behind it")),
        (Binary(_), _) => Some(format!("`is {name}` takes one value behind it")),
    }
}

/// Applies the test `name` to the first of `arguments`. An unknown test and a wrong number of arguments are errors.
/// Undefined values are errors, except for `defined` and `undefined`.
pub(super) fn test(name: &str, arguments: Arguments) -> Result<bool, EvalError> {
    let test = TESTS
        .get(name)
        .ok_or_else(|| EvalError::new(format!("there is no test `{name}`")))?;
    if let Some(wrong) = wrong_count(name, arguments.values.len().saturating_sub(1)) {
        return Err(EvalError::new(wrong));
    }
    arguments.finish(2)?;
    match (test, arguments.values.as_slice()) {
        (Unary(test), [value]) if ["defined", "undefined"].contains(&name) => test(value),
        (Unary(test), [value]) => test(defined(value)?),
        (Binary(test), [value, other]) => test(defined(value)?, defined(other)?),
        _ => Err(EvalError::new(format!(
            "a value is missing before `is {name}`"
        ))),
    }
}
