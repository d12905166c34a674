//! What cannot be translated at all, and what to do then.

use std::borrow::Cow;
use std::path::PathBuf;

/// Why an APK has no translation.
#[derive(Debug, thiserror::Error)]
pub enum DexError {
    /// A file cannot be read or written.
    #[error("{} could not be read or written: {source}; check the path and the permissions", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is neither an archive nor a dex file.
    #[error("{0} is neither an APK nor a dex file; give the .apk that was built")]
    NotAnApk(String),
    /// An archive has no code.
    #[error(
        "{0} holds no classes.dex; a split without code cannot be translated, give the base APK"
    )]
    NoDex(String),
    /// An archive cannot be read.
    #[error("{file} is a damaged archive: {source}; build or download it again")]
    Archive {
        /// Which archive.
        file: String,
        /// What its reader said.
        source: zip::result::ZipError,
    },
    /// A dex file breaks the rules of its format.
    #[error("{file} is damaged: {what}; build or download the APK again")]
    Damaged {
        /// Which dex file.
        file: String,
        /// What is wrong in it.
        what: String,
    },
    /// A dex file of a version that did not exist when this was written.
    #[error(
        "{file} is of dex version {version:?}, and versions 035 to 041 are known; build it with a lower minSdk"
    )]
    Version {
        /// Which dex file.
        file: String,
        /// Its version as written.
        version: String,
    },
    /// Something is larger than any app is.
    #[error("{what} is more than {limit}, which no app is; give another APK")]
    TooLarge {
        /// What is too large.
        what: String,
        /// The limit that it passes.
        limit: u64,
    },
    /// The `lib/modules` of a JDK cannot be read.
    #[error("{} is no image of modules of a JDK ({what}); name the folder of a JDK 9 or later", path.display())]
    Modules {
        /// Which file.
        path: PathBuf,
        /// What is wrong in it.
        what: String,
    },
}

/// Why one method, class or dex file cannot be translated, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flaw(pub(crate) Cow<'static, str>);

impl Flaw {
    /// A flaw whose words need no detail.
    pub(crate) const fn new(what: &'static str) -> Self {
        Self(Cow::Borrowed(what))
    }

    /// A flaw with a detail in its words.
    pub(crate) fn of(what: String) -> Self {
        Self(Cow::Owned(what))
    }
}

/// What reading or translating a part gives.
pub(crate) type Partial<T> = Result<T, Flaw>;
