//! Dynamic values: a literal, a path into the data, or a function call.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::function::{self, PatternError};
use super::model;

/// Most bytes that the values of one screen or one step may take. Chosen: a few words can name much data many
/// times.
const MAX_VALUE_BYTES: usize = 16 * 1024 * 1024;
/// Bytes that a value costs beside its text. Chosen: about the size of a JSON number in memory.
const VALUE_OVERHEAD_BYTES: usize = 16;
/// Deepest nesting of texts that format each other. Chosen: people write one level, and recursion must end.
const MAX_DEPTH: usize = 8;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum ValueError {
    #[error(transparent)]
    Budget(#[from] BudgetError),
    #[error("texts of `formatString` format each other without end")]
    Endless,
    #[error("`{0}` is too deep")]
    TooDeep(String),
    #[error("`{0}` has a `${{` without its `}}`")]
    Unclosed(String),
    #[error("`{0}` must be `name: value`")]
    Argument(String),
    #[error("`{0}` needs a list of `values`")]
    NoValues(String),
    #[error("`{0}` is not a date for `formatDate`")]
    NotDate(String),
    #[error("the pattern `{pattern}` of `regex` cannot be read: {source}")]
    Pattern {
        pattern: String,
        source: PatternError,
    },
    #[error("the function `{0}` is not supported yet")]
    Unsupported(String),
}

/// Error of values that exceed the byte budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("values are made of more than {MAX_VALUE_BYTES} bytes here")]
pub(crate) struct BudgetError;

/// Bytes that the values of one screen or one step may still take.
#[derive(Debug)]
pub(crate) struct ByteBudget(Cell<usize>);

impl Default for ByteBudget {
    fn default() -> Self {
        Self(Cell::new(MAX_VALUE_BYTES))
    }
}

impl ByteBudget {
    /// Takes bytes from the budget. If too few are left, takes all and fails.
    pub fn take(&self, bytes: usize) -> Result<(), BudgetError> {
        let left = self.0.get().checked_sub(bytes);
        self.0.set(left.unwrap_or(0));
        left.map(drop).ok_or(BudgetError)
    }
}

/// Context in which a dynamic value is resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub model: &'a Value,
    /// Absolute pointer at which relative paths begin; empty for the root.
    pub base: &'a str,
    /// Context of an action, for `{context: NAME}` in an app's steps.
    pub context: Option<&'a Map<String, Value>>,
    pub work: &'a ByteBudget,
    /// Number of texts around this one that format it.
    pub depth: usize,
}

impl<'a> Scope<'a> {
    /// Returns the scope of a template's item, whose pointer is `base`, or of the whole data if it is empty.
    /// It has no context of an action.
    pub fn new(model: &'a Value, base: &'a str, work: &'a ByteBudget) -> Self {
        Self {
            model,
            base,
            context: None,
            work,
            depth: 0,
        }
    }

    /// Returns the scope of a text inside another one. Fails beyond [`MAX_DEPTH`], as for texts that name each other.
    pub fn deeper(self) -> Result<Self, ValueError> {
        let depth = self.depth + 1;
        let is_deep = depth > MAX_DEPTH;
        (!is_deep)
            .then_some(Self { depth, ..self })
            .ok_or(ValueError::Endless)
    }

    /// Resolves a dynamic value: `{path}`, `{call}`, and in an action `{context}`. A path to nothing is `null`. Each
    /// item of a list and each field of another object is resolved, as A2UI's own renderers do (`DataContext` of
    /// `web_core`); literals are copied as they are. Fails if a call fails or the budget for copies is used up.
    pub fn resolve(&self, value: &Value) -> Result<Value, ValueError> {
        let fields = match value {
            Value::Object(fields) => fields,
            Value::Array(items) => {
                self.work.take(VALUE_OVERHEAD_BYTES)?;
                let items = items.iter().map(|item| self.resolve(item));
                return Ok(Value::Array(items.collect::<Result<_, _>>()?));
            }
            _ => return self.copied(Some(value)),
        };
        if let Some(Value::String(path)) = fields.get("path")
            && fields.len() == 1
        {
            return self.at(path);
        }
        if let (Some(Value::String(name)), Some(context), 1) =
            (fields.get("context"), self.context, fields.len())
        {
            return self.copied(context.get(name));
        }
        if let Some(Value::String(name)) = fields.get("call") {
            return function::call(name, fields.get("args"), self);
        }
        let mut resolved = Map::new();
        for (name, value) in fields {
            resolved.insert(name.clone(), self.resolve(value)?);
        }
        Ok(Value::Object(resolved))
    }

    /// Returns a copy of the value at a relative or absolute path, or `null` if there is none. Fails if the
    /// budget for copies is used up.
    pub fn at(&self, path: &str) -> Result<Value, ValueError> {
        self.copied(model::get(self.model, &model::absolute(self.base, path)))
    }

    /// Copies a value and charges the budget with its size. `None` becomes `null` and costs nothing. Fails if the
    /// budget is used up.
    fn copied(&self, value: Option<&Value>) -> Result<Value, ValueError> {
        let Some(value) = value else {
            return Ok(Value::Null);
        };
        self.work.take(size(value))?;
        Ok(value.clone())
    }
}

/// Estimates the bytes of a value in memory, with a fixed overhead for it and each inner value.
fn size(value: &Value) -> usize {
    VALUE_OVERHEAD_BYTES
        + match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(size).sum(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| name.len() + size(value))
                .sum(),
            _ => 0,
        }
}

/// Formats a value for people. `null` is empty, whole numbers have no decimals, and list items are joined
/// with `, `. Objects and booleans are JSON.
pub(crate) fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            // Below this, every whole number is exact.
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Returns true for values that count as true: the boolean, all objects, non-empty lists, the text `true`,
/// and numbers but 0. All other texts and `null` are false.
pub(crate) fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::String(text) => text == "true",
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Array(items) => !items.is_empty(),
        Value::Object(_) => true,
        Value::Null => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_stands_in_a_list_is_resolved() {
        let model = json!({"name": "Ada", "items": [{"title": "a"}]});
        let context = json!({"id": 7}).as_object().unwrap().clone();
        let work = ByteBudget::default();
        let scope = Scope {
            context: Some(&context),
            ..Scope::new(&model, "/items/0", &work)
        };
        let list = json!([
            "plain",
            {"path": "/name"},
            {"path": "title"},
            {"context": "id"},
            [{"path": "/none"}],
            {"deep": [{"call": "capitalize", "args": {"value": "x"}}]},
        ]);
        assert_eq!(
            scope.resolve(&list),
            Ok(json!(["plain", "Ada", "a", 7, [null], {"deep": ["X"]}]))
        );
        // Data is not read as values.
        let data = json!({"list": [{"path": "/name"}]});
        let scope = Scope::new(&data, "", &work);
        assert_eq!(
            scope.resolve(&json!({"path": "/list"})),
            Ok(data["list"].clone())
        );
    }
}
