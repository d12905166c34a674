//! Errors of WebDriver servers and of the connection to them.

use std::time::Duration;

use runner_device::{DeviceError, DriverKind};
use runner_text::units::HumanDuration;

/// An error of the server, or of the connection to it.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum WebDriverError {
    /// No connection comes about, or it breaks.
    #[error("the server {server} cannot be reached: {cause}")]
    Unreachable { server: String, cause: String },
    /// The certificate is not trusted, or the server speaks no TLS.
    #[error(
        "the server {server} cannot be trusted: {cause}; a server of one's own needs a certificate that a public authority has signed, or http:// in a network that is trusted"
    )]
    Tls { server: String, cause: String },
    /// No answer came within the limit.
    #[error("the server did not answer {what} within {}", HumanDuration(*.limit))]
    Silent {
        /// Name of the request.
        what: String,
        limit: Duration,
    },
    /// The answer exceeds the limit of its request.
    #[error(
        "the server's answer to {what} is longer than {} MB, and was not read",
        .limit / 1_048_576
    )]
    TooLong {
        /// Name of the request.
        what: String,
        /// Limit in bytes.
        limit: u64,
    },
    /// The answer is a web page, or anything else that is not WebDriver.
    #[error("what answers at {server} is not a WebDriver server, or one that fails: {says}")]
    Strange {
        server: String,
        /// Status and title of the page.
        says: String,
    },
    /// The server rejects the credentials.
    #[error(
        "the server {server} refuses the credentials (HTTP {status}{reason}); name the variables that hold them with `user` and `key` in runner.yaml"
    )]
    Credentials {
        server: String,
        /// 401, 403 or 407.
        status: u16,
        /// The server's message after `: `, or empty.
        reason: String,
    },
    /// The server redirects to another host, from https to http, or too often.
    #[error(
        "the server {server} redirects to {to}, which is not followed: name that address in runner.yaml if it is meant"
    )]
    Redirect { server: String, to: String },
    /// An error as WebDriver defines it.
    #[error("the server says {error}: {message}")]
    ServerError {
        /// WebDriver's error code, such as `unknown error`.
        error: String,
        /// The server's message, shortened.
        message: String,
    },
    /// No session became free in time.
    #[error(
        "no session came free within {}: {message}; {advice}wait for one with a longer `session_timeout`, or run on fewer devices",
        HumanDuration(*.limit)
    )]
    NoSlot {
        limit: Duration,
        /// The server's last message, or that it has queued the request.
        message: String,
        /// Further advice ending in `; `, or empty.
        advice: String,
    },
    /// The answer is WebDriver, but its value has another form than expected.
    #[error("the server's answer to {what} is not as expected{}", at(*.column))]
    Unexpected {
        /// Name of the request.
        what: String,
        /// Column of the first mismatch, if known.
        column: Option<usize>,
    },
}

/// WebDriver's error code for a session that does not exist any more.
const NO_SESSION: &str = "invalid session id";

impl WebDriverError {
    /// Returns true if the device is lost with this error: its session is over, or its server is gone, cannot
    /// be reached or answers something strange. A server that only does not answer in time is not lost.
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

    /// Returns true if the same request may succeed shortly: the server, or what is behind it, is away. Every
    /// error that the server reports counts, except an unknown session.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::ServerError { error, .. } => error != NO_SESSION,
            Self::Unreachable { .. } | Self::Silent { .. } | Self::Strange { .. } => true,
            _ => false,
        }
    }

    /// Converts to the error of a device that was in use: lost if [`Self::is_end`], a timeout if the server
    /// was silent, else one of the driver. `label` names the device.
    pub(crate) fn into_device_error(self, label: &str) -> DeviceError {
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

    /// Converts to the error of a device that could not be opened. `label` names the device.
    pub(crate) fn into_connect_error(self, label: &str) -> DeviceError {
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
