//! Kinds of values.

use std::fmt;

use minijinja::Value;
use minijinja::value::ValueKind;

/// Kind of a value. Integers and floats are one kind, and so are lists and tuples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    Boolean,
    List,
    Map,
    None,
}

impl Kind {
    /// Returns the kind; `None` for undefined and for rare kinds such as bytes.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        Some(match value.kind() {
            ValueKind::String => Self::Text,
            ValueKind::Number => Self::Number,
            ValueKind::Bool => Self::Boolean,
            ValueKind::Seq | ValueKind::Iterable => Self::List,
            ValueKind::Map => Self::Map,
            ValueKind::None => Self::None,
            _ => return None,
        })
    }

    /// Names the kind of a value for a message, with its article, such as `a list`.
    pub(super) fn name_of(value: &Value) -> String {
        Self::from_value(value).map_or_else(
            || format!("a value that is {}", value.kind()),
            |kind| kind.to_string(),
        )
    }

    /// Returns true if values of both kinds can be compared with `==`: equal kinds, and `none` with any.
    pub(super) fn is_like(self, other: Self) -> bool {
        self == other || self == Self::None || other == Self::None
    }

    /// Returns true if values of this kind can be compared with `<`: numbers and texts.
    pub(super) fn is_ordered(self) -> bool {
        matches!(self, Self::Number | Self::Text)
    }
}

impl fmt::Display for Kind {
    /// Writes the kind for a message, with its article: `a text`, `none`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Text => "a text",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::List => "a list",
            Self::Map => "a map",
            Self::None => "none",
        })
    }
}
