//! Builds texts from values, within the limits of size.

use std::io::{self, Write};

use minijinja::Value;

use super::EvalError;
use super::limits::Size;
use super::operands::defined;

/// Text under construction. Refuses to grow beyond the limits.
#[derive(Debug, Default)]
pub(super) struct Text {
    text: String,
    size: Size,
}

impl Text {
    /// Appends a text. Fails above the limit of size.
    pub(super) fn push(&mut self, part: &str) -> Result<(), EvalError> {
        self.size.bytes(part.len())?;
        self.text.push_str(part);
        Ok(())
    }

    /// Appends a value as text: texts without quotes, all else as JSON. minijinja would write Python's `True` and
    /// `None`. Fails for `none`, and above the limit of size.
    pub(super) fn push_value(&mut self, value: &Value) -> Result<(), EvalError> {
        not_none(value)?;
        match value.as_str() {
            Some(text) => self.push(text),
            None => {
                // The error of writing carries no reason, so the writer keeps it.
                let mut writer = Writer(self, None);
                let written = serde_json::to_writer(&mut writer, value);
                match (writer.1, written) {
                    (Some(wrong), _) => Err(wrong),
                    (None, Err(_)) => Err(EvalError::new("a value cannot be written as text")),
                    (None, Ok(())) => Ok(()),
                }
            }
        }
    }

    pub(super) fn into_value(self) -> Value {
        Value::from(self.text)
    }

    pub(super) fn into_string(self) -> String {
        self.text
    }
}

struct Writer<'a>(&'a mut Text, Option<EvalError>);

impl Write for Writer<'_> {
    /// Appends a part, which is whole characters. If the text becomes too large it fails, and the reason is kept in the
    /// writer.
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(part).map_err(io::Error::other)?;
        self.0.push(text).map_err(|wrong| {
            self.1 = Some(wrong);
            io::Error::other("too large a text")
        })?;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses none where a text is made. A person would not mean minijinja's `None`.
pub(super) fn not_none(value: &Value) -> Result<(), EvalError> {
    if value.is_none() {
        return Err(EvalError::new(
            "`none` is no text; write `| default('', true)` behind what may be none",
        ));
    }
    Ok(())
}

/// Converts a value to text: texts as they are, all else as JSON. Fails for `none`, for an undefined value
/// and above the limit of size.
pub(super) fn text(value: &Value) -> Result<String, EvalError> {
    let mut text = Text::default();
    text.push_value(defined(value)?)?;
    Ok(text.into_string())
}

/// Joins two values as texts. `none`, an undefined value and a result above the limit of size are errors.
pub(super) fn concat(left: &Value, right: &Value) -> Result<Value, EvalError> {
    let mut text = Text::default();
    text.push_value(defined(left)?)?;
    text.push_value(defined(right)?)?;
    Ok(text.into_value())
}
