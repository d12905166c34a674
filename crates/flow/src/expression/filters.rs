//! The filters and functions an expression may use: minijinja's own where they make no more than they are given,
//! ours where they could grow or take long.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::filters;
use minijinja::{Environment, State, UndefinedBehavior, Value};

use super::EvalError;
use super::arguments::Arguments;
use super::evaluate::Evaluation;
use super::own::{self, BoundedFilter};

/// Deepest application of filters by filters, as `map` does.
const DEEPEST: usize = 10;

type Table<T> = LazyLock<BTreeMap<&'static str, T>>;

/// Filters that are minijinja's.
static THEIRS: Table<Value> = LazyLock::new(|| {
    BTreeMap::from([
        ("abs", Value::from_function(filters::abs)),
        ("attr", Value::from_function(filters::attr)),
        ("capitalize", Value::from_function(filters::capitalize)),
        ("count", Value::from_function(filters::length)),
        ("dictsort", Value::from_function(filters::dictsort)),
        ("e", Value::from_function(filters::escape)),
        ("escape", Value::from_function(filters::escape)),
        ("first", Value::from_function(filters::first)),
        ("groupby", Value::from_function(filters::groupby)),
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
        ("bool", own::convert::bool),
        ("chain", own::chain),
        ("d", own::convert::default),
        ("default", own::convert::default),
        ("float", own::convert::float),
        ("format", own::format::format),
        ("indent", own::text::indent),
        ("int", own::convert::int),
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

pub(super) fn filter_names() -> impl Iterator<Item = &'static str> {
    OURS.keys().chain(THEIRS.keys()).copied()
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
    let compares = matches!(
        name,
        "dictsort" | "groupby" | "max" | "min" | "sort" | "unique"
    );
    if compares {
        if arguments.has_long_path() {
            return Err(EvalError::new(format!("`{name}` is given too long a path")));
        }
        own::order::check(evaluation, name, &arguments)?;
    }
    let mut made = filter.call(&mut evaluation.state, &arguments.for_minijinja())?;
    if made.is_safe() {
        // Nothing here is ever HTML.
        made = Value::from(made.as_str().unwrap_or_default());
    }
    Ok(made)
}

/// Calls a function.
pub(super) fn call(name: &str, arguments: Arguments) -> Result<Value, EvalError> {
    match name {
        "dict" => own::dict(arguments),
        "range" => own::range(&arguments),
        _ => Err(EvalError::new(format!("there is no function `{name}`"))),
    }
}
