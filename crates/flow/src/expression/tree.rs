//! An expression's tree: read by minijinja, checked for what is allowed, asked for its names.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{BinOpKind, CallArg, Compare, CompareOpKind, Expr, UnaryOpKind};

use super::compare::{Kind, Side};
use super::kinds::{self, KindLookup};
use super::made::{self, MADE};
use super::{EvalError, ExpressionError, filters, predicates, read};
use crate::report::nearest;

/// Longest expression, in bytes; its parser is recursive.
const LONGEST: usize = 2_000;
/// Deepest tree; its evaluation is recursive.
const DEEPEST: usize = 200;

/// Longest part of an expression that a message repeats, in bytes.
const MAX_WRITTEN: usize = 60;

/// Functions that an expression may call anywhere; no name may hide them.
pub(crate) const FUNCTIONS: [&str; 2] = ["dict", "range"];

fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.into_iter().chain(MADE)
}

/// Reads an expression. Nothing is computed.
pub(crate) fn parse(expression: &str) -> Result<Expr<'_>, ExpressionError> {
    let whole = |message: String| ExpressionError {
        range: 0..expression.len(),
        message,
        stopped: false,
    };
    if expression.trim().is_empty() {
        return Err(whole("the expression is empty".to_owned()));
    }
    if expression.len() > LONGEST {
        return Err(whole(format!(
            "the expression is longer than {LONGEST} bytes"
        )));
    }
    let tree = read::read(expression).map_err(|wrong| wrong.within(expression))?;
    // What can be said of constants is said before anything runs; names may have any kind here.
    check_kinds(tree, expression, &|_| None)
}

/// Refuses what compares kinds that are never alike, by the kinds that are known.
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

/// Returns the kind of what an expression comes to, where it is known.
pub(crate) fn kind(tree: &Expr<'_>, known: &KindLookup<'_>) -> Option<Kind> {
    kinds::check(tree, known).ok().flatten()
}

/// The names an expression needs: dotted paths such as `total.text`.
pub(crate) fn names(tree: &Expr<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(tree, NameScope::All, &mut names);
    names
}

/// Of its names, those without which it comes to nothing: not what `default` or `is defined` is asked of.
pub(crate) fn needed(tree: &Expr<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(tree, NameScope::Needed, &mut names);
    names
}

/// Returns the names that every evaluation reads. Skips the right side of `and` and `or`, and the branches of `if`.
pub(crate) fn certain(tree: &Expr<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(tree, NameScope::Certain, &mut names);
    names
}

/// Returns the paths of the names whose values, or parts of them, the result of an expression may hold. A name that is only
/// compared, tested, counted, asked for in a condition or used as an index is none of them.
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

/// The names of an expression that [`collect`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameScope {
    All,
    Needed,
    Certain,
}

/// Whether a node is asked for what may not exist; gives what is asked for.
pub(super) fn asked_for<'a, 'b>(tree: &'b Expr<'a>) -> Option<&'b Expr<'a>> {
    match tree {
        Expr::Filter(node) if ["default", "d"].contains(&node.name) => node.expr.as_ref(),
        Expr::Test(node) if ["defined", "undefined"].contains(&node.name) => Some(&node.expr),
        _ => None,
    }
}

/// The functions that an expression calls.
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

/// Whether a name that an expression needs is of the environment.
pub(crate) fn reads_environment(name: &str) -> bool {
    name.split('.').next() == Some("os")
}

/// The path that a name with attributes is: `total.bounds.left`.
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
        // What is called is a function, no name.
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
    let asked_for =
        asked_for(tree).filter(|inner| scope != NameScope::All && path(inner).is_some());
    for part in parts(tree) {
        if asked_for.is_none_or(|inner| !std::ptr::eq(inner, part)) {
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

/// The nodes below a node.
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

/// A short expression as it is written: a name with parts, or a constant.
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

/// One side of an operator, for a message.
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

/// Refuses what cannot be evaluated, before anything is.
pub(super) fn check(tree: &Expr<'_>, depth: usize) -> Result<(), EvalError> {
    if depth > DEEPEST {
        return Err(EvalError::new(format!(
            "the expression is nested deeper than {DEEPEST}"
        )));
    }
    let unknown = match tree {
        Expr::Filter(node) if !filters::is_filter(node.name) => {
            Some(match read::method(node.name) {
                Some(ours) => format!("there is no filter `{}`; write `{ours}`", node.name),
                None => unknown("filter", node.name, filters::filter_names()),
            })
        }
        Expr::Test(node) if !predicates::is_test(node.name) => {
            Some(unknown("test", node.name, predicates::names()))
        }
        Expr::Test(node) => predicates::wrong_count(node.name, node.args.len()),
        Expr::Var(name) => read::wrong_word(name.id),
        Expr::Compare(node) => wrong_chain(node),
        Expr::Call(node) => match &node.expr {
            Expr::Var(name) if name.id == "now" => made::wrong_constants(&node.args),
            Expr::Var(name) if functions().any(|known| known == name.id) => None,
            Expr::Var(name) => Some(match read::method(name.id) {
                Some(ours) => format!("there is no function `{}`; write `{ours}`", name.id),
                None => unknown("function", name.id, functions()),
            }),
            Expr::GetAttr(method) if read::method(method.name).is_some() => Some(format!(
                "values have no methods; write `{}`",
                read::method(method.name).unwrap_or_default()
            )),
            _ => Some("values have no methods and cannot be called; use a filter".to_owned()),
        },
        _ => None,
    };
    if let Some(message) = unknown {
        return Err(EvalError::new(message).at(tree.span()));
    }
    // What is called is not a value, and was looked at above.
    let called = matches!(tree, Expr::Call(_));
    for part in parts(tree).into_iter().skip(usize::from(called)) {
        check(part, depth + 1)?;
    }
    Ok(())
}

/// A chain other than of orders one way reads in two ways: `a == b == c` is `(a == b) == c` to some.
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
