//! Arguments of a call: normalized once where they come in, and deserialized once.
//!
//! Clients and flows write the same thing in different ways: `null` for an omitted argument, `"500"` or `3.0`
//! for a number. [`Arguments`] contains none of these. Errors use the words of the tool's catalogue, never
//! those of the deserializer.

mod deserialize;
mod plain;
mod schema_words;
mod wording;

use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::schemas::inline_schema;
use super::{Failure, Words};
use deserialize::ReadError;
pub use plain::normalize_integers;
pub use schema_words::{alternatives, required};
pub use wording::{Complaint, Wording};

/// Normalized arguments of one call: no nulls, and whole numbers without fraction.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    values: Map<String, Value>,
    tool: &'static str,
    wording: Wording,
}

impl Arguments {
    /// Normalizes arguments that a flow or this program wrote: arguments that are `null` are removed, nulls inside them
    /// stay, and 3.0 becomes 3 at any depth. `null` itself counts as an empty object.
    ///
    /// # Errors
    ///
    /// If they are not an object.
    pub fn new(tool: &'static str, wording: Wording, args: Value) -> Result<Self, Failure> {
        let values = match args {
            Value::Null => Map::new(),
            Value::Object(values) => values,
            // Serde would accept a list as the fields in order.
            _ => {
                let message = "its arguments must be an object, each by its name";
                return Err(wording.about_tool(tool, message));
            }
        };
        Ok(Self {
            values: plain::object(values),
            tool,
            wording,
        })
    }

    /// Normalizes a client's arguments. Also converts texts to numbers where `schema` has only numbers. If
    /// the wording is that of a reference whose server ignores unknown arguments, these are dropped, with a
    /// note on the first. Where the reference takes numbers as texts, numbers and booleans are converted to
    /// texts.
    ///
    /// # Errors
    ///
    /// If they are not an object.
    pub fn from_client(
        tool: &'static str,
        wording: Wording,
        schema: &Value,
        args: Value,
    ) -> Result<ClientArguments, Failure> {
        let mut arguments = Self::new(tool, wording, args)?;
        let note = if wording.ignores_unknown() {
            arguments.remove_unknown(schema)
        } else {
            None
        };
        plain::from_texts(schema, &mut arguments.values);
        if wording.takes_numbers_as_text() {
            plain::to_texts(schema, &mut arguments.values);
        }
        Ok(ClientArguments { arguments, note })
    }

    /// Removes arguments that are not among the schema's `properties`, at the top level only. Returns a note
    /// on the first of them, or `None` if there was none.
    fn remove_unknown(&mut self, schema: &Value) -> Option<Words> {
        let known = schema.get("properties").and_then(Value::as_object);
        let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
        let names = known.into_iter().flat_map(Map::keys).map(String::as_str);
        let unknown = self.values.keys().find(|name| !is_known(name));
        let note = unknown.map(|unknown| wording::ignored(unknown, names));
        self.values.retain(|name, _| is_known(name));
        note
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Adds or replaces an argument.
    pub fn insert(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    /// Deserializes all arguments. Those that `A` does not have are an error if `A` refuses unknown fields.
    ///
    /// # Errors
    ///
    /// Names the first wrong argument and what it may be.
    pub fn read<A: DeserializeOwned + JsonSchema>(&self) -> Result<A, Failure> {
        deserialize::read(&self.values).map_err(|(place, error)| {
            let schema = inline_schema(SchemaGenerator::subschema_for::<A>);
            self.failure(&schema, &place, error)
        })
    }

    /// Builds the failure of a wrong argument. `place` is the path to the wrong value, beginning with the
    /// argument's name. If the path goes deeper, the failure still names only the argument, and shows its
    /// whole value. An unknown argument is answered with all names of `schema`.
    fn failure(&self, schema: &Value, place: &[String], error: ReadError) -> Failure {
        let known = schema.get("properties").and_then(Value::as_object);
        let property = |name: &str| known.and_then(|known| known.get(name));
        match (error, place) {
            (ReadError::Missing(name), []) => {
                let may_be = property(name).map_or_else(String::new, schema_words::may_be);
                self.complaint(name, &Complaint::Missing(&may_be))
            }
            (ReadError::Unknown(name), []) => {
                let names = known.into_iter().flat_map(Map::keys);
                self.complaint(&name, &Complaint::Unknown(&names.collect::<Vec<_>>()))
            }
            (ReadError::Own(why), [name, ..]) => self.complaint(name, &Complaint::Own(&why)),
            (ReadError::Own(why), []) => self.wording.about_tool(self.tool, why),
            (_, [name, ..]) => {
                let may_be = property(name).map_or_else(String::new, schema_words::may_be);
                let got = self.get(name).unwrap_or(&Value::Null);
                self.complaint(name, &Complaint::NotA(&may_be, got))
            }
            (ReadError::Mismatch, []) => {
                let message = "its arguments do not go together";
                self.wording.about_tool(self.tool, message)
            }
        }
    }

    /// Builds the failure of an argument in the words of the tool's catalogue.
    pub fn complaint(&self, name: &str, complaint: &Complaint<'_>) -> Failure {
        self.wording.failure(self.tool, name, complaint)
    }

    /// Returns a required argument.
    ///
    /// # Errors
    ///
    /// If it is missing.
    pub fn required(&self, name: &str) -> Result<&Value, Failure> {
        self.get(name)
            .ok_or_else(|| self.complaint(name, &Complaint::Missing("")))
    }

    /// Returns an optional text, which may be empty. `None` if it is missing.
    ///
    /// # Errors
    ///
    /// If it is not a text.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.complaint(name, &Complaint::NotText(other))),
        }
    }

