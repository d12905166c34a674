//! Converts errors of the adb client into [`DeviceError`]s.

use runner_adb::client::ClientError;

use super::super::DeviceError;

impl From<ClientError> for DeviceError {
    /// Keeps the kind of the error. A service that nobody offers becomes [`DeviceError::Protocol`].
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::NoServer { address, cause } => Self::NoServer { address, cause },
            ClientError::NotFound { serial } => Self::NotFound { serial },
            ClientError::Ambiguous(message) => Self::Ambiguous(message),
            ClientError::Unusable {
                serial,
                state,
                advice,
            } => Self::Unusable {
                serial,
                state,
                advice,
            },
            ClientError::Lost { serial, cause } => Self::Lost { serial, cause },
            ClientError::Refused { serial, cause } => Self::Refused { serial, cause },
            ClientError::Protocol(message) | ClientError::NoService(message) => {
                Self::Protocol(message)
            }
        }
    }
}
