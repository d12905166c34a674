//! The semantic tools' own envelope, `POST /message`.

use serde_json::{Value, json};

use super::DialectToolbox;

/// The answer to one message.
#[expect(clippy::unused_async, reason = "tools are called here")]
pub(super) async fn answer(toolbox: &DialectToolbox, message: Value) -> Value {
    let _ = (toolbox, message);
    json!({ "error": "not supported yet" })
}
