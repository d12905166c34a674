//! Errors of the storage, as Android has them.

use std::io;

/// Error of the storage, in the words of Android's C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StorageError {
    #[error("No such file or directory")]
    Missing,
    #[error("Is a directory")]
    IsFolder,
    #[error("Not a directory")]
    NotFolder,
    #[error("Permission denied")]
    Denied,
    #[error("Read-only file system")]
    ReadOnly,
    #[error("No space left on device")]
    Full,
    #[error("File exists")]
    Exists,
    #[error("Directory not empty")]
    NotEmpty,
    #[error("File name too long")]
    TooLong,
    #[error("I/O error")]
    Io,
}

impl StorageError {
    /// Returns Linux's error number, which the file service sends.
    pub(crate) fn errno(self) -> u32 {
        match self {
            Self::Missing => 2,
            Self::Io => 5,
            Self::Denied => 13,
            Self::Exists => 17,
            Self::NotFolder => 20,
            Self::IsFolder => 21,
            Self::Full => 28,
            Self::ReadOnly => 30,
            Self::TooLong => 36,
            Self::NotEmpty => 39,
        }
    }
}

impl From<io::Error> for StorageError {
    /// Converts an error of this computer's files; one of an unknown kind becomes `Io`.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::Denied,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::IsADirectory => Self::IsFolder,
            io::ErrorKind::NotADirectory => Self::NotFolder,
            io::ErrorKind::DirectoryNotEmpty => Self::NotEmpty,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::InvalidFilename => Self::TooLong,
            _ => Self::Io,
        }
    }
}
