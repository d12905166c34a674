//! Operators, with the results of minijinja but with limits for the size of values.

use minijinja::Value;
use minijinja::machinery::ast::BinOpKind;

use super::EvalError;
use super::arithmetic::{arithmetic, divide, float_floor, floor, power};
use super::bounded_text::concat;
use super::limits::Size;
use super::operands::{defined, is_list, items, list};

/// Computes `+`, `-`, `*`, `/`, `//`, `%`, `**` and `~` of two values. Other operators are an error here, and so are
/// undefined values and kinds that an operator does not take.
pub(super) fn binary(op: BinOpKind, left: &Value, right: &Value) -> Result<Value, EvalError> {
    defined(left)?;
    defined(right)?;
    Ok(match op {
        BinOpKind::Concat => concat(left, right)?,
        BinOpKind::Add => return add(left, right),
        BinOpKind::Mul => return multiply(left, right),
        BinOpKind::Div => return divide(left, right),
        BinOpKind::Sub => {
            return arithmetic("-", left, right, i128::checked_sub, |a, b| Some(a - b));
        }
        BinOpKind::FloorDiv => {
            return arithmetic(
                "//",
                left,
                right,
                |a, b| floor(a, b).map(|(quotient, _)| quotient),
                |a, b| (b != 0.0).then(|| float_floor(a, b).0),
            );
        }
        BinOpKind::Rem => {
            return arithmetic(
                "%",
                left,
                right,
                |a, b| floor(a, b).map(|(_, remainder)| remainder),
                |a, b| (b != 0.0).then(|| float_floor(a, b).1),
            );
        }
        BinOpKind::Pow => return power(left, right),
        // The evaluation itself handles comparisons and conditions.
        BinOpKind::Eq
        | BinOpKind::Ne
        | BinOpKind::Lt
        | BinOpKind::Lte
        | BinOpKind::Gt
        | BinOpKind::Gte
        | BinOpKind::In
        | BinOpKind::ScAnd
        | BinOpKind::ScOr => return Err(EvalError::new("this operator does not compute")),
    })
}

/// Joins two texts, two lists or two tuples, or adds numbers. Everything else is an error.
fn add(left: &Value, right: &Value) -> Result<Value, EvalError> {
    if is_list(left) && is_list(right) && left.is_tuple() == right.is_tuple() {
        let mut size = Size::default();
        let mut all = Vec::new();
        for item in items(left)?.chain(items(right)?) {
            size.items(1)?;
            all.push(item?);
        }
        return Ok(list(all, left.is_tuple()));
    }
    if left.as_str().is_some() && right.as_str().is_some() {
        return concat(left, right);
    }
    arithmetic("+", left, right, i128::checked_add, |a, b| Some(a + b))
}

/// Repeats a text or a list, on either side, or multiplies numbers. A text or a list takes a whole number from 0. The
/// size is checked before the result exists.
fn multiply(left: &Value, right: &Value) -> Result<Value, EvalError> {
    let repeated = |value: &Value| value.as_str().is_some() || is_list(value);
    let (what, times) = match (repeated(left), repeated(right)) {
        (true, _) => (left, right),
        (false, true) => (right, left),
        (false, false) => {
            return arithmetic("*", left, right, i128::checked_mul, |a, b| Some(a * b));
        }
    };
    let whole = times.as_usize().filter(|_| times.is_integer());
    let times = whole.ok_or_else(|| {
        EvalError::new("texts and lists can only be multiplied with whole numbers from 0")
    })?;
    let mut size = Size::default();
    if let Some(text) = what.as_str() {
        // Checked before the text exists: `'a' * 100000000` would be too large at once.
        size.bytes(text.len().saturating_mul(times))?;
        return Ok(Value::from(text.repeat(times)));
    }
    let once = items(what)?.collect::<Result<Vec<_>, _>>()?;
    size.items(once.len().saturating_mul(times))?;
    // Otherwise the loop would count copies of an empty value one by one.
    let times = if once.is_empty() { 0 } else { times };
    let all = std::iter::repeat_n(once, times).flatten().collect();
    Ok(list(all, what.is_tuple()))
}
