//! Readings of a device's properties: a value, the answer that there is none, or no answer.
//!
//! An answer in a form that Android does not print is no value. It is stored with its question, so that an
//! error can show it.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::DeviceError;
use super::message::{is_linker_warning, is_missing, shorten};
use runner_text::secret::OutsideText;

/// Times that an unanswered question is asked. Chosen: one retry is for a busy service, one for a starting
/// one; more delay the session.
pub(crate) const TRIES: u32 = 3;
/// Pause before a question is asked again. Chosen: short for a person, long for a busy service.
pub(crate) const PAUSE: Duration = Duration::from_millis(200);

/// State of one property of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading<T> {
    /// Value that the device reported.
    Said(T),
    /// The device reported that there is none: a setting never made, or a command that its release lacks.
    SaidNone,
    /// The output had no form that Android prints.
    NotAnswered(NoAnswer),
}

/// Question without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoAnswer {
    /// Command that was asked.
    pub question: Cow<'static, str>,
    /// Output in place of an answer; may be empty.
    pub answer: OutsideText,
}

impl fmt::Display for NoAnswer {
    /// Formats the question with what was printed in place of an answer, shortened.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let question = &self.question;
        if self.answer.is_blank() {
            write!(f, "`{question}` printed nothing")
        } else {
            write!(f, "`{question}` printed: {}", shorten(&self.answer))
        }
    }
}

impl<T> Reading<T> {
    /// Creates the reading of a question whose output has no known form.
    pub fn not_answered(question: impl Into<Cow<'static, str>>, answer: &str) -> Self {
        Self::NotAnswered(NoAnswer {
            question: question.into(),
            answer: OutsideText::new(answer),
        })
    }

    /// Returns the value, if the device reported one; `None` if it reported that there is none, or did not
    /// answer.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Said(value) => Some(value),
            Self::SaidNone | Self::NotAnswered(_) => None,
        }
    }

    /// Returns the value.
    ///
    /// # Errors
    /// Returns [`DeviceError::NotAnswered`] if there is none: "the device has no such value" if the device
    /// reported that, else the question and its output.
    pub fn needed(&self) -> Result<&T, DeviceError> {
        match self {
            Self::Said(value) => Ok(value),
            Self::SaidNone => Err(DeviceError::NotAnswered(
                "the device has no such value".to_owned(),
            )),
            Self::NotAnswered(why) => Err(DeviceError::NotAnswered(why.to_string())),
        }
    }

    /// Replaces [`Self::SaidNone`] by a default value. A question without an answer stays open.
    #[must_use]
    pub fn or(self, none: T) -> Self {
        match self {
            Self::SaidNone => Self::Said(none),
            other => other,
        }
    }

    /// Converts the value. The other two states stay as they are.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Self::Said(value) => Reading::Said(change(value)),
            Self::SaidNone => Reading::SaidNone,
            Self::NotAnswered(why) => Reading::NotAnswered(why),
        }
    }

    /// Returns true if the question has no answer.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::NotAnswered(_))
    }
}

/// Shows the value or `unknown`, for reports.
impl<T: fmt::Display> fmt::Display for Reading<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said(value) => value.fmt(f),
            Self::SaidNone | Self::NotAnswered(_) => f.write_str("unknown"),
        }
    }
}

/// Serializes the value or null; reports do not show why it is missing.
impl<T: Serialize> Serialize for Reading<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Reading<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::deserialize(deserializer)?;
        Ok(value.map_or(Self::SaidNone, Self::Said))
    }
}

impl<T: JsonSchema> JsonSchema for Reading<T> {
    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }

    fn inline_schema() -> bool {
        Option::<T>::inline_schema()
    }
}

/// Splits an answer into lines, without the spaces around them, empty lines, and the linker's warnings, which
/// some makers' phones print before any output. An empty answer has no lines.
///
/// Returns `None` if the last line has no end: Android's commands end each line, so the answer was cut.
pub(crate) fn lines(answer: &str) -> Option<Vec<&str>> {
    if !answer.is_empty() && !answer.ends_with('\n') {
        return None;
    }
    Some(printed_lines(answer).collect())
}

/// Iterates over the lines as [`lines`] does, also over a last one without an end.
pub(crate) fn printed_lines(answer: &str) -> impl Iterator<Item = &str> {
    let lines = answer.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !is_linker_warning(line))
}

/// Parses an answer of one line, such as that of `settings get`. `null`, and the message of a missing
/// command, mean that there is no value ([`Reading::SaidNone`]). `parse` accepts only values that the
/// property can have.
///
/// Returns [`Reading::NotAnswered`] if the answer has no line, several, or one that was cut, if `parse`
/// refuses the line, or if a service cannot be found.
pub(crate) fn single<T>(
    question: &'static str,
    answer: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Reading<T> {
    if lacks_command(answer) {
        return Reading::SaidNone;
    }
    match lines(answer).as_deref() {
        Some(["null"]) => Reading::SaidNone,
        Some([line]) => match parse(line) {
            Some(value) => Reading::Said(value),
            None => Reading::not_answered(question, answer),
        },
        _ => Reading::not_answered(question, answer),
    }
}

/// Parses a number as Android prints it: ASCII digits, with at most one point, which has digits on both
/// sides. `None` for a sign, an exponent or spaces.
pub(crate) fn number(text: &str) -> Option<f64> {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = match text.split_once('.') {
        Some((whole, part)) => is_digits(whole) && is_digits(part),
        None => is_digits(text),
    };
    is_number.then(|| text.parse().ok())?
}

/// Returns true if the answer shows that this release lacks the command, which counts as an answer. A service
/// that cannot be found does not: on a starting phone it comes later.
pub(crate) fn lacks_command(answer: &str) -> bool {
    is_missing(answer) && !answer.contains("Can't find service")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_an_answer_and_nothing_else_is() {
        let read = |answer: &str| single("q", answer, |line| line.parse::<u32>().ok());
        assert_eq!(read("7\n"), Reading::Said(7));
        assert_eq!(read("7\r\n"), Reading::Said(7));
        assert_eq!(
            read("WARNING: linker: x has text relocations\n7\n"),
            Reading::Said(7)
        );
        assert_eq!(read("null\n"), Reading::SaidNone);
        assert_eq!(
            read("/system/bin/sh: cmd: inaccessible or not found\n"),
            Reading::SaidNone
        );
        for bad in [
            "",
            "\n",
            "7",
            "7\n7\n",
            "nul\n",
            "x\n",
            "7 8\n",
            "cmd: Can't find service: settings\n",
        ] {
            assert!(read(bad).is_open(), "{bad:?}");
        }
    }

    #[test]
    fn a_value_that_is_needed_says_what_came_back() {
        let open: Reading<u32> = Reading::not_answered("wm size", "Error: no window service\n");
        let error = open.needed().unwrap_err();
        assert!(error.is_infrastructure() && !error.is_unreachable());
        let message = error.to_string();
        for word in ["`wm size`", "no window service"] {
            assert!(message.contains(word), "{message}");
        }
        let json = serde_json::to_string(&open).unwrap();
        assert_eq!(json, "null");
        assert_eq!(
            serde_json::from_str::<Reading<u32>>("34").unwrap(),
            Reading::Said(34)
        );
    }
}
