//! Arguments checked with the reference's texts, before serde reads them.

use serde_json::{Map, Value};

pub(super) use crate::code::invalid;
use crate::{Failure, Words};

/// How a missing parameter is reported: the reference has both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingStyle {
    /// `Missing required parameter: 'x'`.
    Colon,
    /// `Missing required parameter 'x'`.
    Plain,
}

/// The arguments of one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arguments<'a> {
    map: Option<&'a Map<String, Value>>,
    missing: MissingStyle,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(args: &'a Value, missing: MissingStyle) -> Self {
        Self {
            map: args.as_object(),
            missing,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map?.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn required(&self, name: &str) -> Result<&'a Value, Failure> {
        self.get(name).ok_or_else(|| {
            let colon = if self.missing == MissingStyle::Colon {
                ":"
            } else {
                ""
            };
            invalid(Words::format(
                "Missing required parameter{} '{}'",
                &[&colon, &name],
            ))
        })
    }

    /// A required number that is at least 0.
    pub(super) fn coordinates<const N: usize>(&self, names: [&str; N]) -> Result<(), Failure> {
        let mut values = [0.0; N];
        for (value, name) in values.iter_mut().zip(names) {
            *value = number(name, self.required(name)?)?;
        }
        for (value, name) in values.into_iter().zip(names) {
            if value < 0.0 {
                return Err(invalid(Words::format(
                    "Parameter '{}' must be >= 0, got: {}",
                    &[&name, &format!("{value:?}")],
                )));
            }
        }
        Ok(())
    }

    pub(super) fn required_number(&self, name: &str) -> Result<f64, Failure> {
        number(name, self.required(name)?)
    }

    /// A duration in milliseconds, where there is one.
    pub(super) fn duration(&self, name: &str) -> Result<(), Failure> {
        let Some(value) = self.get(name) else {
            return Ok(());
        };
        let millis = number(name, value)?.trunc();
        if !(1.0..=60_000.0).contains(&millis) {
            return Err(invalid(Words::format(
                "Parameter '{}' must be between 1 and 60000, got: {}",
                &[&name, &millis.to_string()],
            )));
        }
        Ok(())
    }

    /// A whole number, where there is one.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, Failure> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let wide = number(name, value)?;
        // 3.0 is a whole number however it is written.
        // Beyond 9e15, an `f64` does not have each of them.
        if wide.fract() != 0.0 || wide.abs() > 9.0e15 {
            return Err(invalid(Words::format(
                "Parameter '{}' must be an integer, got: '{}'",
                &[&name, &value],
            )));
        }
        Ok(Some(wide as i64))
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(invalid(Words::format(
                "Parameter '{}' must be a string, got: {}",
                &[&name, &other],
            ))),
        }
    }

    pub(super) fn required_text(&self, name: &str) -> Result<&'a str, Failure> {
        self.required(name)?;
        Ok(self.text(name)?.unwrap_or_default())
    }

    /// A required string that is not empty.
    pub(super) fn non_empty(&self, name: &str) -> Result<&'a str, Failure> {
        let text = self.required_text(name)?;
        if text.is_empty() {
            return Err(invalid(Words::format(
                "Parameter '{}' must be non-empty",
                &[&name],
            )));
        }
        Ok(text)
    }

    /// A string that is one of a few, any letter case.
    pub(super) fn one_of(&self, name: &str, choices: &[&str]) -> Result<(), Failure> {
        match self.text(name)? {
            Some(text) if !choices.contains(&text.to_lowercase().as_str()) => {
                Err(invalid(Words::format(
                    "Parameter '{}' must be one of: {}. Got: '{}'",
                    &[&name, &choices.join(", "), &text],
                )))
            }
            _ => Ok(()),
        }
    }
}

/// A JSON number. Text that looks like one became one before, where a client sent it.
pub(super) fn number(name: &str, value: &Value) -> Result<f64, Failure> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            return Err(invalid(Words::format(
                "Parameter '{}' must be a number, got: '{}'",
                &[&name, &text],
            )));
        }
        Value::Bool(value) => {
            return Err(invalid(Words::format(
                "Parameter '{}' must be a number, got: '{}'",
                &[&name, &value],
            )));
        }
        _ => {
            return Err(invalid(Words::format(
                "Parameter '{}' must be a number",
                &[&name],
            )));
        }
    };
    match number {
        Some(number) if number.is_finite() => Ok(number),
        _ => Err(invalid(Words::format(
            "Parameter '{}' must be a finite number, got: '{}'",
            &[&name, &value],
        ))),
    }
}
