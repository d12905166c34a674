//! Compares values. Comparing values of different kinds is an error.

use std::cmp::Ordering;
use std::fmt;

use minijinja::Value;
use minijinja::machinery::ast::BinOpKind;

use super::EvalError;
use super::kind::Kind;
use super::operands::items;

/// Operand of a comparison, for a message.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) kind: Kind,
    /// Source text of the operand, if it is short.
    pub(super) written: Option<String>,
    /// Value of the operand, if it is a text literal.
    pub(super) constant: Option<String>,
}

impl Side {
    /// Creates an operand whose text is not known.
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            kind,
            written: None,
            constant: None,
        }
    }

    /// Returns the source text, or `…` if it is not known.
    fn name(&self) -> &str {
        self.written.as_deref().unwrap_or("…")
    }
}

impl fmt::Display for Side {
    /// Writes the operand as `` `count` (a number) ``, or its kind alone.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Some(written) => write!(formatter, "`{written}` ({})", self.kind),
            None => write!(formatter, "{}", self.kind),
        }
    }
}

/// Reason why two values cannot be compared.
#[derive(Debug)]
pub(super) enum CompareError {
    /// Different kinds. `nested`: the difference is inside of lists or maps.
    DifferentKinds {
        left: Kind,
        right: Kind,
        nested: bool,
    },
    /// The kind has no order.
    Unordered(Kind),
    /// Values of this kind cannot be the right side of `in`.
    NoContainer(Kind),
    Other(EvalError),
}

impl From<EvalError> for CompareError {
    fn from(error: EvalError) -> Self {
        Self::Other(error)
    }
}

impl CompareError {
    /// Converts to an error about the operation `op` on these operands. Advice about kinds that differ inside
    /// of lists or maps does not name the operands. An error of another kind is returned as it is.
    pub(super) fn between(self, op: &str, left: &Side, right: &Side) -> EvalError {
        match self {
            Self::DifferentKinds { nested: false, .. } => unlike(op, left, right),
            Self::DifferentKinds {
                left,
                right,
                nested: true,
            } => {
                let advice = advice(&Side::new(left), &Side::new(right));
                EvalError::new(format!(
                    "`{op}` cannot compare {left} with {right}, which are items of what is compared; {advice}"
                ))
            }
            Self::Unordered(kind) => unordered(op, kind),
            Self::NoContainer(kind) => no_container(kind),
            Self::Other(error) => error,
        }
    }
}

/// Returns the error about two kinds that cannot be compared by `op`, with advice. It does not check that they are
/// different.
pub(super) fn unlike(op: &str, left: &Side, right: &Side) -> EvalError {
    EvalError::new(format!(
        "`{op}` cannot compare {left} with {right}; {}",
        advice(left, right)
    ))
}

pub(super) fn unordered(op: &str, kind: Kind) -> EvalError {
    EvalError::new(format!(
        "`{op}` needs an order, which {kind} does not have; only two numbers and two texts have one"
    ))
}

pub(super) fn no_container(kind: Kind) -> EvalError {
    EvalError::new(format!(
        "`in` does not look into {kind}; it looks into texts, lists and maps"
    ))
}

/// Returns advice for comparing values of two kinds. A text with a number or a boolean gets a suggestion of how to
/// write one of them, such as `COUNT | int`; all others get general words.
fn advice(left: &Side, right: &Side) -> String {
    use Kind::{Boolean, Number, Text};

    for (text, other) in [(left, right), (right, left)] {
        if text.kind != Text {
            continue;
        }
        let constant = text.constant.as_deref();
        match (other.kind, constant) {
            (Number, Some(text)) if text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
                return format!("write the number without quotes: `{}`", text.trim());
            }
            (Number, Some(_)) => return format!("write `{} | string`", other.name()),
            (Number, None) => return format!("write `{} | int`", text.name()),
            (Boolean, Some(text)) if ["true", "false"].contains(&text) => {
                return format!("write `{text}` without quotes");
            }
            (Boolean, Some(text)) => {
                return match text.trim().to_lowercase().as_str() {
                    "true" | "yes" | "on" | "1" => format!("write `true` in place of `'{text}'`"),
                    "false" | "no" | "off" | "0" | "" => {
                        format!("write `false` in place of `'{text}'`")
                    }
                    _ => "a boolean is `true` or `false`, without quotes".to_owned(),
                };
            }
            (Boolean, None) => return format!("write `{} == 'true'`", text.name()),
            _ => {}
        }
    }
    match (left.kind, right.kind) {
        (Boolean, Number) | (Number, Boolean) => {
            "a boolean is `true` or `false`, and no number".to_owned()
        }
        _ => "compare values of one kind".to_owned(),
    }
}

