//! Errors of a translation. Messages say what to do next.

use std::borrow::Cow;
use std::path::PathBuf;

/// Reason why an APK has no translation.
#[derive(Debug, thiserror::Error)]
pub enum DexError {
    #[error("{} could not be read or written: {source}; check the path and the permissions", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    /// The file is neither an archive nor a dex file.
    #[error("{0} is neither an APK nor a dex file; give the .apk that was built")]
    NotAnApk(String),
    /// The archive has no code.
    #[error(
        "{0} holds no classes.dex; a split without code cannot be translated, give the base APK"
    )]
    NoDex(String),
    /// The archive cannot be read.
    #[error("{file} is a damaged archive: {source}; build or download it again")]
    Archive {
        /// Path of the archive.
        file: String,
        source: zip::result::ZipError,
    },
    /// A dex file is malformed.
    #[error("{file} is damaged: {what}; build or download the APK again")]
    Damaged {
        /// Name of the dex file.
        file: String,
        /// Description of the error.
        what: String,
    },
    /// The dex file's version is newer than the known ones.
    #[error(
        "{file} is of dex version {version:?}, and versions 035 to 041 are known; build it with a lower minSdk"
    )]
    Version {
        /// Name of the dex file.
        file: String,
        /// Its version as written.
        version: String,
    },
    /// A part exceeds a limit that no real app reaches.
    #[error("{what} is more than {limit}, which no app is; give another APK")]
    TooLarge {
        /// Name of the part.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// The `lib/modules` of a JDK cannot be read.
    #[error("{} is no image of modules of a JDK ({what}); name the folder of a JDK 9 or later", path.display())]
    Modules {
        path: PathBuf,
        /// Description of the error.
        what: String,
    },
}

/// Reason why one method, class or dex file cannot be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flaw(pub(crate) Cow<'static, str>);

impl Flaw {
    /// Returns a flaw with a fixed text.
    pub(crate) const fn new(what: &'static str) -> Self {
        Self(Cow::Borrowed(what))
    }

    /// Returns a flaw with details in its text.
    pub(crate) fn with_detail(what: String) -> Self {
        Self(Cow::Owned(what))
    }
}

/// Result of reading or translating a part.
pub(crate) type Partial<T> = Result<T, Flaw>;
