//! Dynamic values: a literal, a path into the data, or a function call.

use serde_json::{Map, Value};

use super::{function, model};

/// Where a dynamic value is resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub model: &'a Value,
    /// Absolute pointer that relative paths begin at; empty at the top.
    pub base: &'a str,
    /// What an action was told, for `{context: NAME}` in an app's steps.
    pub context: Option<&'a Map<String, Value>>,
}

impl<'a> Scope<'a> {
    /// The data seen from a template's item.
    pub fn new(model: &'a Value, base: &'a str) -> Self {
        Self {
            model,
            base,
            context: None,
        }
    }

    /// The value that a dynamic value stands for. A path to nothing is `null`. `Err` says what is not supported.
    pub fn resolve(&self, value: &Value) -> Result<Value, String> {
        let Value::Object(fields) = value else {
            return Ok(value.clone());
        };
        if let Some(Value::String(path)) = fields.get("path")
            && fields.len() == 1
        {
            return Ok(self.at(path));
        }
        if let (Some(Value::String(name)), Some(context), 1) =
            (fields.get("context"), self.context, fields.len())
        {
            return Ok(context.get(name).cloned().unwrap_or(Value::Null));
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

    /// The value at a path, relative or absolute.
    pub fn at(&self, path: &str) -> Value {
        model::get(self.model, &model::absolute(self.base, path))
            .cloned()
            .unwrap_or(Value::Null)
    }
}

/// A value as a person reads it. `null` is nothing.
pub(crate) fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Whether a value counts as true.
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
