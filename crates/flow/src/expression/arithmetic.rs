//! Calculates with numbers: exactly with whole ones, else with floats.

use minijinja::Value;
use minijinja::value::ValueKind;

use super::EvalError;
use super::kind::Kind;
use super::operands::defined;

/// Operands of an arithmetic operator, of a common type.
enum NumericOperands {
    Integer(i128, i128),
    Broken(f64, f64),
}

/// Returns both operands as whole numbers, or as floats if one is a float, also one without a fraction such as `2.0`.
/// `None` for other kinds, booleans included, and for whole numbers that are too large.
fn numbers(left: &Value, right: &Value) -> Option<NumericOperands> {
    // Booleans are no numbers here, unlike in minijinja.
    if [left, right]
        .iter()
        .any(|side| side.kind() != ValueKind::Number)
    {
        return None;
    }
    let broken = |value: &Value| !value.is_integer();
    if broken(left) || broken(right) {
        return Some(NumericOperands::Broken(float(left)?, float(right)?));
    }
    let whole = |value: &Value| i128::try_from(value.clone()).ok();
    Some(NumericOperands::Integer(whole(left)?, whole(right)?))
}

/// Returns a number as float; `None` for other kinds, booleans included.
fn float(value: &Value) -> Option<f64> {
    let is_number = value.kind() == ValueKind::Number;
    is_number
        .then(|| f64::try_from(value.clone()).ok())
        .flatten()
}

fn integer(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| Value::from(number), Value::from)
}

/// Returns the error for operands that are not both numbers, with advice for a text.
fn kind_mismatch(op: &str, left: &Value, right: &Value) -> EvalError {
    let has_text = [left, right].iter().any(|side| side.as_str().is_some());
    let advice = if has_text {
        "; make numbers of texts, as in `COUNT | int`"
    } else {
        ""
    };
    EvalError::new(format!(
        "`{op}` cannot take {} and {}{advice}",
        Kind::name_of(left),
        Kind::name_of(right)
    ))
}

/// Returns the error for numbers with which `op` has no result.
fn failed(op: &str, left: &Value, right: &Value) -> EvalError {
    EvalError::new(format!("unable to calculate {left} {op} {right}"))
}

/// Computes exactly with two whole numbers, else with floats. Operands that are not both numbers are an error. Errors
/// are also `None` of the functions, as for an overflow, and an infinite result.
pub(super) fn arithmetic(
    op: &str,
    left: &Value,
    right: &Value,
    exact: impl Fn(i128, i128) -> Option<i128>,
    broken: impl Fn(f64, f64) -> Option<f64>,
) -> Result<Value, EvalError> {
    match numbers(left, right) {
        Some(NumericOperands::Integer(a, b)) => exact(a, b).map(integer),
        // A number that is too large is an error, not infinity.
        Some(NumericOperands::Broken(a, b)) => {
            broken(a, b).filter(|it| it.is_finite()).map(Value::from)
        }
        None => return Err(kind_mismatch(op, left, right)),
    }
    .ok_or_else(|| failed(op, left, right))
}

/// Divides as floats, also whole numbers. Division by 0 and infinity are errors.
pub(super) fn divide(left: &Value, right: &Value) -> Result<Value, EvalError> {
    let (Some(a), Some(b)) = (float(left), float(right)) else {
        return Err(kind_mismatch("/", left, right));
    };
    if b == 0.0 {
        return Err(failed("/", left, right));
    }
    let quotient = a / b;
    if quotient.is_finite() {
        Ok(quotient.into())
    } else {
        Err(failed("/", left, right))
    }
}

/// Raises to a power. A negative exponent of a whole number gives a float; 0 with a negative exponent is an error.
pub(super) fn power(left: &Value, right: &Value) -> Result<Value, EvalError> {
    if let Some(NumericOperands::Integer(a, b)) = numbers(left, right)
        && b < 0
        && a != 0
    {
        return Ok((a as f64).powf(b as f64).into());
    }
    arithmetic(
        "**",
        left,
        right,
        |a, b| u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        |a, b| (a != 0.0 || b >= 0.0).then(|| a.powf(b)),
    )
}

/// Returns true if `value` is a multiple of `by`; false if `by` is the integer 0 or a float 0. Floats have no
/// tolerance. Values that are no numbers are an error.
pub(super) fn is_divisible(value: &Value, by: &Value) -> Result<bool, EvalError> {
    Ok(match numbers(value, by) {
        None => return Err(kind_mismatch("is divisibleby", value, by)),
        Some(NumericOperands::Integer(_, 0)) => false,
        // The only overflow is the smallest number divided by -1, which is a multiple.
        Some(NumericOperands::Integer(a, b)) => a.checked_rem(b).is_none_or(|rest| rest == 0),
        Some(NumericOperands::Broken(a, b)) => a % b == 0.0,
    })
}

/// Returns quotient and remainder, rounded towards minus infinity, so that the remainder has the sign of `b`.
/// Returns `None` for a division by 0 or an overflow.
pub(super) fn floor(a: i128, b: i128) -> Option<(i128, i128)> {
    let (quotient, remainder) = (a.checked_div(b)?, a.checked_rem(b)?);
    if remainder != 0 && (remainder < 0) != (b < 0) {
        return Some((quotient.checked_sub(1)?, remainder.checked_add(b)?));
    }
    Some((quotient, remainder))
}

/// Returns quotient and remainder like [`floor`]. `b` must not be 0.
pub(super) fn float_floor(a: f64, b: f64) -> (f64, f64) {
    let mut remainder = a % b;
    if remainder != 0.0 && (remainder < 0.0) != (b < 0.0) {
        remainder += b;
    }
    // Rounded, because the division may be wrong in its last bit.
    (((a - remainder) / b).round(), remainder)
}

/// Negates a number; other kinds are an error, and so is the smallest whole number.
pub(super) fn negative(value: &Value) -> Result<Value, EvalError> {
    if defined(value)?.kind() != ValueKind::Number {
        return Err(EvalError::new(format!(
            "`-` cannot take {}",
            Kind::name_of(value)
        )));
    }
    arithmetic("-", &Value::from(0), value, i128::checked_sub, |_, b| {
        Some(-b)
    })
}
