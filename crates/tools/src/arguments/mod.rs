//! The arguments of a call. They are made plain once, where they come in, and read once.
//!
//! Clients and flows write the same thing in different ways: `null` for an argument that is left out, `"500"` or `3.0` for a
//! number. [`Arguments`] holds none of these. What is wrong with an argument is said in the words of the tool's catalogue,
//! never in those of the deserializer.

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

/// The arguments of one call: no nulls, and whole numbers that are whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    values: Map<String, Value>,
    tool: &'static str,
    wording: Wording,
}

impl Arguments {
    /// The arguments of the tool of this name, as a flow or this program writes them. No arguments at all are an empty object.
    ///
    /// # Errors
    /// They are no object.
    pub fn new(tool: &'static str, wording: Wording, args: Value) -> Result<Self, Failure> {
        let values = match args {
            Value::Null => Map::new(),
            Value::Object(values) => values,
            // The deserializer would take a list, in the order of its own fields.
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

    /// The arguments of a client, with numbers where it wrote them as text, and without those that the reference's own server
    /// would not look at.
    ///
    /// # Errors
    /// They are no object.
    pub fn of_client(
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

    /// Removes the arguments that are not in the schema, and returns the note on the first.
    fn remove_unknown(&mut self, schema: &Value) -> Option<Words> {
        let known = schema.get("properties").and_then(Value::as_object);
        let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
        let names = known.into_iter().flat_map(Map::keys).map(String::as_str);
        let unknown = self.values.keys().find(|name| !is_known(name));
        let note = unknown.map(|unknown| wording::ignored(unknown, names));
        self.values.retain(|name, _| is_known(name));
        note
    }

    /// The argument of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Adds an argument, or replaces it.
    pub fn insert(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    /// Reads them all.
    ///
    /// # Errors
    /// The first argument that does not read, and what it may be.
    pub fn read<A: DeserializeOwned + JsonSchema>(&self) -> Result<A, Failure> {
        deserialize::read(&self.values).map_err(|(place, error)| {
            let schema = inline_schema(SchemaGenerator::subschema_for::<A>);
            self.failure(&schema, &place, error)
        })
    }

    /// The failure of an argument that does not read. `place` is the path to it, the argument's name first.
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

    /// The failure of the argument of this name.
    pub fn complaint(&self, name: &str, complaint: &Complaint<'_>) -> Failure {
        self.wording.failure(self.tool, name, complaint)
    }

    /// The argument of this name.
    ///
    /// # Errors
    /// It is missing.
    pub fn required(&self, name: &str) -> Result<&Value, Failure> {
        self.get(name)
            .ok_or_else(|| self.complaint(name, &Complaint::Missing("")))
    }

    /// A text, where there is one.
    ///
    /// # Errors
    /// It is no text.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.complaint(name, &Complaint::NotText(other))),
        }
    }

    /// A required text, which may be empty.
    ///
    /// # Errors
    /// It is missing or no text.
    pub fn required_text(&self, name: &str) -> Result<&str, Failure> {
        self.required(name)?;
        Ok(self.text(name)?.unwrap_or_default())
    }

    /// A required text that is not empty.
    ///
    /// # Errors
    /// It is missing, no text, or empty.
    pub fn filled(&self, name: &str) -> Result<&str, Failure> {
        match self.required_text(name)? {
            "" => Err(self.complaint(name, &Complaint::Empty)),
            text => Ok(text),
        }
    }

    /// A finite number, where there is one.
    ///
    /// # Errors
    /// It is none.
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

    /// A required number.
    ///
    /// # Errors
    /// It is missing or none.
    pub fn required_number(&self, name: &str) -> Result<f64, Failure> {
        self.required(name)?;
        Ok(self.number(name)?.unwrap_or_default())
    }

    /// A whole number, where there is one.
    ///
    /// # Errors
    /// It is none.
    pub fn integer(&self, name: &str) -> Result<Option<i64>, Failure> {
        let Some(number) = self.number(name)? else {
            return Ok(None);
        };
        // Beyond 9e15, an `f64` does not have each of them.
        if number.fract() != 0.0 || number.abs() > 9.0e15 {
            let value = self.get(name).unwrap_or(&Value::Null);
            return Err(self.complaint(name, &Complaint::NotWhole(value)));
        }
        Ok(Some(number as i64))
    }

    /// A required whole number.
    ///
    /// # Errors
    /// It is missing or none.
    pub fn required_integer(&self, name: &str) -> Result<i64, Failure> {
        self.required(name)?;
        Ok(self.integer(name)?.unwrap_or_default())
    }

    /// A whole number in these bounds, where there is one.
    ///
    /// # Errors
    /// It is none, or out of them.
    pub fn between(&self, name: &str, min: i64, max: i64) -> Result<(), Failure> {
        match self.integer(name)? {
            Some(number) if !(min..=max).contains(&number) => {
                Err(self.complaint(name, &Complaint::NotBetween(min, max, &number)))
            }
            _ => Ok(()),
        }
    }

    /// A whole number of at least `min`, where there is one.
    ///
    /// # Errors
    /// It is none, or less.
    pub fn at_least(&self, name: &str, min: i64) -> Result<(), Failure> {
        match self.integer(name)? {
            Some(number) if number < min => {
                Err(self.complaint(name, &Complaint::Less(min, &number)))
            }
            _ => Ok(()),
        }
    }

    /// A boolean, where there is one.
    ///
    /// # Errors
    /// It is none.
    pub fn boolean(&self, name: &str) -> Result<(), Failure> {
        match self.get(name) {
            None | Some(Value::Bool(_)) => Ok(()),
            Some(other) => Err(self.complaint(name, &Complaint::NotBoolean(other))),
        }
    }

    /// A text that is one of a few, in any letter case, where there is one.
    ///
    /// # Errors
    /// It is no text, or another one.
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

/// The arguments of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientArguments {
    /// Those that the tool has.
    pub arguments: Arguments,
    /// The note, for whoever made the call, on one that the tool does not have: it has no effect.
    pub note: Option<Words>,
}
