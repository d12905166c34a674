//! Errors of the `WebDriver` protocol.

use serde_json::{Value, json};

/// Error kinds by the protocol's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorKind {
    InvalidArgument,
    InvalidElementState,
    InvalidSelector,
    InvalidSession,
    NoSuchAlert,
    NoSuchElement,
    SessionNotCreated,
    StaleElement,
    UnableToCapture,
    UnknownCommand,
    Unknown,
}

impl ErrorKind {
    pub(super) fn status(self) -> u16 {
        match self {
            Self::InvalidArgument | Self::InvalidElementState | Self::InvalidSelector => 400,
            Self::InvalidSession
            | Self::NoSuchAlert
            | Self::NoSuchElement
            | Self::StaleElement
            | Self::UnknownCommand => 404,
            Self::SessionNotCreated | Self::UnableToCapture | Self::Unknown => 500,
        }
    }

    /// Returns the protocol's error code and the server's exception.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::InvalidArgument => ("invalid argument", "InvalidArgumentException"),
            Self::InvalidElementState => ("invalid element state", "InvalidElementStateException"),
            Self::InvalidSelector => ("invalid selector", "InvalidSelectorException"),
            Self::InvalidSession => ("invalid session id", "NoSuchDriverException"),
            Self::NoSuchAlert => ("no such alert", "NoAlertOpenException"),
            Self::NoSuchElement => ("no such element", "ElementNotFoundException"),
            Self::SessionNotCreated => ("session not created", "SessionNotCreatedException"),
            Self::StaleElement => ("stale element reference", "StaleElementReferenceException"),
            Self::UnableToCapture => ("unable to capture screen", "TakeScreenshotException"),
            Self::UnknownCommand => ("unknown command", "UnknownCommandException"),
            Self::Unknown => ("unknown error", "UiAutomator2Exception"),
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
        Self::new(ErrorKind::InvalidArgument, message)
    }

    pub(super) fn unknown_command() -> Self {
        Self::new(
            ErrorKind::UnknownCommand,
            "The requested resource could not be found, or a request was received using an HTTP method that is not supported by the mapped resource",
        )
    }

    pub(super) fn not_found() -> Self {
        Self::new(
            ErrorKind::NoSuchElement,
            "An element could not be located on the page using the given search parameters",
        )
    }

    pub(super) fn to_json(&self) -> Value {
        let (error, class) = self.kind.names();
        let stacktrace = format!(
            "io.appium.uiautomator2.common.exceptions.{class}: {}\n\tat io.appium.uiautomator2.handler.request.SafeRequestHandler.handle(SafeRequestHandler.java:69)\n",
            self.message
        );
        json!({ "error": error, "message": self.message, "stacktrace": stacktrace })
    }
}
