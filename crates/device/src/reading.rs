//! Readings: what a device said to a question, that it said there is nothing, or that it did not answer.
//!
//! An answer that Android does not print is no value. It is kept with its question, so that whoever needs the value can
//! say what came back.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::DeviceError;
use super::command::{is_missing, shorten};

/// How often a question is asked that gets no answer.
pub(crate) const TRIES: u32 = 3;
/// The pause before it is asked again.
pub(crate) const PAUSE: Duration = Duration::from_millis(200);

/// What is known of one property of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading<T> {
    /// The device said this.
    Said(T),
    /// The device said that there is none: a setting that nobody has set, a command that its release lacks.
    SaidNone,
    /// The device said nothing that Android prints.
    NotAnswered(NotAnswered),
}

/// A question without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnswered {
    /// The command.
    pub question: Cow<'static, str>,
    /// What came back instead; empty where nothing did.
    pub answer: String,
}

impl fmt::Display for NotAnswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let question = &self.question;
        if self.answer.trim().is_empty() {
            write!(f, "`{question}` printed nothing")
        } else {
            write!(f, "`{question}` printed: {}", shorten(&self.answer))
        }
    }
}

impl<T> Reading<T> {
    /// The reading of a question whose answer has no known form.
    pub fn not_answered(question: impl Into<Cow<'static, str>>, answer: &str) -> Self {
        Self::NotAnswered(NotAnswered {
            question: question.into(),
            answer: answer.to_owned(),
        })
    }

    /// What the device said.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Said(value) => Some(value),
            Self::SaidNone | Self::NotAnswered(_) => None,
        }
    }

    /// What the device said.
    ///
    /// # Errors
    /// [`DeviceError::NotAnswered`] where it did not say it.
    pub fn needed(&self) -> Result<&T, DeviceError> {
        match self {
            Self::Said(value) => Ok(value),
            Self::SaidNone => Err(DeviceError::NotAnswered(
                "the device has no such value".to_owned(),
            )),
            Self::NotAnswered(why) => Err(DeviceError::NotAnswered(why.to_string())),
        }
    }

    /// The same, with what holds where the device said that there is none.
    #[must_use]
    pub fn or(self, none: T) -> Self {
        match self {
            Self::SaidNone => Self::Said(none),
            other => other,
        }
    }

    /// Another value made of what was said.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Self::Said(value) => Reading::Said(change(value)),
            Self::SaidNone => Reading::SaidNone,
            Self::NotAnswered(why) => Reading::NotAnswered(why),
        }
    }

    /// Whether the question has no answer.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::NotAnswered(_))
    }
}

/// The value, or `unknown`: for reports.
impl<T: fmt::Display> fmt::Display for Reading<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said(value) => value.fmt(f),
            Self::SaidNone | Self::NotAnswered(_) => f.write_str("unknown"),
        }
    }
}

/// The value or null: reports need not know why it is not there.
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

/// The whole lines of an answer without the linker's warnings, which some makers' phones print before any output.
///
/// `None` where the last line has no end: Android's commands end each line, so the answer was cut.
pub(crate) fn lines(answer: &str) -> Option<Vec<&str>> {
    if !answer.is_empty() && !answer.ends_with('\n') {
        return None;
    }
    let lines = answer
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    Some(
        lines
            .filter(|line| !line.starts_with("WARNING: linker"))
            .collect(),
    )
}

/// Reads an answer of one line, such as that of `settings get`, where `null` is none. `parse` takes what the property can be.
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

/// A number as Android prints it: digits, and a point only between digits.
pub(crate) fn number(text: &str) -> Option<f64> {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = match text.split_once('.') {
        Some((whole, part)) => is_digits(whole) && is_digits(part),
        None => is_digits(text),
    };
    is_number.then(|| text.parse().ok())?
}

/// Whether the answer says that this release has no such command: that is an answer. A service that cannot be found is
/// none: on a phone that is starting it comes later.
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
