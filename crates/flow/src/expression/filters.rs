//! Filters and functions of expressions: those of minijinja if their results are no larger than their
//! arguments, and replacements for those that could grow or take long.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::filters;
use minijinja::{Environment, State, UndefinedBehavior, Value};

use super::EvalError;
use super::arguments::Arguments;
use super::bounded_functions::choose::{filter_or_test, with_subject};
use super::bounded_functions::{self, BoundedFilter, List, optional_part, part};
use super::evaluation::Evaluation;
use super::kind::Kind;
use super::operands::items;

/// Nesting of filters that apply filters, such as `map`. Chosen: people need two or three, and each level
/// multiplies the time.
const MAX_NESTING: usize = 10;

enum Function {
    Minijinja(Value),
    Bounded(BoundedFilter),
}

use Function::{Bounded, Minijinja};

struct Filter {
    /// Kinds of subjects that the filter accepts. Those of minijinja accept more: they read `none` as an
    /// empty list, and a text as a list of its letters.
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
const ANY_BUT_NONE: &[Kind] = &[
    Kind::Text,
    Kind::Number,
    Kind::Boolean,
    Kind::List,
    Kind::Map,
];
const TEXT: &[Kind] = &[Kind::Text];
const NUMBER: &[Kind] = &[Kind::Number];
const MAP: &[Kind] = &[Kind::Map];
const PARTS: &[Kind] = &[Kind::List, Kind::Map];
const ROW: &[Kind] = &[Kind::List, Kind::Text];
const SIZED: &[Kind] = &[Kind::List, Kind::Map, Kind::Text];

static FILTERS: LazyLock<BTreeMap<&'static str, Filter>> = LazyLock::new(|| {
    let all = [
        ("abs", NUMBER, Minijinja(Value::from_function(filters::abs))),
        (
            "attr",
            PARTS,
            Minijinja(Value::from_function(filters::attr)),
        ),
        ("batch", PARTS, Bounded(bounded_functions::batch)),
        ("bool", ANY, Bounded(bounded_functions::convert::bool)),
        (
            "capitalize",
            TEXT,
            Minijinja(Value::from_function(filters::capitalize)),
        ),
        ("chain", PARTS, Bounded(bounded_functions::chain)),
        (
            "count",
            SIZED,
            Minijinja(Value::from_function(filters::length)),
        ),
        ("d", ANY, Bounded(bounded_functions::convert::default)),
        ("default", ANY, Bounded(bounded_functions::convert::default)),
        (
            "dictsort",
            MAP,
            Minijinja(Value::from_function(filters::dictsort)),
        ),
        ("e", TEXT, Minijinja(Value::from_function(filters::escape))),
        (
            "escape",
            TEXT,
            Minijinja(Value::from_function(filters::escape)),
        ),
        (
            "first",
            PARTS,
            Minijinja(Value::from_function(filters::first)),
        ),
        ("float", ANY, Bounded(bounded_functions::convert::float)),
        ("format", TEXT, Bounded(bounded_functions::format::format)),
        (
            "groupby",
            PARTS,
            Minijinja(Value::from_function(filters::groupby)),
        ),
        ("indent", TEXT, Bounded(bounded_functions::text::indent)),
        ("int", ANY, Bounded(bounded_functions::convert::int)),
        (
            "items",
            MAP,
            Minijinja(Value::from_function(filters::items)),
        ),
        ("join", PARTS, Bounded(bounded_functions::text::join)),
        (
            "last",
            PARTS,
            Minijinja(Value::from_function(filters::last)),
        ),
        (
            "length",
            SIZED,
            Minijinja(Value::from_function(filters::length)),
        ),
        ("lines", TEXT, Bounded(bounded_functions::text::lines)),
        ("list", PARTS, Bounded(bounded_functions::list)),
        (
            "lower",
            TEXT,
            Minijinja(Value::from_function(filters::lower)),
        ),
        ("map", PARTS, Bounded(map)),
        ("max", PARTS, Minijinja(Value::from_function(filters::max))),
        ("min", PARTS, Minijinja(Value::from_function(filters::min))),
        ("pprint", ANY, Bounded(bounded_functions::text::pprint)),
        ("reject", PARTS, Bounded(bounded_functions::choose::reject)),
        (
            "rejectattr",
            PARTS,
            Bounded(bounded_functions::choose::rejectattr),
        ),
        ("replace", TEXT, Bounded(bounded_functions::text::replace)),
        (
            "reverse",
            ROW,
            Minijinja(Value::from_function(filters::reverse)),
        ),
        (
            "round",
            NUMBER,
            Minijinja(Value::from_function(filters::round)),
        ),
        ("safe", TEXT, Minijinja(Value::from_function(filters::safe))),
        ("select", PARTS, Bounded(bounded_functions::choose::select)),
        (
            "selectattr",
            PARTS,
            Bounded(bounded_functions::choose::selectattr),
        ),
        ("slice", PARTS, Bounded(bounded_functions::slice)),
        (
            "sort",
            PARTS,
            Minijinja(Value::from_function(filters::sort)),
        ),
        ("split", TEXT, Bounded(bounded_functions::text::split)),
        (
            "string",
            ANY_BUT_NONE,
            Bounded(bounded_functions::text::string),
        ),
        ("sum", PARTS, Bounded(bounded_functions::sum)),
        (
            "title",
            TEXT,
            Minijinja(Value::from_function(filters::title)),
        ),
        ("trim", TEXT, Bounded(bounded_functions::text::trim)),
        (
            "unique",
            PARTS,
            Minijinja(Value::from_function(filters::unique)),
        ),
        (
            "upper",
            TEXT,
            Minijinja(Value::from_function(filters::upper)),
        ),
        ("zip", PARTS, Bounded(bounded_functions::zip)),
    ];
    let all = all.into_iter();
    all.map(|(name, takes, function)| (name, Filter { takes, function }))
        .collect()
});

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    // Empty, so that only the filters and tests in the tables exist.
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
});

