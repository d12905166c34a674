//! Errors of the server on the device, and of the connection to it.

use std::time::Duration;

use super::names::PORT;
use crate::DeviceError;
use runner_screen::ScreenError;
use runner_text::units::RoundedDuration;

#[derive(Debug, thiserror::Error)]
pub(super) enum Uia2Error {
    /// No process listens on the server's port.
    #[error("nothing listens on port {PORT} of the device")]
    Refused,
    #[error("the server closed the connection before it had answered")]
    ConnectionClosed,
    #[error("the server's answer is longer than {limit} bytes")]
    TooLong {
        /// Allowed length in bytes.
        limit: usize,
    },
    /// The answer is not HTTP or not JSON.
    #[error("what answers on port {PORT} is not a UiAutomator2 server: {why}")]
    NotTheServer { why: String },
    #[error("the server did not answer within {}", RoundedDuration(*.limit))]
    AnswerTimeout { limit: Duration },
    #[error("the server says {error}: {message}")]
    ServerError {
        /// WebDriver's error code, such as `invalid session id`.
        error: String,
        /// First line of its message, shortened.
        message: String,
    },
    /// Another client uses the automation slot or the server.
    #[error("{holder} uses the server; end that first")]
    InUse { holder: String },
    /// The instrumentation did not start, or ended.
    #[error("the server {what}{}", because(.output))]
    Ended {
        /// `did not start` or `ended`.
        what: &'static str,
        /// Advice, or the line of `am instrument` that tells the failure; may be empty.
        output: String,
    },
    #[error("the server did not answer within {} after its start", RoundedDuration(*.limit))]
    StartTimeout { limit: Duration },
    /// The APKs were not found, or the device refuses them.
    #[error("{0}")]
    NotInstalled(String),
    #[error(transparent)]
    Screen(#[from] ScreenError),
    #[error(transparent)]
    Device(#[from] DeviceError),
}

#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub(super) struct RequestError {
    #[source]
    pub(super) error: Uia2Error,
    /// Set if a byte of the request may have reached the server, so that its effect is unknown.
    pub(super) sent: bool,
}

/// Returns a message after a colon; empty for an empty one.
fn because(message: &str) -> String {
    if message.is_empty() {
        String::new()
    } else {
        format!(": {message}")
    }
}