/// Compares with `==`, nested values too. All pairs are compared, so that an early difference does not hide
/// different kinds.
pub(super) fn equal(left: &Value, right: &Value) -> Result<bool, CompareError> {
    equal_at(left, right, false)
}

/// Compares values by kind; `none` may be compared with all. Lists and maps are compared even behind an unequal
/// item, so that different kinds are found there too, but of lists of unequal length only the common part.
fn equal_at(left: &Value, right: &Value, nested: bool) -> Result<bool, CompareError> {
    let (a, b) = (kind(left)?, kind(right)?);
    if !a.is_like(b) {
        return Err(CompareError::DifferentKinds {
            left: a,
            right: b,
            nested,
        });
    }
    match (a, b) {
        (Kind::None, _) | (_, Kind::None) => Ok(a == b),
        (Kind::List, _) => {
            let (mut left, mut right) = (items(left)?, items(right)?);
            let mut all = true;
            loop {
                match (left.next(), right.next()) {
                    (Some(a), Some(b)) => all &= equal_at(&a?, &b?, true)?,
                    (None, None) => return Ok(all),
                    _ => return Ok(false),
                }
            }
        }
        (Kind::Map, _) => {
            let mut all = left.len() == right.len();
            for key in items(left)? {
                let key = key?;
                let other = right.get_item(&key).map_err(EvalError::from)?;
                if other.is_undefined() {
                    all = false;
                    continue;
                }
                let one = left.get_item(&key).map_err(EvalError::from)?;
                all &= equal_at(&one, &other, true)?;
            }
            Ok(all)
        }
        (Kind::Number, _) => Ok(numbers(left, right)? == Ordering::Equal),
        _ => Ok(left == right),
    }
}

/// Compares two numbers or two texts. Texts are compared by code points, case included.
///
/// # Errors
/// Two different kinds, and kinds without an order: `none`, booleans, lists and maps.
pub(super) fn order(left: &Value, right: &Value) -> Result<Ordering, CompareError> {
    let (a, b) = (kind(left)?, kind(right)?);
    if a != b && a != Kind::None && b != Kind::None {
        return Err(CompareError::DifferentKinds {
            left: a,
            right: b,
            nested: false,
        });
    }
    for kind in [a, b] {
        if !kind.is_ordered() {
            return Err(CompareError::Unordered(kind));
        }
    }
    match (left.as_str(), right.as_str()) {
        (Some(left), Some(right)) => Ok(left.cmp(right)),
        _ => numbers(left, right),
    }
}

/// Returns the kind of a value. Undefined values and rare kinds are an error.
fn kind(value: &Value) -> Result<Kind, CompareError> {
    let value = super::operands::defined(value)?;
    Kind::from_value(value).ok_or_else(|| {
        EvalError::new(format!("{} cannot be compared", Kind::name_of(value))).into()
    })
}

