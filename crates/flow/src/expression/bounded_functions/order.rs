//! Checks the items that sorting filters compare. minijinja's filters would put values of different kinds
//! into an order of their own.

use minijinja::Value;

use super::super::EvalError;
use super::super::arguments::Arguments;
use super::super::compare;
use super::super::evaluation::Evaluation;
use super::super::kind::Kind;
use super::super::operands::items;
use super::optional_part;

/// Fails if the keys that `filter` compares cannot be compared with each other: for `unique` with `==`, for all others
/// with `<`. The keys are the items, or their parts at `attribute`, which `groupby` also takes by position; `sort`
/// takes several, separated by commas.
pub(in super::super) fn check(
    evaluation: &Evaluation<'_>,
    filter: &str,
    arguments: &Arguments,
) -> Result<(), EvalError> {
    let by_place = arguments.values.get(1).filter(|_| filter == "groupby");
    let attribute = arguments.named.get("attribute").or(by_place);
    let paths: Vec<&str> = match attribute.and_then(Value::as_str) {
        Some(paths) if filter == "sort" => paths.split(',').map(str::trim).collect(),
        Some(path) => vec![path],
        None => vec![""],
    };
    for path in paths {
        let keys = keys(evaluation, filter, arguments, path)?;
        if filter == "unique" {
            check_equal(evaluation, filter, &keys)?;
        } else if let Some(first) = keys.first() {
            // Comparing with the first is enough: all items of its kind can be compared with each other.
            for key in &keys {
                evaluation.meter.tick()?;
                compare::ordering(filter, first, key)?;
            }
        }
    }
    Ok(())
}

/// Returns the compared key of each item: the item itself, its part at `path` if that is not empty, or for
/// `dictsort(by="value")` its value. An undefined key is replaced by the argument `default`, and an error
/// without it.
fn keys(
    evaluation: &Evaluation<'_>,
    filter: &str,
    arguments: &Arguments,
    path: &str,
) -> Result<Vec<Value>, EvalError> {
    let subject = arguments.subject()?;
    let by_value = arguments.named.get("by").and_then(Value::as_str) == Some("value");
    let mut keys = Vec::new();
    for item in items(subject)? {
        evaluation.meter.tick()?;
        let item = item?;
        let key = match filter {
            "dictsort" if by_value => subject.get_item(&item)?,
            _ if path.is_empty() => item,
            _ => optional_part(&item, path),
        };
        match arguments.named.get("default") {
            Some(default) if key.is_undefined() => keys.push(default.clone()),
            None if key.is_undefined() => {
                let message = format!("`{filter}`: an item has no `{path}`");
                return Err(EvalError::new(message));
            }
            _ => keys.push(key),
        }
    }
    Ok(keys)
}

/// Fails if two of the keys cannot be compared for equality. Nested keys are compared with all before.
fn check_equal(evaluation: &Evaluation<'_>, filter: &str, keys: &[Value]) -> Result<(), EvalError> {
    let is_nested = |key: &Value| matches!(Kind::from_value(key), Some(Kind::List | Kind::Map));
    let mut before: Vec<&Value> = Vec::new();
    for key in keys {
        for other in &before {
            evaluation.meter.tick()?;
            compare::same(filter, other, key)?;
        }
        // One key of a plain kind is enough. `none` equals keys of every kind, and nested keys differ inside.
        if before.is_empty() && !key.is_none() || is_nested(key) {
            before.push(key);
        }
    }
    Ok(())
}
