//! Parts of the tree of an expression, and their source text.

use minijinja::machinery::ast::{CallArg, Expr};

use super::compare::Side;
use super::kind::Kind;

/// Maximum bytes of a part of an expression that a message repeats. Chosen: keeps messages on one line.
const MAX_WRITTEN: usize = 60;

/// Returns the subject of `default`, `is defined` and `is undefined`, which need not exist; `None` for all
/// other nodes.
pub(super) fn optional_subject<'a, 'b>(tree: &'b Expr<'a>) -> Option<&'b Expr<'a>> {
    match tree {
        Expr::Filter(node) if ["default", "d"].contains(&node.name) => node.expr.as_ref(),
        Expr::Test(node) if ["defined", "undefined"].contains(&node.name) => Some(&node.expr),
        _ => None,
    }
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

/// Returns true for `os` alone, which has the variables of the environment.
pub(super) fn is_environment(tree: &Expr<'_>) -> bool {
    matches!(tree, Expr::Var(name) if name.id == "os")
}

/// Returns the expression of an argument, with or without name.
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

/// Builds an operand for a message: its source text as [`written`] returns it, and its value if it is a text
/// constant.
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
