//! Errors of the `WebDriver` protocol.

use serde_json::{Value, json};

/// Kind of an error, with its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ErrorKind {
    /// HTTP status of the answer.
    pub(super) status: u16,
    /// Error code of the protocol.
    code: &'static str,
    /// Exception of the server.
    exception: &'static str,
}

impl ErrorKind {
    pub(super) const INVALID_ARGUMENT: Self =
        Self::new(400, "invalid argument", "InvalidArgumentException");
    pub(super) const INVALID_ELEMENT_STATE: Self =
        Self::new(400, "invalid element state", "InvalidElementStateException");
    pub(super) const INVALID_SELECTOR: Self =
        Self::new(400, "invalid selector", "InvalidSelectorException");
    pub(super) const INVALID_SESSION: Self =
        Self::new(404, "invalid session id", "NoSuchDriverException");
    pub(super) const NO_SUCH_ALERT: Self = Self::new(404, "no such alert", "NoAlertOpenException");
    pub(super) const NO_SUCH_ELEMENT: Self =
        Self::new(404, "no such element", "ElementNotFoundException");
    pub(super) const SESSION_NOT_CREATED: Self =
        Self::new(500, "session not created", "SessionNotCreatedException");
    pub(super) const STALE_ELEMENT: Self = Self::new(
        404,
        "stale element reference",
        "StaleElementReferenceException",
    );
    pub(super) const UNABLE_TO_CAPTURE: Self =
        Self::new(500, "unable to capture screen", "TakeScreenshotException");
    pub(super) const UNKNOWN_COMMAND: Self =
        Self::new(404, "unknown command", "UnknownCommandException");
    pub(super) const UNKNOWN: Self = Self::new(500, "unknown error", "UiAutomator2Exception");

    pub(super) const fn new(status: u16, code: &'static str, exception: &'static str) -> Self {
        Self {
            status,
            code,
            exception,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct WireError {
    pub(super) kind: ErrorKind,
    pub(super) message: String,
}

impl WireError {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    pub(super) fn argument(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::INVALID_ARGUMENT, message)
    }

    pub(super) fn unknown_command() -> Self {
        Self::new(
            ErrorKind::UNKNOWN_COMMAND,
            "The requested resource could not be found, or a request was received using an HTTP method that is not supported by the mapped resource",
        )
    }

    pub(super) fn not_found() -> Self {
        Self::new(
            ErrorKind::NO_SUCH_ELEMENT,
            "An element could not be located on the page using the given search parameters",
        )
    }

    pub(super) fn to_json(&self) -> Value {
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
