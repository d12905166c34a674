//! What can go wrong on the way to a device.

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
}