/// Returns the state that minijinja's filters and tests take as an argument.
pub(super) fn state() -> State<'static, 'static> {
    ENVIRONMENT.empty_state()
}

pub(super) fn is_filter(name: &str) -> bool {
    FILTERS.contains_key(name)
}

pub(super) fn filter_names() -> impl Iterator<Item = &'static str> {
    FILTERS.keys().copied()
}

/// Fails if the filter does not accept a subject of this kind. Accepts any kind for a filter that does not
/// exist.
pub(super) fn check_kind(name: &str, kind: Kind) -> Result<(), EvalError> {
    match FILTERS.get(name) {
        Some(filter) if !filter.takes.contains(&kind) => {
            Err(kind_mismatch(name, filter.takes, kind))
        }
        _ => Ok(()),
    }
}

/// Returns the error for a subject of the wrong kind, with advice on how to convert it where there is a way.
fn kind_mismatch(name: &str, takes: &[Kind], kind: Kind) -> EvalError {
    let wanted: Vec<String> = takes.iter().map(Kind::to_string).collect();
    let advice = match (takes, kind) {
        (TEXT, Kind::Number | Kind::Boolean) => "; write `| string` before it",
        (NUMBER, Kind::Text) => "; write `| float` or `| int` before it",
        (ANY_BUT_NONE, Kind::None) => {
            "; write `| default('', true)` before it where there may be none"
        }
        (_, Kind::None) if takes.contains(&Kind::List) => {
            "; write `| default([], true)` before it where there may be none"
        }
        (_, Kind::Text) if ["first", "last"].contains(&name) => {
            "; `(…)[0:2]` takes letters of a text, and `lines` and `split` make lists of texts"
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

/// Applies the filter `name` to the first of `arguments`. Filters such as `map` call this again; deeper than
/// `MAX_NESTING` is an error. An unknown name and a subject of a kind that the filter does not take are errors too. An
/// undefined result is possible.
pub(super) fn apply(
    evaluation: &mut Evaluation<'_>,
    name: &str,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    if evaluation.filter_depth >= MAX_NESTING {
        return Err(EvalError::new(format!(
            "filters are nested deeper than {MAX_NESTING}"
        )));
    }
    evaluation.filter_depth += 1;
    let made = apply_filter(evaluation, name, arguments);
    evaluation.filter_depth -= 1;
    made
}

/// Applies a filter without counting the depth. Unknown names and wrong kinds are errors. Filters that compare, such as
/// `sort`, refuse items of different kinds and are case-sensitive by default, unlike minijinja's. An undefined subject
/// is passed on to the filter.
fn apply_filter(
    evaluation: &mut Evaluation<'_>,
    name: &str,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let filter = FILTERS
        .get(name)
        .ok_or_else(|| EvalError::new(format!("there is no filter `{name}`")))?;
    if let Some(kind) = arguments.subject().ok().and_then(Kind::from_value) {
        check_kind(name, kind)?;
    }
    let function = match &filter.function {
        Bounded(function) => return function(evaluation, arguments),
        Minijinja(function) => function,
    };
    // These filters follow a path for each item.
    let compares = matches!(
        name,
        "dictsort" | "groupby" | "max" | "min" | "sort" | "unique"
    );
    if compares {
        if arguments.has_long_path() {
            return Err(EvalError::new(format!("`{name}` is given too long a path")));
        }
        bounded_functions::order::check(evaluation, name, &arguments)?;
        // Case-sensitive like `<` and `==`; minijinja's default ignores case.
        let sensitive = arguments.named.entry("case_sensitive".to_owned());
        sensitive.or_insert_with(|| true.into());
    }
    let mut made = function.call(&mut evaluation.state, &arguments.for_minijinja())?;
    if made.is_safe() {
        // Removes minijinja's mark for safe HTML.
        made = Value::from(made.as_str().unwrap_or_default());
    }
    Ok(made)
}

/// Calls `dict` or `range`. Any other name is an error.
pub(super) fn call(name: &str, arguments: Arguments) -> Result<Value, EvalError> {
    match name {
        "dict" => bounded_functions::dict(arguments),
        "range" => bounded_functions::range(&arguments),
        _ => Err(EvalError::new(format!("there is no function `{name}`"))),
    }
}

/// Applies a filter to each item (`map("upper")`, further arguments go to it), or takes a part of each
/// (`map(attribute="text")`). An item without the part is an error, unless there is a `default`. An
/// undefined result of the filter and a name that is no filter are errors too.
fn map(evaluation: &mut Evaluation<'_>, mut arguments: Arguments) -> Result<Value, EvalError> {
    let subject = arguments.subject()?.clone();
    let mut list = List::default();
    if arguments.named.contains_key("attribute") {
        // Named only: there is no positional argument for it.
        let path = arguments.path(usize::MAX, "attribute")?.unwrap_or_default();
        let default = arguments.named.remove("default");
        arguments.finish(1)?;
        for item in items(&subject)? {
            evaluation.meter.tick()?;
            let item = item?;
            list.push(match &default {
                Some(default) => {
                    let part = optional_part(&item, &path);
                    if part.is_undefined() {
                        default.clone()
                    } else {
                        part
                    }
                }
                None => part(&item, &path)?,
            })?;
        }
        return Ok(list.into());
    }
    let (name, rest) = filter_or_test(&arguments, 1)?;
    let name = name
        .filter(|name| is_filter(name))
        .ok_or_else(|| EvalError::new("`map` wants the name of a filter"))?;
    for item in items(&subject)? {
        evaluation.meter.tick()?;
        let made = apply(evaluation, &name, with_subject(item?, &rest))?;
        if made.is_undefined() {
            return Err(EvalError::missing(&format!(
                "what `{name}` takes of an item"
            )));
        }
        list.push_made(made)?;
    }
    Ok(list.into())
}
