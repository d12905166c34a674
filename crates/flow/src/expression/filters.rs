//! The filters, tests and functions an expression may use: minijinja's own where they make no more than they are given,
//! ours where they could grow or take long.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::{Environment, State, UndefinedBehavior, Value};
use minijinja::{filters, tests};

use super::EvalError;
use super::arguments::Arguments;
use super::evaluate::Evaluation;
use super::operators;
use super::own::{self, BoundedFilter};

/// Deepest application of filters by filters, as `map` does.
const DEEPEST: usize = 10;

type Table<T> = LazyLock<BTreeMap<&'static str, T>>;

/// Filters that are minijinja's.
static THEIRS: Table<Value> = LazyLock::new(|| {
    BTreeMap::from([
        ("abs", Value::from_function(filters::abs)),
        ("attr", Value::from_function(filters::attr)),
        ("bool", Value::from_function(filters::bool)),
        ("capitalize", Value::from_function(filters::capitalize)),
        ("count", Value::from_function(filters::length)),
        ("d", Value::from_function(filters::default)),
        ("default", Value::from_function(filters::default)),
        ("dictsort", Value::from_function(filters::dictsort)),
        ("e", Value::from_function(filters::escape)),
        ("escape", Value::from_function(filters::escape)),
        ("first", Value::from_function(filters::first)),
        ("float", Value::from_function(filters::float)),
        ("groupby", Value::from_function(filters::groupby)),
        ("int", Value::from_function(filters::int)),
        ("items", Value::from_function(filters::items)),
        ("last", Value::from_function(filters::last)),
        ("length", Value::from_function(filters::length)),
        ("lower", Value::from_function(filters::lower)),
        ("max", Value::from_function(filters::max)),
        ("min", Value::from_function(filters::min)),
        ("reverse", Value::from_function(filters::reverse)),
        ("round", Value::from_function(filters::round)),
        ("safe", Value::from_function(filters::safe)),
        ("sort", Value::from_function(filters::sort)),
        ("string", Value::from_function(filters::string)),
        ("title", Value::from_function(filters::title)),
        ("unique", Value::from_function(filters::unique)),
        ("upper", Value::from_function(filters::upper)),
    ])
});

/// Filters that are ours.
static OURS: Table<BoundedFilter> = LazyLock::new(|| {
    BTreeMap::from([
        ("batch", own::batch as BoundedFilter),
        ("chain", own::chain),
        ("format", own::format::format),
        ("indent", own::text::indent),
        ("join", own::text::join),
        ("lines", own::text::lines),
        ("list", own::list),
        ("map", own::choose::map),
        ("pprint", own::text::pprint),
        ("reject", own::choose::reject),
        ("rejectattr", own::choose::rejectattr),
        ("replace", own::text::replace),
        ("select", own::choose::select),
        ("selectattr", own::choose::selectattr),
        ("slice", own::slice),
        ("split", own::text::split),
        ("sum", own::sum),
        ("trim", own::text::trim),
        ("zip", own::zip),
    ])
});

