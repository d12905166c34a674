//! Arguments checked with the texts that answers are made of, before serde reads them.

use serde_json::Value;

use crate::{Failure, Words};

/// A required text that is not empty.
pub(super) fn filled(args: &Value, name: &str) -> Result<(), Failure> {
    text(args, name)?;
    if args.get(name).and_then(Value::as_str) == Some("") {
        return Err(required(name));
    }
    Ok(())
}

/// A required text, which may be empty.
pub(super) fn text(args: &Value, name: &str) -> Result<(), Failure> {
    if given(args, name).is_none() {
        return Err(required(name));
    }
    optional_text(args, name)
}

/// A text, where there is one.
pub(super) fn optional_text(args: &Value, name: &str) -> Result<(), Failure> {
    match args.get(name) {
        None | Some(Value::String(_)) => Ok(()),
        Some(other) => Err(Failure::usage(Words::format(
            "{} must be a text, got {}",
            &[&name, &other],
        ))),
    }
}

/// A required whole number.
pub(super) fn integer(args: &Value, name: &str) -> Result<i64, Failure> {
    given(args, name).ok_or_else(|| required(name))?;
    optional_integer(args, name)?.ok_or_else(|| required(name))
}

/// A whole number, where there is one.
pub(super) fn optional_integer(args: &Value, name: &str) -> Result<Option<i64>, Failure> {
    args.get(name)
        .map(|value| {
            value
                .as_i64()
                // Most of the arguments are `i32`, and serde would say this in other words.
                .filter(|number| i32::try_from(*number).is_ok())
                .ok_or_else(|| {
                    Failure::usage(Words::format(
                        "{} must be a whole number, got {}",
                        &[&name, &value],
                    ))
                })
        })
        .transpose()
}

fn given<'a>(args: &'a Value, name: &str) -> Option<&'a Value> {
    args.get(name).filter(|value| !value.is_null())
}

fn required(name: &str) -> Failure {
    Failure::usage(Words::format("{} is required", &[&name]))
}
