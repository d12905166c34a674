//! Replacements for filters and functions of minijinja whose results could be much larger than their
//! arguments. They check the limits while they run; otherwise they return what minijinja's return.

use std::collections::BTreeMap;

use minijinja::Value;
use minijinja::machinery::ast::BinOpKind;
use minijinja::value::{Tuple, ValueKind};

use super::EvalError;
use super::arguments::Arguments;
use super::evaluation::Evaluation;
use super::kind::Kind;
use super::limits::{MAX_ITEMS, Size};
use super::operands::items;
use super::operators;

pub(super) mod choose;
pub(super) mod convert;
pub(super) mod format;
pub(super) mod order;
pub(super) mod text;

/// Filter of this module.
pub(super) type BoundedFilter = fn(&mut Evaluation<'_>, Arguments) -> Result<Value, EvalError>;

/// List under construction. Refuses to grow beyond the limits. A pushed value counts as one item however
/// large it is, because it is not copied.
#[derive(Debug, Default)]
pub(super) struct List {
    values: Vec<Value>,
    size: Size,
}

impl List {
    /// Adds a value as one item. Fails above [`MAX_ITEMS`](super::limits::MAX_ITEMS).
    pub(super) fn push(&mut self, value: Value) -> Result<(), EvalError> {
        self.size.items(1)?;
        self.values.push(value);
        Ok(())
    }

    /// Adds a new value, which takes memory of its own and counts in full.
    pub(super) fn push_made(&mut self, value: Value) -> Result<(), EvalError> {
        self.size.value(&value, 0)?;
        self.push(value)
    }
}

impl From<List> for Value {
    fn from(list: List) -> Self {
        Self::from(list.values)
    }
}

/// Returns the part of an item at a path such as `bounds.left` or `0.text`: numbers are indices. Returns
/// undefined if any step is missing.
pub(super) fn optional_part(item: &Value, path: &str) -> Value {
    let mut at = item.clone();
    for key in path.split('.') {
        let part = match key.parse::<usize>() {
            Ok(index) => at.get_item_by_index(index),
            Err(_) => at.get_attr(key),
        };
        at = part.unwrap_or_default();
    }
    at
}

/// Returns the part of an item at a path such as `bounds.left`.
///
/// # Errors
/// If there is no such part. It is not taken as 0 or an empty text, as minijinja does.
pub(super) fn part(item: &Value, path: &str) -> Result<Value, EvalError> {
    let part = optional_part(item, path);
    if part.is_undefined() {
        return Err(EvalError::missing(&format!("`{path}` of an item")));
    }
    Ok(part)
}

/// Makes a list of the items of a list or the keys of a map. Other kinds are an error, and more than [`MAX_ITEMS`]
/// items.
pub fn list(evaluation: &mut Evaluation<'_>, mut arguments: Arguments) -> Result<Value, EvalError> {
    let subject = arguments.subject()?.clone();
    arguments.take(0, "value");
    arguments.finish(1)?;
    let mut list = List::default();
    for item in items(&subject)? {
        evaluation.meter.tick()?;
        list.push(item?)?;
    }
    Ok(list.into())
}

/// Joins lists, or maps if there are only maps; of equal keys the last counts. Of maps among lists the keys are
/// taken. A value of another kind is an error.
pub(super) fn chain(
    evaluation: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    arguments.finish(usize::MAX)?;
    let parts = &arguments.values;
    if parts.iter().all(|part| part.kind() == ValueKind::Map) {
        let mut all = BTreeMap::new();
        for part in parts {
            merge(&mut all, part)?;
        }
        return Ok(Value::from_object(all));
    }
    let mut list = List::default();
    for part in parts {
        for item in items(part)? {
            evaluation.meter.tick()?;
            list.push(item?)?;
        }
    }
    Ok(list.into())
}

/// Splits a list, or the keys of a map, into lists of `count` items each. The last one has the rest, filled up with
/// `fill_with` if that is given. A `count` of 0 or a missing one is an error. An empty list gives no lists.
pub(super) fn batch(
    evaluation: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let count = count(&mut arguments)?;
    let filler = arguments.take(2, "fill_with");
    arguments.finish(3)?;
    let (mut list, mut batch) = (List::default(), List::default());
    for item in items(arguments.subject()?)? {
        evaluation.meter.tick()?;
        if batch.values.len() == count {
            list.push(std::mem::take(&mut batch).into())?;
        }
        batch.push(item?)?;
    }
    if let Some(filler) = filler.filter(|_| !batch.values.is_empty()) {
        // `push` refuses more items than a value may have.
        while batch.values.len() < count {
            batch.push(filler.clone())?;
        }
    }
    if !batch.values.is_empty() {
        list.push(batch.into())?;
    }
    Ok(list.into())
}

/// Splits a list into exactly `count` lists in order, whose lengths differ by 1 at most, the longer ones
/// first. With `fill_with` each shorter one gets one more item, also if all have the same length. More than
/// `MAX_ITEMS` lists are an error.
pub(super) fn slice(_: &mut Evaluation<'_>, mut arguments: Arguments) -> Result<Value, EvalError> {
    let count = count(&mut arguments)?;
    let filler = arguments.take(2, "fill_with");
    arguments.finish(3)?;
    if count > MAX_ITEMS {
        return Err(EvalError::new(format!(
            "`slice` makes at most {MAX_ITEMS} lists"
        )));
    }
    let all = items(arguments.subject()?)?.collect::<Result<Vec<_>, _>>()?;
    let (each, longer) = (all.len() / count, all.len() % count);
    let mut list = List::default();
    let mut rest = all.as_slice();
    for index in 0..count {
        let (part, after) = rest.split_at(each + usize::from(index < longer));
        rest = after;
        let mut part = part.to_vec();
        if let Some(filler) = filler.as_ref().filter(|_| index >= longer) {
            part.push(filler.clone());
        }
        list.push(Value::from(part))?;
    }
    Ok(list.into())
}

/// Takes `count`, which must be there and above 0.
fn count(arguments: &mut Arguments) -> Result<usize, EvalError> {
    match arguments.number(1, "count")? {
        Some(0) => Err(EvalError::new("`count` cannot be 0")),
        Some(count) => Ok(count),
        None => Err(EvalError::new("the argument `count` is missing")),
    }
}

/// Makes tuples of the items at the same place, of lists or of the keys of maps. The shortest one ends it. Other
/// kinds are an error.
pub(super) fn zip(
    evaluation: &mut Evaluation<'_>,
    arguments: Arguments,
) -> Result<Value, EvalError> {
    arguments.finish(usize::MAX)?;
    let mut parts = arguments
        .values
        .iter()
        .map(items)
        .collect::<Result<Vec<_>, _>>()?;
    let mut list = List::default();
    'rows: loop {
        let mut row = Vec::with_capacity(parts.len());
        for part in &mut parts {
            evaluation.meter.tick()?;
            match part.next() {
                Some(item) => row.push(item?),
                None => break 'rows,
            }
        }
        list.size.items(row.len())?;
        list.push(Value::from(Tuple::from(row)))?;
    }
    Ok(list.into())
}

