//! Checks that bytes are a message of the protocol, for every transport, and writes the error that answers
//! one that is not.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::bounds::{self, ExceededLimit};

/// Bytes of the longest message. Chosen: a flow or a screenshot as base64 fits; twice of it doubles the
/// memory that one client can take.
pub(super) const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// JSON-RPC error that answers bytes that are no message.
#[derive(Debug)]
pub(super) struct Problem {
    /// Error code of JSON-RPC.
    code: i32,
    message: String,
    /// Id of the request that the bytes may have been, else null.
    id: Value,
}

/// Fields that tell the kinds of messages apart. All else is skipped.
#[derive(Debug, Deserialize)]
pub(super) struct Shape {
    jsonrpc: String,
    /// Set in requests and notifications only.
    pub method: Option<String>,
    #[serde(default)]
    id: FieldValue,
    #[serde(default)]
    params: FieldValue,
    #[serde(default, deserialize_with = "is_there")]
    result: bool,
    error: Option<ErrorShape>,
}

impl Shape {
    /// Returns true if the parameters are an object or missing, for which `null` stands too.
    fn has_fitting_params(&self) -> bool {
        use FieldValue::{Missing, Null, Object};
        matches!(self.params, Missing | Null | Object)
    }

    /// Returns true if the fields are those of a request, a notification, a response or an error. A message has exactly
    /// one of `method`, `result` and `error`. An `id` is a text or a whole number. Only a notification and an error may
    /// have none, and only an error's may be `null`.
    fn is_message(&self) -> bool {
        let has_name = matches!(self.id, FieldValue::Number(_) | FieldValue::Text(_));
        let has_none = matches!(self.id, FieldValue::Missing);
        match (self.method.is_some(), self.result, self.error.is_some()) {
            (true, false, false) => has_name || has_none,
            (false, true, false) => has_name,
            (false, false, true) => has_name || has_none || matches!(self.id, FieldValue::Null),
            _ => false,
        }
    }
}

/// Fields that every error must have.
#[derive(Debug, Deserialize)]
struct ErrorShape {
    #[serde(rename = "code")]
    _code: i32,
    #[serde(rename = "message")]
    _message: String,
}

fn is_there<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(value).map(|_| true)
}

/// Reads the id alone, from a message that may be wrong otherwise.
#[derive(Deserialize)]
struct MessageIdentity {
    id: FieldValue,
}

/// Value of a field. Only that of an id is kept.
#[derive(Debug, Default)]
enum FieldValue {
    #[default]
    Missing,
    Null,
    Number(i64),
    Text(String),
    Object,
    /// List, boolean, or a number that JSON-RPC does not allow as an id.
    Other,
}

/// Written by hand, because serde's derive would first keep the whole value. A list can stand here that takes
/// many times the message's memory.
impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(FieldVisitor)
    }
}

struct FieldVisitor;

