//! Arguments checked with the reference's texts, before serde reads them.

use serde_json::Value;

pub(super) use crate::code::invalid;
use crate::{Failure, Words};

pub(super) fn required<'a>(args: &'a Value, name: &str) -> Result<&'a Value, Failure> {
    args.get(name)
        .filter(|value| !value.is_null())
        .ok_or_else(|| invalid(Words::format("Missing required parameter: {}", &[&name])))
}

pub(super) fn required_text<'a>(args: &'a Value, name: &str) -> Result<&'a str, Failure> {
    let value = required(args, name)?;
    value.as_str().ok_or_else(|| {
        invalid(Words::format(
            "Parameter '{}' must be a string, got: {}",
            &[&name, &value],
        ))
    })
}

/// The id of an element, which every tool on one element has.
pub(super) fn element_id(args: &Value) -> Result<(), Failure> {
    if required_text(args, "element_id")?.is_empty() {
        return Err(invalid("Parameter 'element_id' must be non-empty"));
    }
    Ok(())
}

/// A number of pixels, where there is one.
pub(super) fn pixels(args: &Value, name: &str, most: f64) -> Result<(), Failure> {
    let Some(value) = args.get(name).filter(|value| !value.is_null()) else {
        return Ok(());
    };
    let Some(number) = value.as_f64() else {
        let got = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        return Err(invalid(Words::format(
            "Parameter '{}' must be a number, got: '{}'",
            &[&name, &got],
        )));
    };
    if number > 0.0 && number <= most {
        return Ok(());
    }
    Err(invalid(Words::format(
        "Parameter '{}' must be greater than 0 and at most {}, got: {}",
        &[&name, &most, &number],
    )))
}
