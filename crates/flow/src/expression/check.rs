//! Checks the names and the shape of an expression before it is evaluated.

use minijinja::machinery::ast::{CallArg, Compare, CompareOpKind, Expr};

use super::error::EvalError;
use super::generator::{self, VOLATILE};
use super::keywords::wrong_word;
use super::tree::parts;
use super::{filters, foreign, predicates};
use crate::report::nearest;

/// Maximum depth of a tree. Chosen: evaluation is recursive, and a deeper one could overflow the stack.
const MAX_DEPTH: usize = 200;

const NO_METHODS: &str =
    "values have no methods and cannot be called; a filter behind `|` changes a value";

/// Functions that are allowed in all expressions. No name may shadow them.
pub(crate) const FUNCTIONS: [&str; 2] = ["dict", "range"];

fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.into_iter().chain(VOLATILE)
}

/// Returns true for a call of `now`.
fn is_time(tree: &Expr<'_>) -> bool {
    matches!(tree, Expr::Call(call) if matches!(&call.expr, Expr::Var(name) if name.id == "now"))
}

/// Returns the problem with `replace`, `batch` or `slice` that is given too little; `None` for all other filters, and
/// if arguments are spread with `*` or `**`.
fn missing_argument(name: &str, given: &[CallArg<'_>]) -> Option<String> {
    let (count, ours) = match name {
        "replace" => (2, "replace('a', 'b')"),
        "batch" => (1, "batch(2)"),
        "slice" => (1, "slice(2)"),
        _ => return None,
    };
    let is_spread = |it: &CallArg<'_>| matches!(it, CallArg::PosSplat(_) | CallArg::KwargSplat(_));
    (given.len() < count && !given.iter().any(is_spread))
        .then(|| format!("an argument of `{name}` is missing; write `… | {ours}`"))
}

/// Fails for a tree that cannot be evaluated: nested too deep, with an unknown filter, test or function, a wrong number
/// of arguments of a test, too few of `replace`, `batch` or `slice`, wrong constants for `now`, `random_int` or
/// `random_text`, a keyword of another language, an ambiguous chain of comparisons, or a call of a method. `depth` is
/// that of `tree`, 0 for a whole one.
pub(super) fn check(tree: &Expr<'_>, depth: usize) -> Result<(), EvalError> {
    if depth > MAX_DEPTH {
        return Err(EvalError::new(format!(
            "the expression is nested deeper than {MAX_DEPTH}"
        )));
    }
    let unknown = match tree {
        Expr::Filter(node) if !filters::is_filter(node.name) => {
            Some(match foreign::instead(node.name) {
                Some(ours) => format!("there is no filter `{}`; {ours}", node.name),
                None => unknown("filter", node.name, filters::filter_names()),
            })
        }
        Expr::Filter(node) => missing_argument(node.name, &node.args),
        Expr::Test(node) if !predicates::is_test(node.name) => {
            Some(match foreign::test(node.name) {
                Some(ours) => format!("there is no test `{}`; {ours}", node.name),
                None => not_a_test(node.name),
            })
        }
        Expr::Test(node) => predicates::wrong_count(node.name, node.args.len()),
        Expr::Var(name) => wrong_word(name.id),
        Expr::Compare(node) => wrong_chain(node),
        Expr::Call(node) => match &node.expr {
            Expr::Var(name) if name.id == "now" => generator::wrong_constants(&node.args),
            Expr::Var(name) if name.id == "random_int" => generator::wrong_bounds(&node.args),
            Expr::Var(name) if name.id == "random_text" => generator::wrong_length(&node.args),
            Expr::Var(name) if functions().any(|known| known == name.id) => None,
            Expr::Var(name) => Some(match foreign::instead(name.id) {
                Some(ours) => format!("there is no function `{}`; {ours}", name.id),
                None => unknown("function", name.id, functions()),
            }),
            Expr::GetAttr(method) if is_time(&method.expr) => {
                Some("values have no methods; write `now('%Y-%m-%d')` with the form".to_owned())
            }
            Expr::GetAttr(method) => Some(match foreign::called_method(method.name) {
                Some(ours) => format!("values have no methods; {ours}"),
                None => NO_METHODS.to_owned(),
            }),
            _ => Some(NO_METHODS.to_owned()),
        },
        _ => None,
    };
    if let Some(message) = unknown {
        return Err(EvalError::new(message).at(tree.span()));
    }
    // The called function is not a value, and was checked above.
    let called = matches!(tree, Expr::Call(_));
    for part in parts(tree).into_iter().skip(usize::from(called)) {
        check(part, depth + 1)?;
    }
    Ok(())
}

/// Returns a message about a chain of comparisons other than of only `<` and `<=`, or only `>` and `>=`. `a
/// == b == c` reads as `(a == b) == c` to some.
fn wrong_chain(node: &Compare<'_>) -> Option<String> {
    let rises = |op: &CompareOpKind| matches!(op, CompareOpKind::Lt | CompareOpKind::Lte);
    let falls = |op: &CompareOpKind| matches!(op, CompareOpKind::Gt | CompareOpKind::Gte);
    let mut ops = node.ops.iter().map(|link| &link.op);
    if ops.clone().all(rises) || ops.all(falls) {
        return None;
    }
    Some("comparisons stand behind each other; write `a == b and b == c`, or brackets".to_owned())
}

/// Returns a message about an unknown test. One that is near to none is probably a value: `A is B`.
fn not_a_test(name: &str) -> String {
    let message = unknown("test", name, predicates::names());
    if message.ends_with('?') {
        message
    } else {
        format!("{message}; to compare two values write `… == {name}`")
    }
}

/// Returns the message that there is no `what` of this name, with the most similar of `names` if there is any.
fn unknown<'a>(what: &str, name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, names) {
        Some(near) => format!("there is no {what} `{name}`; did you mean `{near}`?"),
        None => format!("there is no {what} `{name}`"),
    }
}