/// Tests: what may follow `is`.
static TESTS: Table<Value> = LazyLock::new(|| {
    BTreeMap::from([
        ("!=", Value::from_function(tests::is_ne)),
        ("<", Value::from_function(tests::is_lt)),
        ("<=", Value::from_function(tests::is_le)),
        ("==", Value::from_function(tests::is_eq)),
        (">", Value::from_function(tests::is_gt)),
        (">=", Value::from_function(tests::is_ge)),
        ("boolean", Value::from_function(tests::is_boolean)),
        ("defined", Value::from_function(tests::is_defined)),
        ("divisibleby", Value::from_function(operators::is_divisible)),
        ("endingwith", Value::from_function(tests::is_endingwith)),
        ("eq", Value::from_function(tests::is_eq)),
        ("equalto", Value::from_function(tests::is_eq)),
        ("even", Value::from_function(tests::is_even)),
        ("false", Value::from_function(tests::is_false)),
        ("float", Value::from_function(tests::is_float)),
        ("ge", Value::from_function(tests::is_ge)),
        ("greaterthan", Value::from_function(tests::is_gt)),
        ("gt", Value::from_function(tests::is_gt)),
        ("in", Value::from_function(tests::is_in)),
        ("int", Value::from_function(tests::is_integer)),
        ("integer", Value::from_function(tests::is_integer)),
        ("iterable", Value::from_function(tests::is_iterable)),
        ("le", Value::from_function(tests::is_le)),
        ("lessthan", Value::from_function(tests::is_lt)),
        ("lower", Value::from_function(tests::is_lower)),
        ("lt", Value::from_function(tests::is_lt)),
        ("mapping", Value::from_function(tests::is_mapping)),
        ("ne", Value::from_function(tests::is_ne)),
        ("none", Value::from_function(tests::is_none)),
        ("number", Value::from_function(tests::is_number)),
        ("odd", Value::from_function(tests::is_odd)),
        ("sameas", Value::from_function(tests::is_sameas)),
        ("sequence", Value::from_function(tests::is_sequence)),
        ("startingwith", Value::from_function(tests::is_startingwith)),
        ("string", Value::from_function(tests::is_string)),
        ("true", Value::from_function(tests::is_true)),
        ("undefined", Value::from_function(tests::is_undefined)),
        ("upper", Value::from_function(tests::is_upper)),
    ])
});

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    // Empty: nothing of minijinja's is known that is not named above.
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
});

/// What minijinja's filters and tests want to be called with.
pub(super) fn state() -> State<'static, 'static> {
    ENVIRONMENT.empty_state()
}

pub(super) fn is_filter(name: &str) -> bool {
    OURS.contains_key(name) || THEIRS.contains_key(name)
}

pub(super) fn is_test(name: &str) -> bool {
    TESTS.contains_key(name)
}

pub(super) fn filter_names() -> impl Iterator<Item = &'static str> {
    OURS.keys().chain(THEIRS.keys()).copied()
}

pub(super) fn test_names() -> impl Iterator<Item = &'static str> {
    TESTS.keys().copied()
}

/// Applies a filter to the first of `arguments`. One that applies others comes here again.
pub(super) fn apply(
    evaluation: &mut Evaluation<'_>,
    name: &str,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    if evaluation.applied >= DEEPEST {
        return Err(EvalError::new(format!(
            "filters are nested deeper than {DEEPEST}"
        )));
    }
    evaluation.applied += 1;
    let made = applied(evaluation, name, arguments);
    evaluation.applied -= 1;
    made
}

fn applied(
    evaluation: &mut Evaluation<'_>,
    name: &str,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    if let Some(filter) = OURS.get(name) {
        return filter(evaluation, arguments);
    }
    let filter = THEIRS
        .get(name)
        .ok_or_else(|| EvalError::new(format!("there is no filter `{name}`")))?;
    // These walk a path for each item.
    let looks_into_items = matches!(name, "groupby" | "max" | "min" | "sort" | "unique");
    if looks_into_items && arguments.has_long_path() {
        return Err(EvalError::new(format!("`{name}` is given too long a path")));
    }
    let mut made = filter.call(&mut evaluation.state, &arguments.for_minijinja())?;
    if made.is_safe() {
        // Nothing here is ever HTML.
        made = Value::from(made.as_str().unwrap_or_default());
    }
    Ok(made)
}

/// Whether the first of `arguments` passes a test.
pub(super) fn test(
    evaluation: &mut Evaluation<'_>,
    name: &str,
    arguments: Arguments,
) -> Result<bool, EvalError> {
    let test = TESTS
        .get(name)
        .ok_or_else(|| EvalError::new(format!("there is no test `{name}`")))?;
    let passed = test.call(&mut evaluation.state, &arguments.for_minijinja())?;
    Ok(passed.is_true())
}

/// Calls a function.
pub(super) fn call(name: &str, arguments: Arguments) -> Result<Value, EvalError> {
    match name {
        "dict" => own::dict(arguments),
        "range" => own::range(&arguments),
        _ => Err(EvalError::new(format!("there is no function `{name}`"))),
    }
}
