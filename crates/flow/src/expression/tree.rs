//! Parses and checks expressions, and collects the names in them.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{BinOpKind, CallArg, Compare, CompareOpKind, Expr, UnaryOpKind};

use super::compare::{Kind, Side};
use super::generator::{self, VOLATILE};
use super::kinds::{self, KindLookup};
use super::{EvalError, ExpressionError, filters, foreign, predicates, read};
use crate::report::nearest;

/// Maximum bytes of an expression. Chosen: minijinja's parser is recursive, and a longer one could overflow
/// the stack.
const MAX_EXPRESSION_BYTES: usize = 2_000;
/// Maximum depth of a tree. Chosen: evaluation is recursive, and a deeper one could overflow the stack.
const MAX_DEPTH: usize = 200;

/// Maximum bytes of a part of an expression that a message repeats. Chosen: keeps messages on one line.
const MAX_WRITTEN: usize = 60;

const NO_METHODS: &str =
    "values have no methods and cannot be called; a filter behind `|` changes a value";

/// Functions that are allowed in all expressions. No name may shadow them.
pub(crate) const FUNCTIONS: [&str; 2] = ["dict", "range"];

fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.into_iter().chain(VOLATILE)
}

/// Parses an expression without computing anything. Fails for a blank one, one longer than
/// `MAX_EXPRESSION_BYTES` or nested deeper than `MAX_DEPTH`, wrong syntax, an unknown filter, test or
/// function, and constants of kinds that do not fit. Names of values need not exist and may have any
/// kind. The number of arguments is checked for tests and for `now`, not for filters and other
/// functions.
pub(crate) fn parse(expression: &str) -> Result<Expr<'_>, ExpressionError> {
    let whole = |message: String| ExpressionError {
        range: 0..expression.len(),
        message,
        stopped: false,
    };
    if expression.trim().is_empty() {
        return Err(whole("the expression is empty".to_owned()));
    }
    if expression.len() > MAX_EXPRESSION_BYTES {
        return Err(whole(format!(
            "the expression is longer than {MAX_EXPRESSION_BYTES} bytes"
        )));
    }
    let tree = read::read(expression).map_err(|wrong| wrong.within(expression))?;
    // Constants are checked here; names may have any kind.
    check_kinds(tree, expression, &|_| None)
}

/// Returns the tree, or an error if it compares or combines different kinds, as far as kinds are known.
/// `known` gives the kinds of paths.
pub(crate) fn check_kinds<'a>(
    tree: Expr<'a>,
    expression: &str,
    known: &KindLookup<'_>,
) -> Result<Expr<'a>, ExpressionError> {
    match kinds::check(&tree, known) {
        Ok(_) => Ok(tree),
        Err(wrong) => Err(wrong.within(expression)),
    }
}

/// Returns the kind of the result; `None` if it is not known or the kinds in the expression do not fit.
pub(crate) fn kind(tree: &Expr<'_>, known: &KindLookup<'_>) -> Option<Kind> {
    kinds::check(tree, known).ok().flatten()
}

/// Returns all names in an expression, with their attributes as dotted paths such as `total.text`, sorted.
/// Names of functions do not count.
pub(crate) fn names(tree: &Expr<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(tree, NameScope::All, &mut names);
    names
}

/// Returns the names that must exist. Those under `default` or `is defined` need not.
pub(crate) fn needed(tree: &Expr<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(tree, NameScope::Needed, &mut names);
    names
}

/// Returns the names that every evaluation reads. Skips the right side of `and` and `or`, the branches of
/// `if`, and names that need not exist.
pub(crate) fn certain(tree: &Expr<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(tree, NameScope::Certain, &mut names);
    names
}

