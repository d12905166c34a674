//! The filters and functions an expression may use: minijinja's own where they make no more than they are given,
//! ours where they could grow or take long.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::filters;
use minijinja::{Environment, State, UndefinedBehavior, Value};

use super::EvalError;
use super::arguments::Arguments;
use super::compare::Kind;
use super::evaluate::Evaluation;
use super::own::{self, BoundedFilter};

/// Deepest application of filters by filters, as `map` does.
const DEEPEST: usize = 10;

/// What computes a filter.
enum Function {
    /// Minijinja's.
    Theirs(Value),
    Ours(BoundedFilter),
}

use Function::{Ours, Theirs};

struct Filter {
    /// The kinds of values that the filter accepts. minijinja's own accept more: they read `none` as an empty list, and a
    /// text as a list of its letters.
    takes: &'static [Kind],
    function: Function,
}

const ANY: &[Kind] = &[
    Kind::Text,
    Kind::Number,
    Kind::Boolean,
    Kind::List,
    Kind::Map,
    Kind::None,
];
const TEXT: &[Kind] = &[Kind::Text];
const NUMBER: &[Kind] = &[Kind::Number];
const MAP: &[Kind] = &[Kind::Map];
const PARTS: &[Kind] = &[Kind::List, Kind::Map];
const ROW: &[Kind] = &[Kind::List, Kind::Text];
const SIZED: &[Kind] = &[Kind::List, Kind::Map, Kind::Text];

static FILTERS: LazyLock<BTreeMap<&'static str, Filter>> = LazyLock::new(|| {
    let all = [
        ("abs", NUMBER, Theirs(Value::from_function(filters::abs))),
        ("attr", PARTS, Theirs(Value::from_function(filters::attr))),
        ("batch", PARTS, Ours(own::batch)),
        ("bool", ANY, Ours(own::convert::bool)),
        (
            "capitalize",
            TEXT,
            Theirs(Value::from_function(filters::capitalize)),
        ),
        ("chain", PARTS, Ours(own::chain)),
        (
            "count",
            SIZED,
            Theirs(Value::from_function(filters::length)),
        ),
        ("d", ANY, Ours(own::convert::default)),
        ("default", ANY, Ours(own::convert::default)),
        (
            "dictsort",
            MAP,
            Theirs(Value::from_function(filters::dictsort)),
        ),
        ("e", TEXT, Theirs(Value::from_function(filters::escape))),
        (
            "escape",
            TEXT,
            Theirs(Value::from_function(filters::escape)),
        ),
        ("first", PARTS, Theirs(Value::from_function(filters::first))),
        ("float", ANY, Ours(own::convert::float)),
        ("format", TEXT, Ours(own::format::format)),
        (
            "groupby",
            PARTS,
            Theirs(Value::from_function(filters::groupby)),
        ),
        ("indent", TEXT, Ours(own::text::indent)),
        ("int", ANY, Ours(own::convert::int)),
        ("items", MAP, Theirs(Value::from_function(filters::items))),
        ("join", PARTS, Ours(own::text::join)),
        ("last", PARTS, Theirs(Value::from_function(filters::last))),
        (
            "length",
            SIZED,
            Theirs(Value::from_function(filters::length)),
        ),
        ("lines", TEXT, Ours(own::text::lines)),
        ("list", PARTS, Ours(own::list)),
        ("lower", TEXT, Theirs(Value::from_function(filters::lower))),
        ("map", PARTS, Ours(own::choose::map)),
        ("max", PARTS, Theirs(Value::from_function(filters::max))),
        ("min", PARTS, Theirs(Value::from_function(filters::min))),
        ("pprint", ANY, Ours(own::text::pprint)),
        ("reject", PARTS, Ours(own::choose::reject)),
        ("rejectattr", PARTS, Ours(own::choose::rejectattr)),
        ("replace", TEXT, Ours(own::text::replace)),
        (
            "reverse",
            ROW,
            Theirs(Value::from_function(filters::reverse)),
        ),
        (
            "round",
            NUMBER,
            Theirs(Value::from_function(filters::round)),
        ),
        ("safe", TEXT, Theirs(Value::from_function(filters::safe))),
        ("select", PARTS, Ours(own::choose::select)),
        ("selectattr", PARTS, Ours(own::choose::selectattr)),
        ("slice", PARTS, Ours(own::slice)),
        ("sort", PARTS, Theirs(Value::from_function(filters::sort))),
        ("split", TEXT, Ours(own::text::split)),
        ("string", ANY, Theirs(Value::from_function(filters::string))),
        ("sum", PARTS, Ours(own::sum)),
        ("title", TEXT, Theirs(Value::from_function(filters::title))),
        ("trim", TEXT, Ours(own::text::trim)),
        (
            "unique",
            PARTS,
            Theirs(Value::from_function(filters::unique)),
        ),
        ("upper", TEXT, Theirs(Value::from_function(filters::upper))),
        ("zip", PARTS, Ours(own::zip)),
    ];
    let all = all.into_iter();
    all.map(|(name, takes, function)| (name, Filter { takes, function }))
        .collect()
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
    FILTERS.contains_key(name)
}

pub(super) fn filter_names() -> impl Iterator<Item = &'static str> {
    FILTERS.keys().copied()
}

/// Refuses a kind of value that a filter does not take.
pub(super) fn check_kind(name: &str, kind: Kind) -> Result<(), EvalError> {
    match FILTERS.get(name) {
        Some(filter) if !filter.takes.contains(&kind) => Err(unfit(name, filter.takes, kind)),
        _ => Ok(()),
    }
}

fn unfit(name: &str, takes: &[Kind], kind: Kind) -> EvalError {
    let wanted: Vec<String> = takes.iter().map(Kind::to_string).collect();
    let advice = match (takes, kind) {
        (TEXT, Kind::Number | Kind::Boolean) => "; write `| string` before it",
        (NUMBER, Kind::Text) => "; write `| float` or `| int` before it",
        (_, Kind::None) if takes.contains(&Kind::List) => {
            "; write `| default([], true)` before it where there may be none"
        }
        (_, Kind::Text) if takes.contains(&Kind::List) => {
            "; `lines` and `split` make lists of texts"
        }
        _ => "",
    };
    EvalError::new(format!(
        "`{name}` takes {}, not {kind}{advice}",
        wanted.join(" or ")
    ))
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
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let filter = FILTERS
        .get(name)
        .ok_or_else(|| EvalError::new(format!("there is no filter `{name}`")))?;
    if let Some(kind) = arguments.subject().ok().and_then(Kind::of) {
        check_kind(name, kind)?;
    }
    let function = match &filter.function {
        Ours(function) => return function(evaluation, arguments),
        Theirs(function) => function,
    };
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
        // As `<` and `==` have it; minijinja's take small letters for capital ones.
        let sensitive = arguments.named.entry("case_sensitive".to_owned());
        sensitive.or_insert_with(|| true.into());
    }
    let mut made = function.call(&mut evaluation.state, &arguments.for_minijinja())?;
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
