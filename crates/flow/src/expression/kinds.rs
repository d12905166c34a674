//! Infers the kinds of values before a run: of constants, of results of operators and filters, and of names
//! whose values always have one kind. Comparisons that can never work are refused here.

use minijinja::machinery::ast::{BinOp, BinOpKind, Compare, CompareOpKind, Expr, UnaryOpKind};

use super::compare;
use super::kind::Kind;
use super::{EvalError, filters, tree};

/// Lookup of the kind of the value at a path such as `["total", "text"]`; `None` if unknown.
pub(crate) type KindLookup<'a> = dyn Fn(&[&str]) -> Option<Kind> + 'a;

/// Checks the kinds in an expression, and returns that of its result; `None` if it depends on values. `known`
/// gives the kinds of paths.
///
/// # Errors
/// Kinds that certainly do not fit an operator or a filter.
pub(crate) fn check(tree: &Expr<'_>, known: &KindLookup<'_>) -> Result<Option<Kind>, EvalError> {
    Checker { known }.kind(tree)
}

struct Checker<'a> {
    known: &'a KindLookup<'a>,
}

type KindResult = Result<Option<Kind>, EvalError>;

impl Checker<'_> {
    /// Returns the kind of a node's result like [`Self::node`]. An error has its place.
    fn kind(&self, tree: &Expr<'_>) -> KindResult {
        self.node(tree).map_err(|wrong| wrong.at(tree.span()))
    }

    /// Returns the kind of a node's result, without its place in errors. `None` if it is known only in the run; all
    /// parts are checked.
    fn node(&self, tree: &Expr<'_>) -> KindResult {
        if let Some(path) = tree::path(tree) {
            return Ok((self.known)(&path));
        }
        let mut kinds = Vec::new();
        for part in tree::parts(tree) {
            kinds.push(self.kind(part)?);
        }
        Ok(match tree {
            Expr::Const(constant) => Kind::from_value(&constant.value),
            Expr::UnaryOp(node) => match node.op {
                UnaryOpKind::Not => Some(Self::truth("not", &node.expr, kinds[0])?),
                UnaryOpKind::Neg => Some(Kind::Number),
            },
            Expr::BinOp(node) => Self::binary(node, kinds[0], kinds[1])?,
            Expr::Compare(node) => Some(Self::chain(node, &kinds)?),
            Expr::IfExpr(node) => {
                Self::truth("if", &node.test_expr, kinds[0])?;
                let other = kinds.get(2).copied().flatten();
                kinds[1].filter(|kind| Some(*kind) == other)
            }
            Expr::Filter(node) => {
                if let Some(Some(kind)) = kinds.first().filter(|_| node.expr.is_some()) {
                    filters::check_kind(node.name, *kind)?;
                }
                match node.name {
                    "int" | "float" if node.args.is_empty() => Some(Kind::Number),
                    name => filter_kind(name, kinds.first().copied().flatten()),
                }
            }
            Expr::Test(node) => {
                if let (Some(op), [left, Some(right)]) =
                    (test_operator(node.name), kinds.as_slice())
                    && let Some(other) = node.args.first()
                {
                    let other = tree::value_of(other);
                    check_pair(op, (&node.expr, *left), (other, Some(*right)))?;
                }
                Some(Kind::Boolean)
            }
            Expr::List(_) | Expr::Tuple(_) => Some(Kind::List),
            Expr::Map(_) => Some(Kind::Map),
            Expr::Slice(_) => kinds[0],
            Expr::Call(node) => match &node.expr {
                Expr::Var(name) => function_kind(name.id),
                _ => None,
            },
            Expr::Var(_) | Expr::GetAttr(_) | Expr::GetItem(_) => None,
        })
    }

    /// Refuses a known kind that is not boolean, with advice for `op`. An unknown one is accepted. Returns the kind
    /// boolean.
    fn truth(op: &str, tree: &Expr<'_>, kind: Option<Kind>) -> Result<Kind, EvalError> {
        match kind {
            None | Some(Kind::Boolean) => Ok(Kind::Boolean),
            Some(kind) => Err(compare::not_a_boolean(op, &tree::side(tree, kind)).at(tree.span())),
        }
    }

    /// Checks the operands, and returns the kind of the result; `None` if it depends on values.
    fn binary(node: &BinOp<'_>, left: Option<Kind>, right: Option<Kind>) -> KindResult {
        let numbers = [left, right] == [Some(Kind::Number); 2];
        Ok(match node.op {
            BinOpKind::ScOr if left != Some(Kind::Boolean) && is_fallback(&node.right, right) => {
                return Err(fallback(node));
            }
            BinOpKind::ScAnd | BinOpKind::ScOr => {
                Self::truth(compare::sign(node.op), &node.left, left)?;
                Some(Self::truth(compare::sign(node.op), &node.right, right)?)
            }
            BinOpKind::Concat => Some(Kind::Text),
            BinOpKind::Add => {
                check_sum(node, left, right)?;
                left.filter(|_| numbers || left == right)
            }
            BinOpKind::Mul => left.filter(|_| numbers || left == right),
            BinOpKind::Sub
            | BinOpKind::Div
            | BinOpKind::FloorDiv
            | BinOpKind::Rem
            | BinOpKind::Pow => Some(Kind::Number),
            op => {
                check_pair(op, (&node.left, left), (&node.right, right))?;
                Some(Kind::Boolean)
            }
        })
    }

    /// Checks each neighbouring pair of a chain of comparisons, where `kinds` are those of the operands in order.
    /// Returns the kind boolean.
    fn chain(node: &Compare<'_>, kinds: &[Option<Kind>]) -> Result<Kind, EvalError> {
        let mut left = (&node.expr, kinds[0]);
        for (link, kind) in node.ops.iter().zip(&kinds[1..]) {
            let op = match link.op {
                CompareOpKind::Lt => BinOpKind::Lt,
                CompareOpKind::Lte => BinOpKind::Lte,
                CompareOpKind::Gt => BinOpKind::Gt,
                CompareOpKind::Gte => BinOpKind::Gte,
                CompareOpKind::Eq => BinOpKind::Eq,
                CompareOpKind::Ne => BinOpKind::Ne,
                CompareOpKind::In | CompareOpKind::NotIn => BinOpKind::In,
            };
            let right = (&link.expr, *kind);
            check_pair(op, left, right)?;
            left = right;
        }
        Ok(Kind::Boolean)
    }
}

