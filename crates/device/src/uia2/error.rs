//! What can go wrong between this program and the server on the device.

use std::time::Duration;

use crate::DeviceError;
use runner_screen::ScreenError;
use runner_text::units::RoundedDuration;

/// An error of the server, or of the way to it.
#[derive(Debug, thiserror::Error)]
pub(super) enum Uia2Error {
    /// Nothing listens.
    #[error("nothing listens on port {} of the device", super::PORT)]
    Refused,
    /// The connection ended before the answer did.
    #[error("the server closed the connection before it had answered")]
    Cut,
    /// An answer without an end.
    #[error("the server's answer is longer than {limit} bytes")]
    TooLong {
        /// How long it may be.
        limit: usize,
    },
    /// No HTTP, or no JSON.
    #[error(
        "what answers on port {} is not a UiAutomator2 server: {why}",
        super::PORT
    )]
    Strange {
        /// What is wrong with it.
        why: String,
    },
    /// No answer in time.
    #[error("the server did not answer within {}", RoundedDuration(*.limit))]
    Silent {
        /// The limit.
        limit: Duration,
    },
    /// The server says no.
    #[error("the server says {error}: {message}")]
    ServerError {
        /// WebDriver's word for it, such as `invalid session id`.
        error: String,
        /// What it says, cut short.
        message: String,
    },
    /// The automation slot, or the server itself, is somebody else's.
    #[error("{holder} uses the server; end that first")]
    InUse {
        /// Who.
        holder: String,
    },
    /// The instrumentation did not start, or ended.
    #[error("the server {what}{}", because(.output))]
    Ended {
        /// `did not start` or `ended`.
        what: &'static str,
        /// What `am instrument` printed.
        output: String,
    },
    /// It did not answer in time after its start.
    #[error("the server did not answer within {} after its start", RoundedDuration(*.limit))]
    Slow {
        /// The limit.
        limit: Duration,
    },
    /// Its APKs are not to be found, or the device does not take them.
    #[error("{0}")]
    NotInstalled(String),
    /// What it shows does not read.
    #[error(transparent)]
    Screen(#[from] ScreenError),
    /// adb, or the device.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// A request that failed.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub(super) struct Failed {
    /// Why.
    #[source]
    pub(super) error: Uia2Error,
    /// Whether a byte of it may have reached the server.
    pub(super) sent: bool,
}

fn because(message: &str) -> String {
    if message.is_empty() {
        String::new()
    } else {
        format!(": {message}")
    }
}