/// Compares numbers exactly, whole ones with floats too. NaN is an error.
fn numbers(left: &Value, right: &Value) -> Result<Ordering, CompareError> {
    let whole = |value: &Value| {
        let is_whole = value.is_integer();
        is_whole
            .then(|| i128::try_from(value.clone()).ok())
            .flatten()
    };
    let float = |value: &Value| f64::try_from(value.clone()).unwrap_or(f64::NAN);
    let order = match (whole(left), whole(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        (Some(left), None) => whole_with_float(left, float(right)),
        (None, Some(right)) => whole_with_float(right, float(left)).map(Ordering::reverse),
        (None, None) => float(left).partial_cmp(&float(right)),
    };
    order.ok_or_else(|| EvalError::new("a number that is none (NaN) cannot be compared").into())
}

/// Compares a whole number with a float exactly; `None` for NaN.
fn whole_with_float(whole: i128, float: f64) -> Option<Ordering> {
    let order = (whole as f64).partial_cmp(&float)?;
    // As floats large whole numbers are equal to their neighbours. Such a float is whole itself.
    Some(order.then_with(|| whole.cmp(&(float as i128))))
}

/// Evaluates `value in container`: a part of a text, an item of a list, or a key of a map.
///
/// # Errors
/// Another container, another value than a text in a text or map, and an item of a list whose kind differs
/// from that of the value, even if another item is equal.
pub(super) fn contains(container: &Value, value: &Value) -> Result<bool, CompareError> {
    let (whole, part) = (kind(container)?, kind(value)?);
    match (container.as_str(), value.as_str()) {
        (Some(container), Some(value)) => return Ok(container.contains(value)),
        (Some(_), None) => {
            return Err(CompareError::DifferentKinds {
                left: part,
                right: whole,
                nested: false,
            });
        }
        _ => {}
    }
    match whole {
        Kind::List => {
            let mut found = false;
            for item in items(container)? {
                let item = item?;
                let item_kind = kind(&item)?;
                if !part.is_like(item_kind) {
                    return Err(CompareError::DifferentKinds {
                        left: part,
                        right: item_kind,
                        nested: true,
                    });
                }
                found |= equal_at(value, &item, true)?;
            }
            Ok(found)
        }
        Kind::Map if part == Kind::Text => {
            let found = container.get_item(value).map_err(EvalError::from)?;
            Ok(!found.is_undefined())
        }
        Kind::Map => Err(CompareError::Other(EvalError::new(format!(
            "the keys of a map are texts, so {part} is never among them"
        )))),
        _ => Err(CompareError::NoContainer(whole)),
    }
}

/// Evaluates `left op right`; `None` if `op` is no comparison. For `in`, `right` is the container.
pub(super) fn compare(
    op: BinOpKind,
    left: &Value,
    right: &Value,
) -> Option<Result<bool, CompareError>> {
    let ordered = |holds: fn(Ordering) -> bool| order(left, right).map(holds);
    Some(match op {
        BinOpKind::Eq => equal(left, right),
        BinOpKind::Ne => equal(left, right).map(|equal| !equal),
        BinOpKind::Lt => ordered(Ordering::is_lt),
        BinOpKind::Lte => ordered(Ordering::is_le),
        BinOpKind::Gt => ordered(Ordering::is_gt),
        BinOpKind::Gte => ordered(Ordering::is_ge),
        BinOpKind::In => contains(right, left),
        _ => return None,
    })
}

/// Returns an operator as it is written.
pub(super) fn sign(op: BinOpKind) -> &'static str {
    match op {
        BinOpKind::Eq => "==",
        BinOpKind::Ne => "!=",
        BinOpKind::Lt => "<",
        BinOpKind::Lte => "<=",
        BinOpKind::Gt => ">",
        BinOpKind::Gte => ">=",
        BinOpKind::In => "in",
        BinOpKind::ScAnd => "and",
        BinOpKind::ScOr => "or",
        BinOpKind::Concat => "~",
        BinOpKind::Add => "+",
        BinOpKind::Sub => "-",
        BinOpKind::Mul => "*",
        BinOpKind::Div => "/",
        BinOpKind::FloorDiv => "//",
        BinOpKind::Rem => "%",
        BinOpKind::Pow => "**",
    }
}

/// Compares like [`equal`], with an error for filters and tests.
pub(super) fn same(op: &str, left: &Value, right: &Value) -> Result<bool, EvalError> {
    equal(left, right).map_err(|error| between(error, op, left, right))
}

/// Compares like [`order`], with an error for filters and tests.
pub(super) fn ordering(op: &str, left: &Value, right: &Value) -> Result<Ordering, EvalError> {
    order(left, right).map_err(|error| between(error, op, left, right))
}

/// Converts to an error about a filter or test on these values.
pub(super) fn between(error: CompareError, op: &str, left: &Value, right: &Value) -> EvalError {
    match (Kind::from_value(left), Kind::from_value(right)) {
        (Some(a), Some(b)) => error.between(op, &Side::new(a), &Side::new(b)),
        _ => EvalError::new("a value cannot be compared"),
    }
}

/// Returns a boolean's value. Any other kind has no truth value and is returned as the error; an undefined
/// value counts as `none`.
pub(super) fn truth(value: &Value) -> Result<bool, Kind> {
    match Kind::from_value(value) {
        Some(Kind::Boolean) => Ok(value.is_true()),
        Some(kind) => Err(kind),
        None => Err(Kind::None),
    }
}

/// Returns the error for an operand of `op` that is not a boolean, with advice for a comparison by its kind.
pub(super) fn not_a_boolean(op: &str, side: &Side) -> EvalError {
    let name = side.name();
    let advice = match side.kind {
        Kind::Text => format!("write `{name} == '…'`"),
        Kind::Number => format!("write `{name} > 0`"),
        Kind::List | Kind::Map => format!("write `{name} | length > 0`"),
        Kind::None | Kind::Boolean => format!("write `{name} is not none`"),
    };
    EvalError::new(format!(
        "`{op}` needs true or false; {side} is neither; {advice}"
    ))
}