    /// Returns a required text, which may be empty.
    ///
    /// # Errors
    ///
    /// If it is missing or not a text.
    pub fn required_text(&self, name: &str) -> Result<&str, Failure> {
        self.required(name)?;
        Ok(self.text(name)?.unwrap_or_default())
    }

    /// Returns a required text that is not empty.
    ///
    /// # Errors
    ///
    /// If it is missing, not a text, or empty.
    pub fn filled(&self, name: &str) -> Result<&str, Failure> {
        match self.required_text(name)? {
            "" => Err(self.complaint(name, &Complaint::Empty)),
            text => Ok(text),
        }
    }

    /// Returns an optional number, with or without a fraction. A text is no number, even `"5"`.
    ///
    /// # Errors
    ///
    /// If it is no number, or not finite.
    pub fn number(&self, name: &str) -> Result<Option<f64>, Failure> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        match value.as_f64() {
            None => Err(self.complaint(name, &Complaint::NotNumber(value))),
            Some(number) if !number.is_finite() => {
                Err(self.complaint(name, &Complaint::NotFinite(value)))
            }
            number => Ok(number),
        }
    }

    /// Returns a required finite number.
    ///
    /// # Errors
    ///
    /// If it is missing or not one.
    pub fn required_number(&self, name: &str) -> Result<f64, Failure> {
        self.required(name)?;
        Ok(self.number(name)?.unwrap_or_default())
    }

    /// Returns an optional whole number. `5.0` counts as one.
    ///
    /// # Errors
    ///
    /// If it is no number, has a fraction or is beyond ±9e15.
    pub fn integer(&self, name: &str) -> Result<Option<i64>, Failure> {
        let Some(number) = self.number(name)? else {
            return Ok(None);
        };
        // Beyond 9e15, `f64` cannot represent every whole number.
        if number.fract() != 0.0 || number.abs() > 9.0e15 {
            let value = self.get(name).unwrap_or(&Value::Null);
            return Err(self.complaint(name, &Complaint::NotWhole(value)));
        }
        Ok(Some(number as i64))
    }

    /// Returns a required whole number.
    ///
    /// # Errors
    ///
    /// If it is missing or not one.
    pub fn required_integer(&self, name: &str) -> Result<i64, Failure> {
        self.required(name)?;
        Ok(self.integer(name)?.unwrap_or_default())
    }

    /// Checks an optional whole number against bounds, both inclusive. A missing argument passes.
    ///
    /// # Errors
    ///
    /// If it is not a whole number, or out of bounds.
    pub fn between(&self, name: &str, min: i64, max: i64) -> Result<(), Failure> {
        match self.integer(name)? {
            Some(number) if !(min..=max).contains(&number) => {
                Err(self.complaint(name, &Complaint::NotBetween(min, max, &number)))
            }
            _ => Ok(()),
        }
    }

    /// Checks an optional whole number against a minimum, which is allowed. A missing argument passes.
    ///
    /// # Errors
    ///
    /// If it is not a whole number, or less than `min`.
    pub fn at_least(&self, name: &str, min: i64) -> Result<(), Failure> {
        match self.integer(name)? {
            Some(number) if number < min => {
                Err(self.complaint(name, &Complaint::Less(min, &number)))
            }
            _ => Ok(()),
        }
    }

    /// Checks an optional boolean. A missing argument passes; texts such as `"true"` do not.
    ///
    /// # Errors
    ///
    /// If it is not a boolean.
    pub fn boolean(&self, name: &str) -> Result<(), Failure> {
        match self.get(name) {
            None | Some(Value::Bool(_)) => Ok(()),
            Some(other) => Err(self.complaint(name, &Complaint::NotBoolean(other))),
        }
    }

    /// Checks an optional text against a list of lower-case choices, ignoring case. A missing argument
    /// passes. The argument itself keeps its case.
    ///
    /// # Errors
    ///
    /// If it is not a text, or not a choice.
    pub fn one_of(&self, name: &str, choices: &[&str]) -> Result<(), Failure> {
        match self.text(name)? {
            Some(text) if !choices.contains(&text.to_lowercase().as_str()) => {
                Err(self.complaint(name, &Complaint::NotOneOf(choices, text)))
            }
            _ => Ok(()),
        }
    }
}

impl From<Arguments> for Value {
    fn from(arguments: Arguments) -> Self {
        Self::Object(arguments.values)
    }
}

/// Arguments of a client, with a note for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientArguments {
    /// Arguments that the tool knows.
    pub arguments: Arguments,
    /// Note for the caller on an argument that the tool does not have, and which is therefore ignored.
    pub note: Option<Words>,
}