/// Adds numbers, or those at a path in the items, to `start`. An empty list gives `start`, by default 0; an item
/// that is not a number is an error.
pub(super) fn sum(
    evaluation: &mut Evaluation<'_>,
    mut arguments: Arguments,
) -> Result<Value, EvalError> {
    let path = arguments.path(1, "attribute")?;
    let mut total = arguments.take(2, "start").unwrap_or_else(|| 0.into());
    arguments.finish(3)?;
    for item in items(arguments.subject()?)? {
        evaluation.meter.tick()?;
        let item = item?;
        let item = match &path {
            Some(path) => part(&item, path)?,
            None => item,
        };
        if item.kind() != ValueKind::Number {
            let kind = Kind::name_of(&item);
            return Err(EvalError::new(format!("can only sum numbers, not {kind}")));
        }
        total = operators::binary(BinOpKind::Add, &total, &item)?;
    }
    Ok(total)
}

/// Adds the entries of a map to `all`, where equal keys are replaced. Other kinds than maps are an error.
fn merge(all: &mut BTreeMap<Value, Value>, part: &Value) -> Result<(), EvalError> {
    for key in items(part)? {
        let key = key?;
        let value = part.get_item(&key)?;
        all.insert(key, value);
    }
    Ok(())
}

/// Copies a map, if one is given, and adds named values, which replace those of the map. More than one value, and one
/// that is no map, are an error.
pub(super) fn dict(arguments: Arguments) -> Result<Value, EvalError> {
    let mut all = BTreeMap::new();
    match arguments.values.as_slice() {
        [] => {}
        [map] if map.kind() == ValueKind::Map => merge(&mut all, map)?,
        _ => return Err(EvalError::new("`dict` takes a map, and names with values")),
    }
    for (name, value) in arguments.named {
        all.insert(Value::from(name), value);
    }
    Ok(Value::from_object(all))
}

/// Lists the whole numbers from the first up to the second, without it. One number alone is the end, and
/// `none` counts as not given. A third one is the step, not 0; with a negative one the numbers fall. The limit
/// of items applies.
pub(super) fn range(arguments: &Arguments) -> Result<Value, EvalError> {
    arguments.finish(3)?;
    let numbers: Vec<i64> = arguments
        .values
        .iter()
        .filter(|value| !value.is_none())
        .map(|value| {
            value
                .as_i64()
                .ok_or_else(|| EvalError::new("`range` takes whole numbers"))
        })
        .collect::<Result<_, _>>()?;
    let (from, to, step) = match numbers.as_slice() {
        [to] => (0, *to, 1),
        [from, to] => (*from, *to, 1),
        [from, to, step] if *step != 0 => (*from, *to, *step),
        [_, _, _] => return Err(EvalError::new("`range` cannot go on by 0")),
        _ => return Err(EvalError::new("`range` takes one number to three")),
    };
    let mut list = List::default();
    let mut at = from;
    while if step > 0 { at < to } else { at > to } {
        list.push(at.into())?;
        // The range ends at the largest number.
        let Some(next) = at.checked_add(step) else {
            break;
        };
        at = next;
    }
    Ok(list.into())
}
