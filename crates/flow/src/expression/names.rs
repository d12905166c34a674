//! Names in an expression.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{BinOpKind, Expr, UnaryOpKind};

use super::tree::{optional_subject, parts, path, value_of};

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
/// names that are only compared, tested, negated with `not`, counted, used in a condition or used as an index. A
/// constant text as index belongs to the path.
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
