//! Errors of connecting to a device.

use std::time::Duration;

use crate::auth::KeyError;

/// Error of connecting to a device, or of a connection.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No adb server listens at the address, or its connection ended.
    #[error("no adb server at {address}: {cause}")]
    NoServer {
        /// Host and port.
        address: String,
        cause: String,
    },
    #[error("device '{serial}' is not connected")]
    NotFound { serial: String },
    #[error("{0}")]
    Ambiguous(String),
    /// The server lists the device as `offline`, `unauthorized`, `no permissions` or the like.
    #[error("device '{serial}' is {state}: {advice}")]
    Unusable {
        serial: String,
        /// State in adb's words.
        state: String,
        /// Instruction for the person.
        advice: String,
    },
    /// The connection ended or could not be made.
    #[error("device '{serial}' was lost: {cause}")]
    Lost { serial: String, cause: String },
    /// The peer broke the protocol.
    #[error("adb protocol: {0}")]
    Protocol(String),
    /// The device refuses the service: it does not know it, or nothing listens there.
    #[error("adb protocol: {0}")]
    NoService(String),
    #[error("device '{serial}' is {}: {cause}", .cause.state())]
    Refused { serial: String, cause: Refusal },
}

/// Reason that a device does not admit this computer. The text says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Refusal {
    /// The device's owner was asked and did not answer in time.
    #[error(
        "nobody allowed this computer on it within {limit:?}; unlock its screen, connect again and allow USB debugging; if no question comes, revoke the authorizations in its developer options{}",
        to_message(.problems)
    )]
    NotAllowed {
        limit: Duration,
        /// Errors of keys that could not be tried.
        problems: Vec<KeyError>,
    },
    /// The device accepts none of this computer's keys and does not ask its owner.
    #[error(
        "it takes none of this computer's keys and does not ask its owner; revoke the authorizations in its developer options and connect again, or name a key that it knows in ADB_VENDOR_KEYS"
    )]
    KeyRefused,
    /// No key of this computer could be read or made.
    #[error("it asks for a key, and {0}")]
    NoKey(KeyError),
    /// The device wants TLS and does not know this computer's certificate.
    #[error(
        "it was not paired with this computer; open \"Pair device with pairing code\" in its wireless debugging settings, run `adb pair HOST:PORT` with what it shows, and connect again"
    )]
    NotPaired,
    /// The device wants TLS, which failed for another reason.
    #[error(
        "it wants TLS, which failed ({0}); turn its wireless debugging off and on, and look whether it lists this computer as paired (`adb pair` pairs them)"
    )]
    Tls(String),
}

impl Refusal {
    /// Returns a short name of the state for messages: `unauthorized`, `not paired` or `not secure`.
    pub fn state(&self) -> &'static str {
        match self {
            Self::NotAllowed { .. } | Self::KeyRefused | Self::NoKey(_) => "unauthorized",
            Self::NotPaired => "not paired",
            Self::Tls(_) => "not secure",
        }
    }
}

/// Joins problems for a message, each in parentheses after a space. Empty without any.
fn to_message(problems: &[KeyError]) -> String {
    problems
        .iter()
        .map(|problem| format!(" ({problem})"))
        .collect()
}
