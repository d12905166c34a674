//! What can go wrong between this program and a WebDriver server.

use std::time::Duration;

use runner_device::{DeviceError, DriverKind};
use runner_text::units::HumanDuration;

/// An error of the server, or of the way to it. None is the app's fault.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum WebDriverError {
    /// Nobody answers there.
    #[error("the server {server} cannot be reached: {cause}")]
    Unreachable {
        /// Its address.
        server: String,
        /// The system's words.
        cause: String,
    },
    /// Its certificate is not to be trusted, or its TLS is none.
    #[error(
        "the server {server} cannot be trusted: {cause}; a server of one's own needs a certificate that a public authority has signed, or http:// in a network that is trusted"
    )]
    Tls {
        /// Its address.
        server: String,
        /// The library's words.
        cause: String,
    },
    /// No answer in time.
    #[error("the server did not answer {what} within {}", HumanDuration(*.limit))]
    Silent {
        /// What was asked.
        what: String,
        /// The limit.
        limit: Duration,
    },
    /// More than anybody needs.
    #[error(
        "the server's answer to {what} is longer than {} MB, and was not read",
        .limit / 1_048_576
    )]
    TooLong {
        /// What was asked.
        what: String,
        /// How many bytes it may be.
        limit: u64,
    },
    /// A web page, or anything else that is not an answer of WebDriver.
    #[error("what answers at {server} is not a WebDriver server, or one that fails: {says}")]
    Strange {
        /// Its address.
        server: String,
        /// What it says: status, title.
        says: String,
    },
    /// The server wants another user or key.
    #[error(
        "the server {server} refuses the credentials (HTTP {status}{reason}); name the variables that hold them with `user` and `key` in runner.yaml"
    )]
    Credentials {
        /// Its address.
        server: String,
        /// 401, 403 or 407.
        status: u16,
        /// Its words behind `: `, if it has any.
        reason: String,
    },
    /// It points elsewhere.
    #[error(
        "the server {server} redirects to {to}, which is not followed: name that address in runner.yaml if it is meant"
    )]
    Redirect {
        /// Its address.
        server: String,
        /// The other host.
        to: String,
    },
    /// The server says no.
    #[error("the server says {error}: {message}")]
    ServerError {
        /// WebDriver's word for it, such as `unknown error`.
        error: String,
        /// What it says, cut short.
        message: String,
    },
    /// No session came free.
    #[error(
        "no session came free within {}: {message}; {advice}wait for one with a longer `session_timeout`, or run on fewer devices",
        HumanDuration(*.limit)
    )]
    NoSlot {
        /// How long it was waited for.
        limit: Duration,
        /// What the server said last.
        message: String,
        /// What else may help, with `; ` behind it.
        advice: String,
    },
    /// What it shows does not read, or what it answers is not as expected.
    #[error("the server's answer to {what} is not as expected{}", at(*.column))]
    Unexpected {
        /// What was asked.
        what: String,
        /// Where in it, where that is known.
        column: Option<usize>,
    },
}

/// What the server says to a session that it does not have any more.
const NO_SESSION: &str = "invalid session id";

impl WebDriverError {
    /// Whether the device is gone with it: no session, or no server.
    pub(crate) fn is_end(&self) -> bool {
        match self {
            Self::ServerError { error, message } => {
                error == NO_SESSION
                    || message.contains("A session is either terminated or not started")
                    // The server on the device is gone; Appium starts it only with a new session.
                    || message.contains("instrumentation process is not running")
                    || message.contains("socket hang up")
                    // Selenium Grid has lost the node with the session.
                    || message.contains("Unable to execute request for an existing session")
            }
            Self::Unreachable { .. } | Self::Tls { .. } | Self::Strange { .. } => true,
            _ => false,
        }
    }

    /// Whether the same request may go well in a moment: the server, or what is behind it, is away.
    pub(crate) fn may_be_mended(&self) -> bool {
        match self {
            Self::ServerError { error, .. } => error != NO_SESSION,
            Self::Unreachable { .. } | Self::Silent { .. } | Self::Strange { .. } => true,
            _ => false,
        }
    }

    /// As the error of the device that `label` is.
    pub(crate) fn of_device(self, label: &str) -> DeviceError {
        if self.is_end() {
            return DeviceError::Lost {
                serial: label.to_owned(),
                cause: self.to_string(),
            };
        }
        match self {
            Self::Silent { what, limit } => DeviceError::Timeout { what, limit },
            error => DeviceError::Driver {
                driver: DriverKind::Webdriver,
                cause: error.to_string(),
            },
        }
    }

    /// As the error of a device that could not be had.
    pub(crate) fn of_connecting(self, label: &str) -> DeviceError {
        DeviceError::Unusable {
            serial: label.to_owned(),
            state: "not to be had".to_owned(),
            advice: self.to_string(),
        }
    }
}

fn at(column: Option<usize>) -> String {
    column.map_or_else(String::new, |column| format!(" (column {column})"))
}
