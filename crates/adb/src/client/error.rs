//! What can go wrong on the way to a device.

use std::time::Duration;

use crate::auth::KeyError;

/// An error of the way to a device.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nothing answers where the adb server should be.
    #[error("no adb server at {address}: {cause}")]
    NoServer {
        /// Host and port.
        address: String,
        /// The system's words.
        cause: String,
    },
    /// The server has no such device.
    #[error("device '{serial}' is not connected")]
    NotFound {
        /// The wanted serial.
        serial: String,
    },
    /// The server has several devices, and none was named.
    #[error("{0}")]
    Ambiguous(String),
    /// The device is there but cannot be used: `offline`, `unauthorized`, `no permissions`.
    #[error("device '{serial}' is {state}: {advice}")]
    Unusable {
        /// Its serial.
        serial: String,
        /// What adb says.
        state: String,
        /// What to do.
        advice: String,
    },
    /// The connection ended, or there was none.
    #[error("device '{serial}' was lost: {cause}")]
    Lost {
        /// Its serial.
        serial: String,
        /// What was seen.
        cause: String,
    },
    /// The peer broke the protocol.
    #[error("adb protocol: {0}")]
    Protocol(String),
    /// The device takes no stream to this service: it does not know it, or nothing listens there.
    #[error("adb protocol: {0}")]
    NoService(String),
    /// The device does not let this computer in.
    #[error("device '{serial}' is {}: {cause}", .cause.state())]
    Refused {
        /// Its serial.
        serial: String,
        /// Why, and what to do.
        cause: Refusal,
    },
}

/// Why a device does not let this computer in. The text says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Refusal {
    /// Its owner was asked and did not answer in time.
    #[error(
        "nobody allowed this computer on it within {limit:?}; unlock its screen, connect again and allow USB debugging; if no question comes, revoke the authorizations in its developer options{}",
        to_message(.problems)
    )]
    NotAllowed {
        /// How long was waited.
        limit: Duration,
        /// Keys that could not be tried.
        problems: Vec<KeyError>,
    },
    /// It takes no key of this computer, and asks nobody.
    #[error(
        "it takes none of this computer's keys and does not ask its owner; revoke the authorizations in its developer options and connect again, or name a key that it knows in ADB_VENDOR_KEYS"
    )]
    KeyRefused,
    /// This computer has no key.
    #[error("it asks for a key, and {0}")]
    NoKey(KeyError),
    /// It was not paired with this computer.
    #[error(
        "it was not paired with this computer; open \"Pair device with pairing code\" in its wireless debugging settings, run `adb pair HOST:PORT` with what it shows, and connect again"
    )]
    NotPaired,
    /// There is no secure connection.
    #[error(
        "it wants TLS, which failed ({0}); turn its wireless debugging off and on, and look whether it lists this computer as paired (`adb pair` pairs them)"
    )]
    Tls(String),
}

impl Refusal {
    /// What the device is, in a word or two.
    pub fn state(&self) -> &'static str {
        match self {
            Self::NotAllowed { .. } | Self::KeyRefused | Self::NoKey(_) => "unauthorized",
            Self::NotPaired => "not paired",
            Self::Tls(_) => "not secure",
        }
    }
}

fn to_message(problems: &[KeyError]) -> String {
    problems
        .iter()
        .map(|problem| format!(" ({problem})"))
        .collect()
}
