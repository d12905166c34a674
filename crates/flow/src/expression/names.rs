//! Names in an expression.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{BinOpKind, CallArg, Expr, UnaryOpKind};

use super::tree::{optional_subject, parts, path, value_of};

/// Filters whose result has no part of a value.
const COUNTING: [&str; 2] = ["length", "count"];

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

/// Returns the paths, such as `total.text`, whose values or parts of them may be in the result, with duplicates. Skips
/// names that are only compared, tested, negated with `not`, joined by `and` or `or`, counted, used in a condition or
/// used as an index. A constant text as index belongs to the path.
pub(crate) fn sources(tree: &Expr<'_>) -> Vec<Vec<String>> {
    paths(tree, sources_of)
}

/// Returns the paths of all names like [`sources`], with those that it skips. An error may quote a value of any of them.
pub(crate) fn reads(tree: &Expr<'_>) -> Vec<Vec<String>> {
    paths(tree, parts)
}

/// Texts and numbers that stand in an expression, and may be in its result or make it.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// Those that may be in the result, whole or in parts, with duplicates.
    pub(crate) parts: Vec<String>,
    /// True if there are numbers that the result is computed with, as in `COUNT + 1000`.
    pub(crate) has_operands: bool,
}

/// Returns the constants of an expression, without texts that have no letter or digit. Skips what [`sources`] skips, and
/// what functions and filters are told to do, as in `split('-')`.
pub(crate) fn constants(tree: &Expr<'_>) -> Constants {
    let mut constants = Constants::default();
    // Each with whether it is an operand of arithmetic.
    let mut left = vec![(tree, false)];
    while let Some((tree, is_operand)) = left.pop() {
        let whole = |part| (part, false);
        match tree {
            Expr::Const(constant) if constant.value.is_number() && is_operand => {
                constants.has_operands = true;
            }
            Expr::Const(constant) => {
                let value = &constant.value;
                let number = || value.is_number().then(|| value.to_string());
                let text = value.as_str().map(str::to_owned).or_else(number);
                let told = text.filter(|it| it.contains(char::is_alphanumeric));
                constants.parts.extend(told);
            }
            Expr::Call(node) if !matches!(&node.expr, Expr::Var(name) if name.id == "dict") => {}
            Expr::Filter(node) if !COUNTING.contains(&node.name) => {
                let kept = kept_arguments(node.name, &node.args);
                left.extend(node.expr.iter().chain(kept).map(whole));
            }
            Expr::BinOp(node) if !matches!(node.op, BinOpKind::Concat) => {
                left.extend(sources_of(tree).into_iter().map(|part| (part, true)));
            }
            _ => left.extend(sources_of(tree).into_iter().map(whole)),
        }
    }
    constants
}

/// Returns the arguments of a filter whose values may be in its result, whole or in parts: also a `default` of `map`, and
/// those of the filter that `map` names.
fn kept_arguments<'a, 'b>(filter: &str, arguments: &'b [CallArg<'a>]) -> Vec<&'b Expr<'a>> {
    const KEEPING: [&str; 7] = ["chain", "d", "default", "format", "join", "replace", "zip"];

    if KEEPING.contains(&filter) {
        return arguments.iter().map(value_of).collect();
    }
    if filter != "map" {
        return Vec::new();
    }
    if let [CallArg::Pos(Expr::Const(name)), rest @ ..] = arguments {
        let inner = name.value.as_str();
        return inner.map_or_else(Vec::new, |inner| kept_arguments(inner, rest));
    }
    let is_default = |it: &&CallArg<'_>| matches!(it, CallArg::Kwarg("default", _));
    arguments.iter().filter(is_default).map(value_of).collect()
}

/// Collects the paths in a tree and in the nodes that `inner` returns of each of its nodes. Names of functions do not
/// count.
fn paths<'a>(
    tree: &Expr<'a>,
    inner: for<'b> fn(&'b Expr<'a>) -> Vec<&'b Expr<'a>>,
) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let mut left = vec![tree];
    while let Some(tree) = left.pop() {
        if let Some(path) = path(tree) {
            paths.push(path.into_iter().map(str::to_owned).collect());
            continue;
        }
        // `os['KEY']`
        if let Expr::GetItem(node) = tree
            && let (Some(owner), Expr::Const(part)) = (path(&node.expr), &node.subscript_expr)
        {
            let owner = owner.into_iter().map(str::to_owned);
            paths.push(
                owner
                    .chain(part.value.as_str().map(str::to_owned))
                    .collect(),
            );
            continue;
        }
        match tree {
            Expr::Call(node) => left.extend(node.args.iter().map(value_of)),
            _ => left.extend(inner(tree)),
        }
    }
    paths
}

/// Returns the children of a node whose values or parts of them may be in its result.
fn sources_of<'a, 'b>(tree: &'b Expr<'a>) -> Vec<&'b Expr<'a>> {
    use BinOpKind::{Eq, Gt, Gte, In, Lt, Lte, Ne, ScAnd, ScOr};

    match tree {
        Expr::Compare(_) | Expr::Test(_) => Vec::new(),
        // A single comparison is no `Compare`. All of these make a boolean.
        Expr::BinOp(node)
            if matches!(node.op, Eq | Ne | Lt | Lte | Gt | Gte | In | ScAnd | ScOr) =>
        {
            Vec::new()
        }
        Expr::UnaryOp(node) if matches!(node.op, UnaryOpKind::Not) => Vec::new(),
        Expr::Filter(node) if COUNTING.contains(&node.name) => Vec::new(),
        Expr::IfExpr(node) => std::iter::once(&node.true_expr)
            .chain(&node.false_expr)
            .collect(),
        Expr::GetItem(node) => vec![&node.expr],
        Expr::Slice(node) => vec![&node.expr],
        _ => parts(tree),
    }
}

/// Selection of names for [`collect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameScope {
    All,
    Needed,
    Certain,
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

/// Adds the paths of names that an expression reads. With [`NameScope::Certain`] only those that are read in any
/// case; unless it is [`NameScope::All`], not those that need not exist.
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
