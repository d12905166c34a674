//! Checks values that an expression uses, and takes lists and maps apart.

use minijinja::Value;
use minijinja::value::{Tuple, ValueKind};

use super::EvalError;
use super::kind::Kind;

/// Refuses an undefined value.
pub(super) fn defined(value: &Value) -> Result<&Value, EvalError> {
    if value.is_undefined() {
        return Err(EvalError::missing("a value that the expression uses"));
    }
    Ok(value)
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

pub(super) fn is_list(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable)
}

/// Builds a list or a tuple.
pub(super) fn list(values: Vec<Value>, is_tuple: bool) -> Value {
    if is_tuple {
        Value::from(Tuple::from(values))
    } else {
        Value::from(values)
    }
}
