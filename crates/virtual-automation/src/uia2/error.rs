//! Errors of the `WebDriver` protocol.

use serde_json::{Value, json};

/// Kind of an error, with its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ErrorKind {
    /// HTTP status of the answer.
    pub(crate) status: u16,
    /// Error code of the protocol.
    code: &'static str,
    /// Exception of the server.
    exception: &'static str,
}

impl ErrorKind {
    pub(crate) const INVALID_ARGUMENT: Self =
        Self::new(400, "invalid argument", "InvalidArgumentException");
    pub(crate) const INVALID_ELEMENT_STATE: Self =
        Self::new(400, "invalid element state", "InvalidElementStateException");
    pub(crate) const INVALID_SESSION: Self =
        Self::new(404, "invalid session id", "NoSuchDriverException");
    pub(crate) const NO_SUCH_ELEMENT: Self =
        Self::new(404, "no such element", "ElementNotFoundException");
    pub(crate) const SESSION_NOT_CREATED: Self =
        Self::new(500, "session not created", "SessionNotCreatedException");
    pub(crate) const STALE_ELEMENT: Self = Self::new(
        404,
        "stale element reference",
        "StaleElementReferenceException",
    );
    pub(crate) const UNKNOWN_COMMAND: Self =
        Self::new(404, "unknown command", "UnknownCommandException");
    pub(crate) const UNKNOWN: Self = Self::new(500, "unknown error", "UiAutomator2Exception");

    pub(crate) const fn new(status: u16, code: &'static str, exception: &'static str) -> Self {
        Self {
            status,
            code,
            exception,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct WireError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

impl WireError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::INVALID_ARGUMENT, message)
    }

    /// Returns the error for an element that was not found.
    pub(crate) fn not_found() -> Self {
        Self::new(
            ErrorKind::NO_SUCH_ELEMENT,
            "An element could not be located on the page using the given search parameters",
        )
    }

    /// Returns the error as the server's JSON, with a stack trace of one line.
    pub(crate) fn to_json(&self) -> Value {
        let ErrorKind {
            code, exception, ..
        } = self.kind;
        let stacktrace = format!(
            "io.appium.uiautomator2.common.exceptions.{exception}: {}\n\tat io.appium.uiautomator2.handler.request.SafeRequestHandler.handle(SafeRequestHandler.java:69)\n",
            self.message
        );
        json!({ "error": code, "message": self.message, "stacktrace": stacktrace })
    }
}