impl<'de> Visitor<'de> for FieldVisitor {
    type Value = FieldValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<FieldValue, E> {
        Ok(FieldValue::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<FieldValue, E> {
        Ok(FieldValue::Other)
    }

    fn visit_i64<E>(self, number: i64) -> Result<FieldValue, E> {
        Ok(FieldValue::Number(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<FieldValue, E> {
        Ok(i64::try_from(number).map_or(FieldValue::Other, FieldValue::Number))
    }

    /// Takes a whole number below 9e15 as a number, and any other as a type that is no id.
    fn visit_f64<E>(self, number: f64) -> Result<FieldValue, E> {
        // The protocol's library accepts whole floats as ids too.
        let is_whole = number.fract() == 0.0 && number.abs() < 9.0e15;
        Ok(if is_whole {
            FieldValue::Number(number as i64)
        } else {
            FieldValue::Other
        })
    }

    fn visit_str<E>(self, text: &str) -> Result<FieldValue, E> {
        Ok(FieldValue::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<FieldValue, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(FieldValue::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<FieldValue, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(FieldValue::Object)
    }
}

/// Bytes of the longest id that an error repeats. Chosen: real ids are numbers or UUIDs; a longer one only
/// makes the answer long.
const MAX_ID_BYTES: usize = 200;

impl Problem {
    /// Creates a problem with no id yet.
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            id: Value::Null,
        }
    }

    /// Error for a message that is longer than [`MAX_MESSAGE_BYTES`].
    pub fn too_long() -> Self {
        let most = MAX_MESSAGE_BYTES / 1024 / 1024;
        Self::new(-32600, format!("a message is at most {most} MiB long"))
    }

    /// Error for a message that did not arrive within `seconds`.
    pub fn too_slow(seconds: u64) -> Self {
        let message = format!("the message was not whole after {seconds} s");
        Self::new(-32600, message)
    }

    /// Error for a message that ended before its announced length.
    pub fn cut_off() -> Self {
        Self::new(-32700, "the message broke off")
    }

    /// Error for an `initialize` that is longer than a session may keep.
    pub fn too_long_to_keep(most: usize) -> Self {
        let most = most / 1024;
        Self::new(-32600, format!("`initialize` is at most {most} KiB long"))
    }

    /// Error for a message that found no memory within the time limit.
    pub fn no_room() -> Self {
        let message = "too many long messages are being worked on; try again";
        Self::new(-32000, message)
    }

    /// Sets the id of the message that has the problem. Null if the bytes are no JSON object with an id that is a whole
    /// number or a text of at most 200 bytes. A list has none.
    fn with_id_from(mut self, bytes: &[u8]) -> Self {
        self.id = match serde_json::from_slice(bytes) {
            // serde would take its first item for the field.
            _ if is_list(bytes) => Value::Null,
            Ok(MessageIdentity {
                id: FieldValue::Number(id),
            }) => id.into(),
            Ok(MessageIdentity {
                id: FieldValue::Text(id),
            }) if id.len() <= MAX_ID_BYTES => id.into(),
            _ => Value::Null,
        };
        self
    }

    /// Returns the JSON-RPC answer that reports the problem.
    pub fn answer(&self) -> Value {
        let Self { code, message, id } = self;
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
    }
}

/// Parses bytes as one message, and returns the fields that tell its kind. Batches, that is lists, are refused.
///
/// # Errors
/// The bytes are not JSON, exceed a limit, or are no message of JSON-RPC 2.0 with an object as `params`. The problem has
/// the message's `id`, if it can be read, only if a limit is exceeded or the fields fit no kind of message.
pub(super) fn read(bytes: &[u8]) -> Result<Shape, Problem> {
    is_json(bytes)?;
    // serde would take a list for the fields of the struct, in their order.
    let shape = if is_list(bytes) {
        None
    } else {
        serde_json::from_slice::<Shape>(bytes).ok()
    };
    let Some(shape) = shape.filter(|shape| shape.jsonrpc == "2.0") else {
        let message = "a message is one JSON object with `\"jsonrpc\": \"2.0\"`";
        return Err(Problem::new(-32600, message).with_id_from(bytes));
    };
    if !shape.is_message() {
        let message = "a message has a `method`, and an `id` (a text or a whole number) if it is a request; or it is an \
                       answer with an `id` and a `result` or an `error`";
        return Err(Problem::new(-32600, message).with_id_from(bytes));
    }
    // The protocol's library answers such a request without its id.
    if shape.method.is_some() && !shape.has_fitting_params() {
        let problem = Problem::new(-32602, "`params` is an object");
        return Err(problem.with_id_from(bytes));
    }
    Ok(shape)
}

/// Returns true if the bytes begin as a list.
fn is_list(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"[")
}

/// Checks that bytes are JSON within the limits of depth and values. They are parsed in full, because serde does not
/// check what it skips.
///
/// # Errors
/// The bytes are not JSON, or exceed a limit; then the problem has the message's `id` if it can be read.
pub(super) fn is_json(bytes: &[u8]) -> Result<(), Problem> {
    bounds::check(bytes).map_err(|beyond| {
        let message = match beyond {
            ExceededLimit::Depth => format!(
                "the message is nested too deep: at most {} arrays and objects within each other",
                bounds::MAX_DEPTH
            ),
            ExceededLimit::Values => format!(
                "the message holds too much: at most {} values",
                bounds::MAX_VALUES
            ),
        };
        Problem::new(-32600, message).with_id_from(bytes)
    })?;
    match serde_json::from_slice::<Value>(bytes) {
        Ok(_) => Ok(()),
        Err(error) => Err(Problem::new(
            -32700,
            format!("the message is not JSON: {error}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_too_much_is_answered_by_its_id() {
        let deep = |id: &str| {
            let nested = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","params":{nested}}}"#)
        };
        for (id, wanted) in [("7", json!(7)), ("\"a\"", json!("a")), ("[]", json!(null))] {
            let answer = read(deep(id).as_bytes()).unwrap_err().answer();
            assert_eq!(answer["id"], wanted, "{answer}");
            assert_eq!(answer["error"]["code"], -32600);
        }
    }

    #[test]
    fn a_message_is_a_request_a_notification_a_response_or_an_error() {
        for (fine, rest) in [
            (true, r#""id":1,"method":"ping""#),
            (true, r#""id":1.0,"method":"ping""#),
            (true, r#""id":"a","method":"ping","params":{}"#),
            (true, r#""method":"notifications/initialized""#),
            (true, r#""id":1,"result":{}"#),
            (true, r#""id":1,"error":{"code":-1,"message":"no"}"#),
            (true, r#""id":null,"error":{"code":-1,"message":"no"}"#),
            (false, r#""id":1"#),
            (false, r#""id":1,"method":null"#),
            (false, r#""id":null,"method":"ping""#),
            (false, r#""id":1.5,"method":"ping""#),
            (false, r#""id":[1],"method":"ping""#),
            (false, r#""id":{"a":1},"method":"ping""#),
            (false, r#""id":1,"method":"ping","result":{}"#),
            (
                false,
                r#""id":1,"result":{},"error":{"code":-1,"message":"no"}"#,
            ),
            (false, r#""id":1,"error":"no""#),
            (false, r#""result":{}"#),
        ] {
            let text = format!(r#"{{"jsonrpc":"2.0",{rest}}}"#);
            let read = read(text.as_bytes());
            assert_eq!(read.is_ok(), fine, "{text}");
            if let Err(problem) = read {
                assert_eq!(problem.answer()["error"]["code"], -32600, "{text}");
            }
        }
    }

    #[test]
    fn parameters_are_an_object() {
        for (fine, params) in [
            (true, "{}"),
            (true, r#"{"name":"a"}"#),
            (true, "null"),
            (false, "[]"),
            (false, "[1]"),
            (false, r#""a""#),
            (false, "1"),
            (false, "-1"),
            (false, "1.5"),
            (false, "true"),
        ] {
            let text =
                format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
            match read(text.as_bytes()) {
                Ok(_) => assert!(fine, "{text}"),
                Err(problem) => {
                    assert!(!fine, "{text}");
                    let answer = problem.answer();
                    assert_eq!(answer["id"], 7, "{text}");
                    assert_eq!(answer["error"]["code"], -32602, "{text}");
                }
            }
        }
    }

    #[test]
    fn an_object_that_is_no_message_is_answered_by_its_id() {
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":1}"#, json!(1)),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a")),
            (r#"{"id":1,"method":"ping"}"#, json!(1)),
            (r#"{"method":"ping"}"#, json!(null)),
            ("[1]", json!(null)),
            ("5", json!(null)),
        ] {
            let answer = read(text.as_bytes()).unwrap_err().answer();
            assert_eq!(answer["id"], id, "{text}");
        }
    }
}
