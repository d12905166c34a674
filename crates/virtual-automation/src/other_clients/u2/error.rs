//! JSON-RPC errors.

use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct RpcError {
    code: i32,
    message: String,
}

impl RpcError {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub(super) fn parse(message: impl Into<String>) -> Self {
        Self::new(-32700, message)
    }

    pub(super) fn invalid_request() -> Self {
        Self::new(-32600, "Invalid Request")
    }

    pub(super) fn no_method(name: &str) -> Self {
        Self::new(-32601, format!("method not found: {name}"))
    }

    pub(super) fn parameters(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }

    /// Builds the error of a selector that finds nothing.
    pub(super) fn not_found(selector: &str) -> Self {
        Self::new(
            -32002,
            format!("androidx.test.uiautomator.UiObjectNotFoundException: {selector}"),
        )
    }

    /// Returns the error as the answer to the call with this id.
    pub(super) fn answer(&self, id: &Value) -> Value {
        let trace = format!(
            "{}\n\tat com.wetest.uia2.stub.AutomatorServiceImpl(AutomatorServiceImpl.java)",
            self.message
        );
        json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": { "code": self.code, "message": self.message, "data": trace },
        })
    }
}
