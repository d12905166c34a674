//! How the values of settings are written, checked and shown. Several settings may be of one kind; a setting with rules of
//! its own has a kind of its own.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::resolve::ConfigError;
use super::spec::{Layers, SourceContext, Spec};
use super::{LimitError, Setting};
use runner_flow::{MAX_RETRIES, Matrix, MatrixError, duration, limit};
use runner_text::units::{DurationError, HumanDuration};

/// Why the text of an option or a variable is not a value of its setting.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// No option and no variable has it.
    #[error("runner.yaml has it")]
    OnlyInFile,
    /// No setting has the name.
    #[error("there is no such setting")]
    NoSetting,
    /// It is none of the named values.
    #[error("{0}")]
    NotNamed(String),
    /// It is not a whole number.
    #[error(transparent)]
    Number(#[from] std::num::ParseIntError),
    /// A flow does not run again so often.
    #[error("{0} is not in 0..={MAX_RETRIES}")]
    Retries(i64),
    /// It is not a duration.
    #[error(transparent)]
    Duration(#[from] DurationError),
    /// It is no limit of flows in quarantine.
    #[error(transparent)]
    QuarantineLimit(#[from] LimitError),
    /// A path of no characters.
    #[error("it names no file; leave it out, or write a path")]
    NoPath,
    /// The duration is none.
    #[error("it leaves no time for any step")]
    NoTime,
}

/// A kind of values.
pub trait Kind: Sized {
    /// As `runner.yaml`, a variable or an option says it.
    type Given: Clone + Debug + DeserializeOwned;
    /// As the program uses it.
    type Value: Clone + Debug;

    /// Its JSON Schema.
    fn schema(about: &str) -> Value;

    /// The text of an option or a variable.
    fn read(_text: &str) -> Result<Self::Given, ValueError> {
        Err(ValueError::OnlyInFile)
    }

    /// What else a variable must be.
    fn expected(_text: &str) -> String {
        String::new()
    }

    /// The values that are possible and what help says of each, where they can be counted.
    fn choices() -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// What the schema cannot say is wrong, by its path below the key.
    fn wrong(_given: &Self::Given) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The value; none where nothing is said.
    fn value(given: &Self::Given, source: &SourceContext) -> Option<Self::Value>;

    /// For people; `None` where there is nothing to show.
    fn show(value: &Self::Value) -> Option<String>;

    /// The value of a setting from all its sources.
    fn resolve(
        spec: &Spec<Self>,
        layers: &Layers,
        of_file: Option<&Self::Given>,
        of_flag: Option<&Self::Given>,
    ) -> Result<Setting<Self::Value>, ConfigError> {
        spec.resolve(layers, of_file, of_flag)
    }

    /// A variable that does not read.
    fn unreadable(variable: &'static str, text: &str) -> ConfigError {
        ConfigError::Variable {
            variable,
            value: text.to_owned(),
            expected: format!("must be {}", Self::expected(text)),
        }
    }
}

impl Kind for bool {
    type Given = bool;
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

/// How often a failed flow runs again.
pub struct Retries;

impl Kind for Retries {
    type Given = u32;
    type Value = u32;

    fn schema(about: &str) -> Value {
        json!({ "type": "integer", "minimum": 0, "maximum": MAX_RETRIES, "description": about })
    }

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
    type Given = HumanDuration;
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

/// A duration that leaves time for some step.
pub struct Limit;

impl Kind for Limit {
    type Given = HumanDuration;
    type Value = Duration;

    fn schema(about: &str) -> Value {
        limit(about)
    }

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

/// A duration, where there is one.
impl Kind for Option<HumanDuration> {
    type Given = HumanDuration;
    type Value = Option<Duration>;

    fn schema(about: &str) -> Value {
        duration(about)
    }

    fn value(given: &HumanDuration, _: &SourceContext) -> Option<Option<Duration>> {
        Some(Some(given.0))
    }

    fn show(value: &Option<Duration>) -> Option<String> {
        Some(value.map_or_else(
            || "none".to_owned(),
            |value| HumanDuration(value).to_string(),
        ))
    }
}

/// Settings of the device with their values.
impl Kind for Matrix {
    type Given = Value;
    type Value = Option<Arc<Matrix>>;

    fn schema(_: &str) -> Value {
        Matrix::schema()
    }

    fn wrong(given: &Value) -> Vec<(String, String)> {
        let error = Matrix::of(given).err();
        error
            .map(|MatrixError { path, message }| (path, message))
            .into_iter()
            .collect()
    }

    fn value(given: &Value, _: &SourceContext) -> Option<Option<Arc<Matrix>>> {
        // It was checked when the file was read.
        let matrix = Matrix::of(given).ok().filter(|matrix| !matrix.is_empty())?;
        Some(Some(Arc::new(matrix)))
    }

    fn show(value: &Option<Arc<Matrix>>) -> Option<String> {
        value.as_ref().map(|matrix| matrix.describe())
    }
}

/// Hosts, each alone for every port or with its port.
pub struct Hosts;

impl Kind for Hosts {
    type Given = Vec<String>;
    type Value = Arc<[String]>;

    fn schema(about: &str) -> Value {
        json!({
            "type": "array",
            "maxItems": 100,
            "items": { "type": "string", "pattern": r"^[A-Za-z0-9._-]+(:\d{1,5})?$", "description": "A host such as `api.example.com`, or one with its port: without `https://`, and each named." },
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
