//! Arguments with their expressions evaluated: what a step finally gets.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;
use minijinja::value::ValueKind;
use serde_json::Value;

use super::ast::{Argument, Located};
use super::expression::{self, ExpressionError, Piece};

/// Names that mean something of their own in every expression.
pub const BUILT_IN_NAMES: [&str; 4] = ["os", "device", "flow", "run"];

/// Words of the expression language, which can be no names.
const RESERVED: [&str; 13] = [
    "true", "false", "none", "True", "False", "None", "and", "or", "not", "in", "is", "if", "else",
];

/// An expression that could not be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InterpolationError {
    /// Where the argument stands in its source.
    pub span: Range<usize>,
    /// What went wrong, and what to do.
    pub message: String,
}

/// A name that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not `[A-Za-z_][A-Za-z0-9_]*`.
    #[error("`{0}` cannot be a name; use letters, digits and `_`, and do not begin with a digit")]
    Malformed(String),
    /// A built-in name or a word of the expression language.
    #[error("`{0}` already means something in expressions; choose another name")]
    BuiltIn(String),
}

/// Whether `name` may be given to an env value or a kept result.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let mut characters = name.chars();
    let well_formed = characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|char| char.is_ascii_alphanumeric() || char == '_');
    if !well_formed {
        return Err(NameError::Malformed(name.to_owned()));
    }
    if BUILT_IN_NAMES.contains(&name)
        || RESERVED.contains(&name)
        || ["range", "dict", "namespace", "debug"].contains(&name)
    {
        return Err(NameError::BuiltIn(name.to_owned()));
    }
    Ok(())
}

/// What the names in expressions stand for while a flow runs.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    env: IndexMap<String, String>,
    results: IndexMap<String, Value>,
    os: Arc<BTreeMap<String, String>>,
    device: Value,
    flow: Value,
    run: Value,
}

impl Scope {
    /// A scope with the process environment (`os.NAME`) and what is known of device, flow and run, each a map.
    pub fn new(os: Arc<BTreeMap<String, String>>, device: Value, flow: Value, run: Value) -> Self {
        Self {
            os,
            device,
            flow,
            run,
            ..Self::default()
        }
    }

