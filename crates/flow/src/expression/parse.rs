//! Parses an expression, and checks its kinds.

use minijinja::machinery::ast::Expr;

use super::error::ExpressionError;
use super::kind::Kind;
use super::kinds::{self, KindLookup};
use super::read;

/// Maximum bytes of an expression. Chosen: minijinja's parser is recursive, and a longer one could overflow
/// the stack.
const MAX_EXPRESSION_BYTES: usize = 2_000;

/// Parses an expression without computing anything. Fails for a blank one, one longer than `MAX_EXPRESSION_BYTES` or
/// nested deeper than `MAX_DEPTH`, wrong syntax, an unknown filter, test or function, and constants of kinds that do
/// not fit. Names of values need not exist and may have any kind. The number of arguments is checked for tests, for
/// `now`, `random_int` and `random_text` if they are constants, and for too few of `replace`, `batch` and `slice`;
/// for other filters and functions only when they are evaluated.
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
