//! Parameters of a call.

use serde_json::Value;

use super::error::RpcError;
use runner_screen::Point;

/// Positional parameters of a call.
#[derive(Debug, Clone)]
pub(super) struct Parameters {
    list: Vec<Value>,
}

impl Parameters {
    /// Takes the parameters of a call: a list, or the values of a map in their order. Anything else counts as
    /// none.
    pub(super) fn new(value: Value) -> Self {
        let list = match value {
            Value::Array(list) => list,
            // The package sends `{}` where there is none, and names for others.
            Value::Object(named) => named.into_iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        };
        Self { list }
    }

    pub(super) fn get(&self, index: usize) -> &Value {
        self.list.get(index).unwrap_or(&Value::Null)
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn number(&self, index: usize) -> Result<f64, RpcError> {
        self.get(index)
            .as_f64()
            .ok_or_else(|| RpcError::parameters(format!("parameter {index} is not a number")))
    }

    pub(super) fn flag(&self, index: usize) -> bool {
        self.get(index).as_bool().unwrap_or(false)
    }

    pub(super) fn text(&self, index: usize) -> Result<&str, RpcError> {
        self.get(index)
            .as_str()
            .ok_or_else(|| RpcError::parameters(format!("parameter {index} is not text")))
    }

    /// Returns the point of two parameters, with fractions cut off; an error if one is no number.
    pub(super) fn point(&self, index: usize) -> Result<Point, RpcError> {
        Ok(Point {
            x: self.number(index)? as i32,
            y: self.number(index + 1)? as i32,
        })
    }
}