    /// Sets an env value; a later one replaces an earlier one.
    pub fn set_env(
        &mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<(), NameError> {
        let name = name.into();
        check_name(&name)?;
        self.results.shift_remove(&name);
        self.env.insert(name, value.into());
        Ok(())
    }

    /// Keeps a result under a name (`as`), or a value of `set`.
    pub fn keep(&mut self, name: impl Into<String>, value: Value) -> Result<(), NameError> {
        let name = name.into();
        check_name(&name)?;
        self.results.insert(name, value);
        Ok(())
    }

    /// An env value.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// All env values.
    pub fn env_values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.env
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A kept result.
    pub fn result(&self, name: &str) -> Option<&Value> {
        self.results.get(name)
    }

    /// The scope in which a sub-flow begins: the same env and surroundings, none of the caller's results.
    #[must_use]
    pub fn for_sub_flow(&self) -> Self {
        Self {
            results: IndexMap::new(),
            ..self.clone()
        }
    }

    /// The value at a dotted path, to tell a missing one before the expression runs.
    fn check_path(&self, path: &str) -> Result<(), String> {
        let mut parts = path.split('.');
        let root = parts.next().unwrap_or_default();
        if root == "os" {
            return match parts.next() {
                Some(name) if !self.os.contains_key(name) => Err(format!(
                    "the environment variable `{name}` is not set; `os.{name}` needs it"
                )),
                _ => Ok(()),
            };
        }
        if !self.results.contains_key(root) && self.env.contains_key(root) {
            return Ok(());
        }
        let mut value = match root {
            "device" => &self.device,
            "flow" => &self.flow,
            "run" => &self.run,
            _ => self.results.get(root).ok_or_else(|| {
                format!(
                    "`{root}` is not defined: no env value has this name and no step before kept a result under it"
                )
            })?,
        };
        let mut walked = root.to_owned();
        for part in parts {
            // A name after a dot may also be a method; only maps can be missing one.
            let Value::Object(map) = value else {
                return match value {
                    Value::Null => Err(format!("`{walked}` is empty, so it has no `{part}`")),
                    _ => Ok(()),
                };
            };
            value = map.get(part).ok_or_else(|| {
                let mut names: Vec<&str> = map.keys().map(String::as_str).collect();
                names.sort_unstable();
                format!("`{walked}` has no `{part}`; it has {}", names.join(", "))
            })?;
            walked.push('.');
            walked.push_str(part);
        }
        Ok(())
    }

    fn context(&self, names: impl Iterator<Item = String>) -> minijinja::Value {
        let pairs = names.map(|name| {
            let root = name.split('.').next().unwrap_or_default().to_owned();
            let value = match root.as_str() {
                "os" => minijinja::Value::from_pairs(
                    self.os
                        .iter()
                        .map(|(name, value)| (name.as_str(), value.as_str())),
                ),
                "device" => from_json(&self.device),
                "flow" => from_json(&self.flow),
                "run" => from_json(&self.run),
                _ => match (self.results.get(&root), self.env.get(&root)) {
                    (Some(value), _) => from_json(value),
                    (None, Some(value)) => minijinja::Value::from(value.as_str()),
                    (None, None) => minijinja::Value::UNDEFINED,
                },
            };
            (root, value)
        });
        minijinja::Value::from_pairs(pairs)
    }

    fn evaluate(&self, expression: &str) -> Result<minijinja::Value, ExpressionError> {
        let names = expression::names(expression)?;
        for name in &names {
            self.check_path(name).map_err(|message| ExpressionError {
                range: 0..expression.len(),
                message,
            })?;
        }
        expression::evaluate(expression, self.context(names.into_iter()))
    }
}

/// What the names in an expression stand for, a line each: why it does not hold.
pub fn explain(expression: &str, scope: &Scope) -> Vec<String> {
    let names = expression::names(expression).unwrap_or_default();
    let is_prefix = |name: &String| {
        names
            .iter()
            .any(|other| other.starts_with(&format!("{name}.")))
    };
    names
        .iter()
        .filter(|name| !is_prefix(name))
        .filter_map(|name| {
            let value = scope.evaluate(name).ok()?;
            let shown = match value.as_str() {
                Some(text) => format!("'{text}'"),
                None => serde_json::to_string(&value).ok()?,
            };
            Some(format!("{name} is {shown}"))
        })
        .collect()
}

/// An argument with its expressions evaluated. One whole `${…}` keeps its type, all else is text.
pub fn resolve(argument: &Located<Argument>, scope: &Scope) -> Result<Value, InterpolationError> {
    let wrong = |error: ExpressionError| InterpolationError {
        span: argument.span.clone(),
        message: error.message,
    };
    match &argument.value {
        Argument::Literal(value) => Ok(value.clone()),
        Argument::Expression(expression) => {
            let value = scope.evaluate(expression).map_err(wrong)?;
            serde_json::to_value(&value).map_err(|error| InterpolationError {
                span: argument.span.clone(),
                message: format!("`{expression}` comes to what no step can take: {error}"),
            })
        }
        Argument::Template(text) => template(text, scope).map(Value::String).map_err(wrong),
        Argument::List(items) => items
            .iter()
            .map(|item| resolve(item, scope))
            .collect::<Result<_, _>>()
            .map(Value::Array),
        Argument::Map(entries) => entries
            .iter()
            .map(|(key, value)| Ok((key.clone(), resolve(value, scope)?)))
            .collect::<Result<_, _>>()
            .map(Value::Object),
    }
}

/// As [`resolve`], but as text: what env values are.
pub fn resolve_text(
    argument: &Located<Argument>,
    scope: &Scope,
) -> Result<String, InterpolationError> {
    Ok(match resolve(argument, scope)? {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

/// A condition's value: the expression must come to a boolean.
pub fn condition(expression: &Located<String>, scope: &Scope) -> Result<bool, InterpolationError> {
    let wrong = |message| InterpolationError {
        span: expression.span.clone(),
        message,
    };
    let value = scope
        .evaluate(&expression.value)
        .map_err(|error| wrong(error.message))?;
    if value.kind() == ValueKind::Bool {
        return Ok(value.is_true());
    }
    Err(wrong(format!(
        "`{}` comes to {value}, which is neither true nor false; compare it, such as `{} == '…'`",
        expression.value.trim(),
        expression.value.trim(),
    )))
}

fn from_json(value: &Value) -> minijinja::Value {
    match value {
        Value::Null => minijinja::Value::from(()),
        Value::Bool(value) => minijinja::Value::from(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => minijinja::Value::from(number),
            (_, Some(number), _) => minijinja::Value::from(number),
            (.., number) => minijinja::Value::from(number.unwrap_or_default()),
        },
        Value::String(text) => minijinja::Value::from(text.as_str()),
        Value::Array(items) => items.iter().map(from_json).collect(),
        Value::Object(entries) => minijinja::Value::from_pairs(
            entries
                .iter()
                .map(|(key, value)| (key.as_str(), from_json(value))),
        ),
    }
}

/// As JSON writes it, so that a boolean is `true` wherever it is read again; text stays as it is.
fn display(value: &minijinja::Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string(value).unwrap_or_else(|_| value.to_string()),
    }
}

fn template(text: &str, scope: &Scope) -> Result<String, ExpressionError> {
    let mut result = String::new();
    for piece in expression::pieces(text)? {
        match piece {
            Piece::Text(plain) => result.push_str(&plain),
            Piece::Expression(range) => {
                let value = scope.evaluate(&text[range])?;
                result.push_str(&display(&value));
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests;
