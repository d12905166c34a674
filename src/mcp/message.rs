//! What is no message of the protocol, whichever way it came, and the answer to it.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::bounds::{self, Beyond};

/// The longest message.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// Why bytes are no message.
#[derive(Debug)]
pub(super) struct Problem {
    /// A code of JSON-RPC.
    code: i32,
    message: String,
    /// Of the request that this may have been.
    id: Value,
}

/// What every message has.
#[derive(Debug, Deserialize)]
pub(super) struct Shape {
    jsonrpc: String,
    /// Of requests and notifications.
    pub method: Option<String>,
}

/// What a message may be recognised by, however wrong it is otherwise.
#[derive(Deserialize)]
struct Named {
    id: Id,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(i64),
    Text(String),
    Other(IgnoredAny),
}

/// Longest name of a request that an answer repeats.
const LONGEST_ID: usize = 200;

impl Problem {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            id: Value::Null,
        }
    }

    /// Of a message that is longer than [`LONGEST`].
    pub fn too_long() -> Self {
        let most = LONGEST / 1024 / 1024;
        Self::new(-32600, format!("a message is at most {most} MiB long"))
    }

    /// Of a message whose end did not come.
    pub fn too_slow(seconds: u64) -> Self {
        let message = format!("the message was not whole after {seconds} s");
        Self::new(-32600, message)
    }

    /// Of a message that broke off.
    pub fn cut_off() -> Self {
        Self::new(-32700, "the message broke off")
    }

    fn of(mut self, bytes: &[u8]) -> Self {
        self.id = match serde_json::from_slice(bytes) {
            Ok(Named { id: Id::Number(id) }) => id.into(),
            Ok(Named { id: Id::Text(id) }) if id.len() <= LONGEST_ID => id.into(),
            _ => Value::Null,
        };
        self
    }

    /// The answer.
    pub fn answer(&self) -> Value {
        let Self { code, message, id } = self;
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
    }
}

/// The message that these bytes seem to be.
///
/// # Errors
/// Why they are none.
pub(super) fn read(bytes: &[u8]) -> Result<Shape, Problem> {
    is_json(bytes)?;
    let shape = if bytes.trim_ascii_start().starts_with(b"[") {
        None
    } else {
        serde_json::from_slice::<Shape>(bytes).ok()
    };
    shape.filter(|shape| shape.jsonrpc == "2.0").ok_or_else(|| {
        Problem::new(
            -32600,
            "a message is one JSON object with `\"jsonrpc\": \"2.0\"`",
        )
    })
}

/// Whether these bytes are JSON within its limits. They are read in full: what is passed over is not checked.
///
/// # Errors
/// Why they are not.
pub(super) fn is_json(bytes: &[u8]) -> Result<(), Problem> {
    bounds::check(bytes).map_err(|beyond| {
        let message = match beyond {
            Beyond::Depth => format!(
                "the message is nested too deep: at most {} arrays and objects within each other",
                bounds::DEEPEST
            ),
            Beyond::Values => format!(
                "the message holds too much: at most {} values",
                bounds::MOST_VALUES
            ),
        };
        Problem::new(-32600, message).of(bytes)
    })?;
    match serde_json::from_slice::<Value>(bytes) {
        Ok(_) => Ok(()),
        Err(error) => Err(Problem::new(
            -32700,
            format!("the message is no JSON: {error}"),
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
}
