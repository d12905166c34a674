//! Operators, with the results of minijinja but with limits for the size of values.

use std::io::{self, Write};

use minijinja::Value;
use minijinja::machinery::ast::BinOpKind;
use minijinja::value::{Tuple, ValueKind};

use super::EvalError;
use super::kind::Kind;
use super::limits::Size;

/// Text under construction. Refuses to grow beyond the limits.
#[derive(Debug, Default)]
pub(super) struct Text {
    text: String,
    size: Size,
}

impl Text {
    /// Appends a text. Fails above the limit of size.
    pub(super) fn push(&mut self, part: &str) -> Result<(), EvalError> {
        self.size.bytes(part.len())?;
        self.text.push_str(part);
        Ok(())
    }

    /// Appends a value as text: texts without quotes, all else as JSON. minijinja would write Python's `True` and
    /// `None`. Fails for `none`, and above the limit of size.
    pub(super) fn push_value(&mut self, value: &Value) -> Result<(), EvalError> {
        not_none(value)?;
        match value.as_str() {
            Some(text) => self.push(text),
            None => {
                // The error of writing carries no reason, so the writer keeps it.
                let mut writer = Writer(self, None);
                let written = serde_json::to_writer(&mut writer, value);
                match (writer.1, written) {
                    (Some(wrong), _) => Err(wrong),
                    (None, Err(_)) => Err(EvalError::new("a value cannot be written as text")),
                    (None, Ok(())) => Ok(()),
                }
            }
        }
    }

    pub(super) fn into_value(self) -> Value {
        Value::from(self.text)
    }

    pub(super) fn into_string(self) -> String {
        self.text
    }
}

struct Writer<'a>(&'a mut Text, Option<EvalError>);

impl Write for Writer<'_> {
    /// Appends a part, which is whole characters. If the text becomes too large it fails, and the reason is kept in the
    /// writer.
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(part).map_err(io::Error::other)?;
        self.0.push(text).map_err(|wrong| {
            self.1 = Some(wrong);
            io::Error::other("too large a text")
        })?;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses an undefined value.
pub(super) fn defined(value: &Value) -> Result<&Value, EvalError> {
    if value.is_undefined() {
        return Err(EvalError::missing("a value that the expression uses"));
    }
    Ok(value)
}

/// Refuses none where a text is made. A person would not mean minijinja's `None`.
pub(super) fn not_none(value: &Value) -> Result<(), EvalError> {
    if value.is_none() {
        return Err(EvalError::new(
            "`none` is no text; write `| default('', true)` behind what may be none",
        ));
    }
    Ok(())
}

/// Iterates over the items of a list, or the keys of a map.
///
/// # Errors
/// For all other kinds. minijinja would find no items in `none`, and letters in a text.
pub(super) fn items(
    value: &Value,
) -> Result<impl Iterator<Item = Result<Value, EvalError>> + use<>, EvalError> {
    let kind = Kind::from_value(defined(value)?);
    if !matches!(kind, Some(Kind::List | Kind::Map)) {
        let kind = Kind::name_of(value);
        let message = format!("{kind} has no items; only lists and maps have");
        return Err(EvalError::new(message));
    }
    let items = value.try_iter()?;
    Ok(items.checked().map(|item| item.map_err(EvalError::from)))
}

/// Converts a value to text: texts as they are, all else as JSON. Fails for `none`, for an undefined value
/// and above the limit of size.
pub(super) fn text(value: &Value) -> Result<String, EvalError> {
    let mut text = Text::default();
    text.push_value(defined(value)?)?;
    Ok(text.into_string())
}

/// Joins two values as texts. `none`, an undefined value and a result above the limit of size are errors.
fn concat(left: &Value, right: &Value) -> Result<Value, EvalError> {
    let mut text = Text::default();
    text.push_value(defined(left)?)?;
    text.push_value(defined(right)?)?;
    Ok(text.into_value())
}

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

fn is_list(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable)
}

/// Builds a list or a tuple.
fn list(values: Vec<Value>, is_tuple: bool) -> Value {
    if is_tuple {
        Value::from(Tuple::from(values))
    } else {
        Value::from(values)
    }
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
fn arithmetic(
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
fn divide(left: &Value, right: &Value) -> Result<Value, EvalError> {
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
fn power(left: &Value, right: &Value) -> Result<Value, EvalError> {
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
fn floor(a: i128, b: i128) -> Option<(i128, i128)> {
    let (quotient, remainder) = (a.checked_div(b)?, a.checked_rem(b)?);
    if remainder != 0 && (remainder < 0) != (b < 0) {
        return Some((quotient.checked_sub(1)?, remainder.checked_add(b)?));
    }
    Some((quotient, remainder))
}

/// Returns quotient and remainder like [`floor`]. `b` must not be 0.
fn float_floor(a: f64, b: f64) -> (f64, f64) {
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

/// Converts a bound of a slice; `None` if it is `none`, which means that it is missing. Any other value than
/// a whole number is an error.
pub(super) fn bound(value: &Value) -> Result<Option<i64>, EvalError> {
    if defined(value)?.is_none() {
        return Ok(None);
    }
    value
        .as_i64()
        .map(Some)
        .ok_or_else(|| EvalError::new("the bounds of a slice are whole numbers"))
}

/// Evaluates `value[start:stop:step]` of a text (by characters), list or tuple with the rules of Python; the
/// result is of the same kind. Bounds outside of the value are no error. A step of 0 and other kinds are.
pub(super) fn slice(
    value: &Value,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> Result<Value, EvalError> {
    if step == 0 {
        return Err(EvalError::new("a slice cannot go on by 0"));
    }
    if let Some(text) = defined(value)?.as_str() {
        let characters: Vec<char> = text.chars().collect();
        let slice_indices = slice_indices(characters.len(), start, stop, step);
        return Ok(Value::from(
            slice_indices.map(|at| characters[at]).collect::<String>(),
        ));
    }
    if !is_list(value) {
        let kind = Kind::name_of(value);
        return Err(EvalError::new(format!("{kind} has no slices")));
    }
    let all = items(value)?.collect::<Result<Vec<_>, _>>()?;
    let slice_indices = slice_indices(all.len(), start, stop, step);
    Ok(list(
        slice_indices.map(|at| all[at].clone()).collect(),
        value.is_tuple(),
    ))
}

/// Iterates over the indices that a slice takes from `length` items. Negative bounds count from the end, and
/// bounds outside are clamped. `step` must not be 0.
fn slice_indices(
    length: usize,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> impl Iterator<Item = usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    // Backwards, -1 is the valid position before the first item.
    let (low, high) = if step > 0 {
        (0, length)
    } else {
        (-1, length - 1)
    };
    let place = |given: Option<i64>, default: i64| match given {
        None => default,
        Some(at) if at < 0 => at.saturating_add(length).clamp(low, high),
        Some(at) => at.clamp(low, high),
    };
    let (from, to) = if step > 0 {
        (place(start, low), place(stop, high))
    } else {
        (place(start, high), place(stop, low))
    };
    let mut at = from;
    std::iter::from_fn(move || {
        let here = at;
        let inside = if step > 0 { here < to } else { here > to };
        at = at.saturating_add(step);
        inside.then_some(here as usize)
    })
}
