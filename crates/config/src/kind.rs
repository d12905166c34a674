//! Kinds of settings: how their values are written, checked and shown. Several settings may share a kind.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::error::ConfigError;
use super::layers::SourceContext;
use super::quarantine_limit::QuarantineLimit;
use super::spec::Kind;
use super::value_error::ValueError;
use runner_flow::{MAX_RETRIES, Matrix, MatrixError, duration, limit};
use runner_text::units::HumanDuration;

impl Kind for bool {
    type RawValue = bool;
    type Value = bool;

    fn schema(about: &str) -> Value {
        json!({ "type": "boolean", "description": about })
    }

    fn read(text: &str) -> Result<bool, ValueError> {
        text.parse()
            .map_err(|_| ValueError::NotNamed(Self::expected(text)))
    }

    fn expected(_: &str) -> String {
        "true or false".to_owned()
    }

    fn choices() -> Vec<(&'static str, &'static str)> {
        vec![("true", ""), ("false", "")]
    }

    fn value(given: &bool, _: &SourceContext) -> Option<bool> {
        Some(*given)
    }

    fn show(value: &bool) -> Option<String> {
        Some(value.to_string())
    }
}

/// Number of further runs of a failed flow.
pub struct Retries;

impl Kind for Retries {
    type RawValue = u32;
    type Value = u32;

    fn schema(about: &str) -> Value {
        json!({ "type": "integer", "minimum": 0, "maximum": MAX_RETRIES, "description": about })
    }

    /// Parses a whole number from 0 to [`MAX_RETRIES`].
    fn read(text: &str) -> Result<u32, ValueError> {
        let number: i64 = text.parse()?;
        let count = u32::try_from(number)
            .ok()
            .filter(|count| *count <= MAX_RETRIES);
        count.ok_or(ValueError::Retries(number))
    }

    fn expected(_: &str) -> String {
        format!("a whole number from 0 to {MAX_RETRIES}")
    }

    fn value(given: &u32, _: &SourceContext) -> Option<u32> {
        Some(*given)
    }

    fn show(value: &u32) -> Option<String> {
        Some(value.to_string())
    }
}

impl Kind for HumanDuration {
    type RawValue = HumanDuration;
    type Value = Duration;

    fn schema(about: &str) -> Value {
        duration(about)
    }

    fn read(text: &str) -> Result<HumanDuration, ValueError> {
        Ok(text.parse()?)
    }

    fn expected(_: &str) -> String {
        "a duration such as 10s".to_owned()
    }

    fn value(given: &HumanDuration, _: &SourceContext) -> Option<Duration> {
        Some(given.0)
    }

    fn show(value: &Duration) -> Option<String> {
        Some(HumanDuration(*value).to_string())
    }
}

/// Duration above zero.
pub struct Limit;

impl Kind for Limit {
    type RawValue = HumanDuration;
    type Value = Duration;

    fn schema(about: &str) -> Value {
        limit(about)
    }

    /// Parses a duration. Zero is an error, as it leaves no time for any step.
    fn read(text: &str) -> Result<HumanDuration, ValueError> {
        let limit = HumanDuration::read(text)?;
        if limit.0.is_zero() {
            return Err(ValueError::NoTime);
        }
        Ok(limit)
    }

    fn expected(text: &str) -> String {
        HumanDuration::expected(text)
    }

    fn value(given: &HumanDuration, source: &SourceContext) -> Option<Duration> {
        HumanDuration::value(given, source)
    }

    fn show(value: &Duration) -> Option<String> {
        HumanDuration::show(value)
    }

    /// Returns the error for a variable: no duration, or one of zero.
    fn unreadable(variable: &'static str, text: &str) -> ConfigError {
        let (value, expected) = match HumanDuration::read(text) {
            Ok(_) => (
                "0s",
                "must be longer, such as 30s: it leaves no time for any step".to_owned(),
            ),
            Err(_) => (text, format!("must be {}", Self::expected(text))),
        };
        ConfigError::Variable {
            variable,
            value: value.to_owned(),
            expected,
        }
    }
}

impl Kind for Option<HumanDuration> {
    type RawValue = HumanDuration;
    type Value = Option<Duration>;

    fn schema(about: &str) -> Value {
        duration(about)
    }

    fn value(given: &HumanDuration, _: &SourceContext) -> Option<Option<Duration>> {
        Some(Some(given.0))
    }

    /// Shows the duration, or `none`.
    fn show(value: &Option<Duration>) -> Option<String> {
        Some(value.map_or_else(
            || "none".to_owned(),
            |value| HumanDuration(value).to_string(),
        ))
    }
}

impl Kind for Matrix {
    type RawValue = Value;
    type Value = Option<Arc<Matrix>>;

    fn schema(_: &str) -> Value {
        Matrix::schema()
    }

    /// Returns the first problem of a matrix, or nothing for one that can be used.
    fn problems(given: &Value) -> Vec<(String, String)> {
        let error = Matrix::from_value(given).err();
        error
            .map(|MatrixError { path, message }| (path, message))
            .into_iter()
            .collect()
    }

    /// Returns the matrix. `None` for an empty one; a wrong one was refused when the file was read.
    fn value(given: &Value, _: &SourceContext) -> Option<Option<Arc<Matrix>>> {
        // It was checked when the file was read.
        let matrix = Matrix::from_value(given)
            .ok()
            .filter(|matrix| !matrix.is_empty())?;
        Some(Some(Arc::new(matrix)))
    }

    fn show(value: &Option<Arc<Matrix>>) -> Option<String> {
        value.as_ref().map(|matrix| matrix.describe())
    }
}

/// List of hosts, each for all ports or with its port.
pub struct Hosts;

impl Kind for Hosts {
    type RawValue = Vec<String>;
    type Value = Arc<[String]>;

    /// Allows up to 100 hosts, each by its name and with a port if need be.
    fn schema(about: &str) -> Value {
        json!({
            "type": "array",
            "maxItems": 100,
            "items": { "type": "string", "pattern": r"^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$", "description": "A host such as `api.example.com`, or one with its port: without `https://`, and each named." },
            "description": about,
        })
    }

    fn value(given: &Vec<String>, _: &SourceContext) -> Option<Arc<[String]>> {
        Some(given.clone().into())
    }

    fn show(value: &Arc<[String]>) -> Option<String> {
        Some(value.join(", ")).filter(|hosts| !hosts.is_empty())
    }
}

impl Kind for Option<QuarantineLimit> {
    type RawValue = QuarantineLimit;
    type Value = Option<QuarantineLimit>;

    /// Allows a number up to a million, or a share up to 100 %.
    fn schema(about: &str) -> Value {
        json!({
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": 1_000_000 },
                { "type": "string", "pattern": r"^\s*(100|\d{1,2})\s*%\s*$", "description": "A share such as `5%`, or a number such as `3`." },
            ],
            "description": about,
        })
    }

    fn read(text: &str) -> Result<QuarantineLimit, ValueError> {
        Ok(text.parse()?)
    }

    fn expected(_: &str) -> String {
        "a share such as 5%, or a number of flows".to_owned()
    }

    fn value(given: &QuarantineLimit, _: &SourceContext) -> Option<Option<QuarantineLimit>> {
        Some(Some(*given))
    }

    fn show(value: &Option<QuarantineLimit>) -> Option<String> {
        value.map(|limit| limit.to_string())
    }
}
