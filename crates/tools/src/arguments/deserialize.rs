//! Deserializes JSON, reporting the path to the first wrong value and the kind of mistake. The kind is an
//! enum, so that no words of serde's reach users.

use std::fmt::Display;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

/// Mistake in a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadError {
    /// A required field is missing.
    Missing(&'static str),
    /// The field does not exist.
    Unknown(String),
    /// The value has another type, or is out of the type's bounds.
    Mismatch,
    /// Message of the type's own deserializer.
    Own(String),
}

impl Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "`{name}` is missing"),
            Self::Unknown(name) => write!(f, "there is no `{name}`"),
            Self::Mismatch => f.write_str("it is of another kind"),
            Self::Own(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self::Own(message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::Mismatch
    }

    fn invalid_value(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::Mismatch
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        Self::Mismatch
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self::Mismatch
    }

    fn unknown_field(name: &str, _: &'static [&'static str]) -> Self {
        Self::Unknown(name.to_owned())
    }

    fn missing_field(name: &'static str) -> Self {
        Self::Missing(name)
    }

    fn duplicate_field(_: &'static str) -> Self {
        Self::Mismatch
    }
}

/// Deserializes an object.
///
/// # Errors
///
/// Returns the path to the first wrong value, beginning with the argument's name, and the mistake. The path
/// of an unknown field is that of the object around it, so it is empty at the top.
pub(super) fn read<T: DeserializeOwned>(
    values: &Map<String, Value>,
) -> Result<T, (Vec<String>, ReadError)> {
    let entries = values
        .iter()
        .map(|(name, value)| (name.as_str(), Json(value)));
    serde_path_to_error::deserialize(MapDeserializer::new(entries)).map_err(|error| {
        let mut path: Vec<String> = error.path().iter().filter_map(segment).collect();
        let error = error.into_inner();
        // The path of an unknown field ends with the field itself, which is reported separately.
        if matches!(error, ReadError::Unknown(_)) {
            path.pop();
        }
        (path, error)
    })
}

/// Returns a part of an argument's path as text. `None` if serde does not know it.
fn segment(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { variant } => Some(variant.clone()),
        Segment::Unknown => None,
    }
}

struct Json<'a>(&'a Value);

impl<'de> IntoDeserializer<'de, ReadError> for Json<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = ReadError;

    /// Takes a number as a whole one if it is, else as one with a fraction.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (_, _, Some(number)) => visitor.visit_f64(number),
                _ => Err(ReadError::Mismatch),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Json))),
            Value::Object(values) => visitor.visit_map(map(values)),
        }
    }

    /// Takes null for none.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    /// Takes a text for a variant without a value, or an object with the variant as its only key. Anything else is a
    /// mismatch.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(StrDeserializer::new(text)),
            // The deserializer would take the first of several keys, and ignore the others.
            Value::Object(values) if values.len() == 1 => {
                visitor.visit_enum(MapAccessDeserializer::new(map(values)))
            }
            _ => Err(ReadError::Mismatch),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

type Entries<'de> = std::iter::Map<
    serde_json::map::Iter<'de>,
    fn((&'de String, &'de Value)) -> (&'de str, Json<'de>),
>;

fn map<'de>(values: &'de Map<String, Value>) -> MapDeserializer<'de, Entries<'de>, ReadError> {
    let entry: fn((&'de String, &'de Value)) -> (&'de str, Json<'de>) =
        |(name, value)| (name.as_str(), Json(value));
    MapDeserializer::new(values.iter().map(entry))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Way {
        Up,
        By(u32),
        To { x: u32 },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Args {
        way: Way,
    }

    /// Law: what serde's own reader of JSON refuses, this one refuses.
    #[test]
    fn a_variant_is_a_word_or_the_only_key() {
        for value in [
            json!("up"),
            json!({ "by": 3 }),
            json!({ "to": { "x": 3 } }),
            json!("by"),
            json!("down"),
            json!({ "by": 3, "to": { "x": 3 } }),
            json!({ "by": 3, "other": 1 }),
            json!({ "by": -3 }),
            json!({}),
            json!([]),
            json!(3),
            json!(null),
        ] {
            let theirs = serde_json::from_value::<Way>(value.clone()).ok();
            let values = Map::from_iter([("way".to_owned(), value.clone())]);
            let ours = read::<Args>(&values).ok().map(|args| args.way);
            assert_eq!(ours, theirs, "{value}");
        }
    }
}