/// Returns the paths, such as `total.text`, whose values or parts of them may be in the result, with
/// duplicates. Skips names that are only compared, tested, negated, counted, used in a condition or used as
/// an index. A constant text as index belongs to the path.
pub(crate) fn sources(tree: &Expr<'_>) -> Vec<Vec<String>> {
    let mut sources = Vec::new();
    let mut left = vec![tree];
    while let Some(tree) = left.pop() {
        if let Some(path) = path(tree) {
            sources.push(path.into_iter().map(str::to_owned).collect());
            continue;
        }
        match tree {
            Expr::Compare(_) | Expr::Test(_) => {}
            Expr::UnaryOp(node) if matches!(node.op, UnaryOpKind::Not) => {}
            Expr::Filter(node) if ["length", "count"].contains(&node.name) => {}
            Expr::IfExpr(node) => {
                left.push(&node.true_expr);
                left.extend(node.false_expr.iter());
            }
            // `os['KEY']`
            Expr::GetItem(node) => match (path(&node.expr), &node.subscript_expr) {
                (Some(owner), Expr::Const(part)) => {
                    let owner = owner.into_iter().map(str::to_owned);
                    sources.push(
                        owner
                            .chain(part.value.as_str().map(str::to_owned))
                            .collect(),
                    );
                }
                _ => left.push(&node.expr),
            },
            Expr::Slice(node) => left.push(&node.expr),
            Expr::Call(node) => left.extend(node.args.iter().map(value_of)),
            _ => left.extend(parts(tree)),
        }
    }
    sources
}

/// Selection of names for [`collect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameScope {
    All,
    Needed,
    Certain,
}

/// Returns the subject of `default`, `is defined` and `is undefined`, which need not exist; `None` for all
/// other nodes.
pub(super) fn optional_subject<'a, 'b>(tree: &'b Expr<'a>) -> Option<&'b Expr<'a>> {
    match tree {
        Expr::Filter(node) if ["default", "d"].contains(&node.name) => node.expr.as_ref(),
        Expr::Test(node) if ["defined", "undefined"].contains(&node.name) => Some(&node.expr),
        _ => None,
    }
}

/// Returns the names of the called functions at any depth. Filters and tests do not count.
pub(crate) fn called<'a>(tree: &Expr<'a>) -> BTreeSet<&'a str> {
    let mut called = BTreeSet::new();
    let mut left = vec![tree];
    while let Some(tree) = left.pop() {
        if let Expr::Call(call) = tree
            && let Expr::Var(name) = &call.expr
        {
            called.insert(name.id);
        }
        left.extend(parts(tree));
    }
    called
}

/// Returns true if a name is a variable of the environment: `os` or below.
pub(crate) fn reads_environment(name: &str) -> bool {
    name.split('.').next() == Some("os")
}

/// Returns the parts of a name with attributes: `total`, `bounds`, `left`. Returns `None` for anything else,
/// also with an index.
pub(super) fn path<'a>(tree: &Expr<'a>) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    let mut at = tree;
    loop {
        match at {
            Expr::Var(name) => {
                parts.push(name.id);
                parts.reverse();
                return Some(parts);
            }
            Expr::GetAttr(attribute) => {
                parts.push(attribute.name);
                at = &attribute.expr;
            }
            _ => return None,
        }
    }
}

fn collect(tree: &Expr<'_>, scope: NameScope, names: &mut BTreeSet<String>) {
    if let Some(path) = path(tree) {
        names.insert(path.join("."));
        return;
    }
    if let Expr::Call(call) = tree {
        // The called expression is a function, not a value.
        call.args.iter().for_each(|argument| {
            collect(value_of(argument), scope, names);
        });
        return;
    }
    if scope == NameScope::Certain {
        let certain = match tree {
            Expr::BinOp(node) if matches!(node.op, BinOpKind::ScAnd | BinOpKind::ScOr) => {
                Some(&node.left)
            }
            Expr::IfExpr(node) => Some(&node.test_expr),
            _ => None,
        };
        if let Some(part) = certain {
            return collect(part, scope, names);
        }
    }
    let optional_subject =
        optional_subject(tree).filter(|inner| scope != NameScope::All && path(inner).is_some());
    for part in parts(tree) {
        if optional_subject.is_none_or(|inner| !std::ptr::eq(inner, part)) {
            collect(part, scope, names);
        }
    }
}

pub(super) fn value_of<'a, 'b>(argument: &'b CallArg<'a>) -> &'b Expr<'a> {
    match argument {
        CallArg::Pos(value)
        | CallArg::Kwarg(_, value)
        | CallArg::PosSplat(value)
        | CallArg::KwargSplat(value) => value,
    }
}

