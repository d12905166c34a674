//! What is no message of the protocol, whichever way it came, and the answer to it.

use serde::Deserialize;
use serde_json::{Value, json};

/// The longest message.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// A code of JSON-RPC, and what is wrong.
pub(super) type Problem = (i32, String);

/// What every message has.
#[derive(Deserialize)]
struct Shape {
    jsonrpc: String,
}

/// Why these bytes are no message; nothing where they may be one.
pub(super) fn problem(bytes: &[u8]) -> Option<Problem> {
    if let Some(problem) = no_json(bytes) {
        return Some(problem);
    }
    let is_message = !bytes.trim_ascii_start().starts_with(b"[")
        && serde_json::from_slice::<Shape>(bytes).is_ok_and(|shape| shape.jsonrpc == "2.0");
    (!is_message).then(|| {
        let wanted = "a message is one JSON object with `\"jsonrpc\": \"2.0\"`";
        (-32600, wanted.to_owned())
    })
}

/// Why these bytes are no JSON. They are read in full: what is passed over is not checked.
pub(super) fn no_json(bytes: &[u8]) -> Option<Problem> {
    let error = serde_json::from_slice::<Value>(bytes).err()?;
    Some((-32700, format!("the message is no JSON: {error}")))
}

/// What is said of a message that is longer than [`LONGEST`].
pub(super) fn too_long() -> Problem {
    let most = LONGEST / 1024 / 1024;
    (-32600, format!("a message is at most {most} MiB long"))
}

/// The answer to what cannot be answered by its id.
pub(super) fn error(code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } })
}
