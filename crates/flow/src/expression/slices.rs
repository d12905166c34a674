//! Evaluates slices of texts, lists and tuples.

use minijinja::Value;

use super::EvalError;
use super::kind::Kind;
use super::operands::{defined, is_list, items, list};

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