/// Returns true for a constant that `or` gives in place of a value in other languages: `A or 'x'`.
fn is_fallback(right: &Expr<'_>, kind: Option<Kind>) -> bool {
    matches!(right, Expr::Const(_)) && matches!(kind, Some(Kind::Text | Kind::Number))
}

/// Returns the error about `A or 'x'`, with `default` as advice.
fn fallback(node: &BinOp<'_>) -> EvalError {
    let left = tree::written(&node.left).unwrap_or_else(|| "…".to_owned());
    let right = tree::written(&node.right).unwrap_or_else(|| "…".to_owned());
    EvalError::new(format!(
        "`or` needs true or false; `{right}` is neither; for another value where there is none write `{left} | default({right}, true)`"
    ))
    .at(node.right.span())
}

/// Refuses `+` with a text and a number: it neither joins nor adds them. Other kinds and unknown ones are
/// accepted here.
fn check_sum(node: &BinOp<'_>, left: Option<Kind>, right: Option<Kind>) -> Result<(), EvalError> {
    let (Some(left), Some(right)) = (left, right) else {
        return Ok(());
    };
    let text = match (left, right) {
        (Kind::Text, Kind::Number) => &node.left,
        (Kind::Number, Kind::Text) => &node.right,
        _ => return Ok(()),
    };
    let advice = match text {
        Expr::Const(_) => "`~` joins texts and numbers".to_owned(),
        name => {
            let name = tree::written(name).unwrap_or_else(|| "(…)".to_owned());
            format!("`{name} | int` makes a number of a text, and `~` joins both as texts")
        }
    };
    let message = format!("`+` cannot take {left} and {right}; {advice}");
    Err(EvalError::new(message))
}

/// Refuses kinds that a comparison or `in` cannot take. An unknown kind (`None`) is accepted, except where
/// the other alone is wrong, such as a number behind `in` or a list with `<`. `none` may be compared with
/// `==` and `!=` to any kind.
fn check_pair(
    op: BinOpKind,
    (left_tree, left): (&Expr<'_>, Option<Kind>),
    (right_tree, right): (&Expr<'_>, Option<Kind>),
) -> Result<(), EvalError> {
    let sign = compare::sign(op);
    let orders = matches!(
        op,
        BinOpKind::Lt | BinOpKind::Lte | BinOpKind::Gt | BinOpKind::Gte
    );
    let unlike = |left, right| {
        compare::unlike(
            sign,
            &tree::side(left_tree, left),
            &tree::side(right_tree, right),
        )
    };
    match (op, left, right) {
        (BinOpKind::In, _, Some(kind @ (Kind::Number | Kind::Boolean | Kind::None))) => {
            Err(compare::no_container(kind))
        }
        (BinOpKind::In, Some(left), Some(right @ Kind::Text)) if left != Kind::Text => {
            Err(unlike(left, right))
        }
        (BinOpKind::In, ..) => Ok(()),
        (_, Some(left), Some(right)) if !left.is_like(right) => Err(unlike(left, right)),
        (_, Some(kind), _) | (_, _, Some(kind)) if orders && !kind.is_ordered() => {
            Err(compare::unordered(sign, kind))
        }
        _ => Ok(()),
    }
}

/// Returns the comparison that a test such as `is eq` or `is sameas` is equivalent to; `None` for any other
/// test.
fn test_operator(name: &str) -> Option<BinOpKind> {
    Some(match name {
        "eq" | "equalto" | "==" | "sameas" => BinOpKind::Eq,
        "ne" | "!=" => BinOpKind::Ne,
        "lt" | "lessthan" | "<" => BinOpKind::Lt,
        "le" | "<=" => BinOpKind::Lte,
        "gt" | "greaterthan" | ">" => BinOpKind::Gt,
        "ge" | ">=" => BinOpKind::Gte,
        "in" => BinOpKind::In,
        _ => return None,
    })
}

/// Returns the kind of a filter's result, for a subject of the kind `of`; `None` if it depends on values, as
/// for `int` with a default.
fn filter_kind(name: &str, of: Option<Kind>) -> Option<Kind> {
    Some(match name {
        "capitalize" | "e" | "escape" | "format" | "indent" | "join" | "lower" | "pprint"
        | "replace" | "safe" | "string" | "title" | "trim" | "upper" => Kind::Text,
        "abs" | "count" | "length" | "round" => Kind::Number,
        "bool" => Kind::Boolean,
        "batch" | "dictsort" | "groupby" | "items" | "lines" | "list" | "map" | "reject"
        | "rejectattr" | "select" | "selectattr" | "slice" | "sort" | "split" | "unique"
        | "zip" => Kind::List,
        "reverse" => return of,
        // `int` and `float` have a default, which may be of another kind.
        _ => return None,
    })
}

/// Returns the kind of a function's result; `None` for unknown functions.
fn function_kind(name: &str) -> Option<Kind> {
    Some(match name {
        "range" => Kind::List,
        "dict" => Kind::Map,
        "now" | "random_email" | "random_text" | "uuid" => Kind::Text,
        "random_int" => Kind::Number,
        _ => return None,
    })
}