/// Returns the direct children of a node. The subject or the called function is the first. The condition of an
/// `if` comes before its branches, and all keys of a map before its values.
pub(super) fn parts<'a, 'b>(tree: &'b Expr<'a>) -> Vec<&'b Expr<'a>> {
    let some = |part: &'b Option<Expr<'a>>| part.iter().collect::<Vec<_>>();
    match tree {
        Expr::Var(_) | Expr::Const(_) => Vec::new(),
        Expr::Slice(node) => [
            vec![&node.expr],
            some(&node.start),
            some(&node.stop),
            some(&node.step),
        ]
        .concat(),
        Expr::UnaryOp(node) => vec![&node.expr],
        Expr::BinOp(node) => vec![&node.left, &node.right],
        Expr::Compare(node) => std::iter::once(&node.expr)
            .chain(node.ops.iter().map(|op| &op.expr))
            .collect(),
        Expr::IfExpr(node) => [
            vec![&node.test_expr, &node.true_expr],
            some(&node.false_expr),
        ]
        .concat(),
        Expr::Filter(node) => [
            some(&node.expr),
            node.args.iter().map(value_of).collect::<Vec<_>>(),
        ]
        .concat(),
        Expr::Test(node) => std::iter::once(&node.expr)
            .chain(node.args.iter().map(value_of))
            .collect(),
        Expr::GetAttr(node) => vec![&node.expr],
        Expr::GetItem(node) => vec![&node.expr, &node.subscript_expr],
        Expr::Call(node) => std::iter::once(&node.expr)
            .chain(node.args.iter().map(value_of))
            .collect(),
        Expr::List(node) => node.items.iter().collect(),
        Expr::Tuple(node) => node.items.iter().collect(),
        Expr::Map(node) => node.keys.iter().chain(&node.values).collect(),
    }
}

/// Returns the source text of a name, its attributes and indices, or a constant, texts in single quotes.
/// Returns `None` for all other nodes, and above `MAX_WRITTEN` bytes.
pub(super) fn written(tree: &Expr<'_>) -> Option<String> {
    let written = match tree {
        Expr::Var(name) => name.id.to_owned(),
        Expr::GetAttr(node) => format!("{}.{}", written(&node.expr)?, node.name),
        Expr::GetItem(node) => {
            format!(
                "{}[{}]",
                written(&node.expr)?,
                written(&node.subscript_expr)?
            )
        }
        Expr::Const(constant) => match constant.value.as_str() {
            Some(text) => format!("'{text}'"),
            None => constant.value.to_string(),
        },
        _ => return None,
    };
    (written.len() <= MAX_WRITTEN).then_some(written)
}

/// Builds an operand for a message.
pub(super) fn side(tree: &Expr<'_>, kind: Kind) -> Side {
    let constant = match tree {
        Expr::Const(constant) => constant.value.as_str().map(str::to_owned),
        _ => None,
    };
    Side {
        kind,
        written: written(tree),
        constant,
    }
}

/// Fails for a tree that cannot be evaluated: nested too deep, with an unknown filter, test or function, a
/// wrong number of arguments of a test, a keyword of another language, an ambiguous chain of comparisons, or
/// a call of a method. `depth` is that of `tree`, 0 for a whole one.
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
        Expr::Test(node) if !predicates::is_test(node.name) => {
            Some(match foreign::test(node.name) {
                Some(ours) => format!("there is no test `{}`; {ours}", node.name),
                None => unknown("test", node.name, predicates::names()),
            })
        }
        Expr::Test(node) => predicates::wrong_count(node.name, node.args.len()),
        Expr::Var(name) => read::wrong_word(name.id),
        Expr::Compare(node) => wrong_chain(node),
        Expr::Call(node) => match &node.expr {
            Expr::Var(name) if name.id == "now" => generator::wrong_constants(&node.args),
            Expr::Var(name) if name.id == "random_int" => generator::wrong_bounds(&node.args),
            Expr::Var(name) if functions().any(|known| known == name.id) => None,
            Expr::Var(name) => Some(match foreign::instead(name.id) {
                Some(ours) => format!("there is no function `{}`; {ours}", name.id),
                None => unknown("function", name.id, functions()),
            }),
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

fn unknown<'a>(what: &str, name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, names) {
        Some(near) => format!("there is no {what} `{name}`; did you mean `{near}`?"),
        None => format!("there is no {what} `{name}`"),
    }
}
