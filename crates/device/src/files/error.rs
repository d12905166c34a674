//! Reasons why a file of the device is not read or written.

use crate::DeviceError;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path leaves its location, or is not a valid path.
    #[error(
        "the path '{path}' leaves its storage location; write it relative to the location, without `..`"
    )]
    Outside { path: String },
    #[error("'{path}' does not exist")]
    NotFound { path: String },
    /// The path is a folder, and a file is needed.
    #[error("'{path}' is a folder")]
    IsFolder { path: String },
    /// The path is a file, and a folder is needed.
    #[error("'{path}' is not a folder")]
    NotFolder { path: String },
    /// The file is larger than the caller allows.
    #[error("'{path}' has {size} bytes, more than the {limit} allowed")]
    TooLarge {
        path: String,
        /// Size in bytes.
        size: u64,
        /// Limit in bytes.
        limit: u64,
    },
    /// The file system below the location cannot append.
    #[error("'{path}' cannot be appended to")]
    NoAppend { path: String },
    #[error(transparent)]
    Device(#[from] DeviceError),
}
