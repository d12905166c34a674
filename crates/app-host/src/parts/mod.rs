//! The parts: jars of Robolectric and of Android's framework, in a folder that all projects of a user share.

mod build_tool;
mod class_file;
mod digest;
mod error;
mod install;
mod outer;
mod pinned;
mod space;
mod stamp;

use camino::{Utf8Path, Utf8PathBuf};

pub use build_tool::BuildTool;
pub(crate) use build_tool::xml;
pub(crate) use digest::{digest_of, hex};
pub use error::PartsError;
pub use install::{Installed, Progress, Source, install, wanted};
pub use pinned::Part;

use self::stamp::Stamp;

/// The folder of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    folder: Utf8PathBuf,
    list: &'static [Part],
}

/// Which parts are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartsState {
    /// None.
    Missing,
    /// Some; these are not, with their bytes.
    Partial {
        /// Files that are not there.
        files: Vec<&'static str>,
        /// Their bytes.
        bytes: u64,
    },
    /// These are not what they should be.
    Damaged {
        /// Files that are there and wrong.
        files: Vec<&'static str>,
    },
    /// All.
    Complete,
}

impl Parts {
    /// The parts in `folder`, whether it is there or not.
    pub fn at(folder: impl Into<Utf8PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            list: Part::all(),
        }
    }

    /// Other parts than those that are pinned.
    #[cfg(test)]
    pub(crate) fn listed(folder: &Utf8Path, list: &'static [Part]) -> Self {
        Self {
            folder: folder.to_owned(),
            list,
        }
    }

    /// Which they are.
    pub fn list(&self) -> &'static [Part] {
        self.list
    }

    /// Bytes of all of them.
    pub fn total(&self) -> u64 {
        self.list.iter().map(|part| part.size).sum()
    }

    /// Android's framework, instrumented by Robolectric's authors: the largest part.
    fn android(&self) -> Option<&'static Part> {
        let mut parts = self.list.iter();
        parts.find(|part| part.artifact == "android-all-instrumented")
    }

    /// The folder.
    pub fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// The folder of the jars: what Robolectric takes for its folder of dependencies.
    pub fn jars(&self) -> Utf8PathBuf {
        self.folder.join("jars")
    }

    /// What is made from them and from apps, and can be made again: `name` below the folder.
    pub fn cache(&self, name: &str) -> Utf8PathBuf {
        self.folder.join("cache").join(name)
    }

    /// A part's file.
    pub fn file(&self, part: &Part) -> Utf8PathBuf {
        self.jars().join(part.file)
    }

    /// What an app's process has on its class path behind the host and the app: all parts but Android's framework, which
    /// Robolectric loads itself, and of that the few classes that Robolectric's outer half names.
    pub fn class_path(&self) -> Vec<Utf8PathBuf> {
        let others = self
            .list
            .iter()
            .filter(|part| Some(*part) != self.android());
        let mut paths = vec![self.outer_jar()];
        paths.extend(others.map(|part| self.file(part)));
        paths
    }

    /// What the host is compiled against: all parts, and first the classes whose constants are constants.
    pub fn compile_path(&self) -> Vec<Utf8PathBuf> {
        let all = self.list.iter().map(|part| self.file(part));
        std::iter::once(self.outer_jar()).chain(all).collect()
    }

    /// The jar of Android's own classes.
    pub fn framework(&self) -> Utf8PathBuf {
        self.android()
            .map(|part| self.file(part))
            .unwrap_or_default()
    }

    /// See [`outer`].
    fn outer_jar(&self) -> Utf8PathBuf {
        self.folder.join("jars-made").join(outer::NAME)
    }

    /// Which parts are there. A file that was checked before and has not changed since is not read again.
    pub fn state(&self) -> PartsState {
        let stamp = Stamp::read(&self.folder);
        let (mut missing, mut wrong) = (Vec::new(), Vec::new());
        for part in self.list {
            match stamp.check(part, &self.file(part)) {
                Checked::Right => {}
                Checked::Missing => missing.push(part),
                Checked::Wrong => wrong.push(part.file),
            }
        }
        if !wrong.is_empty() {
            return PartsState::Damaged { files: wrong };
        }
        if missing.len() == self.list.len() {
            return PartsState::Missing;
        }
        if missing.is_empty() && self.outer_jar().is_file() {
            return PartsState::Complete;
        }
        PartsState::Partial {
            files: missing.iter().map(|part| part.file).collect(),
            bytes: missing.iter().map(|part| part.size).sum(),
        }
    }

    /// Says what to do where not all parts are there.
    ///
    /// # Errors
    /// [`PartsError::NotInstalled`].
    pub fn require(&self) -> Result<(), PartsError> {
        match self.state() {
            PartsState::Complete => Ok(()),
            // All that is fetched is there: what is made of it is made anew, as after an update of this program.
            PartsState::Partial { files, .. } if files.is_empty() => {
                outer::make(&self.framework(), &self.outer_jar()).map_err(|source| {
                    PartsError::File {
                        path: self.outer_jar(),
                        source,
                    }
                })
            }
            state => Err(PartsError::NotInstalled {
                folder: self.folder.clone(),
                state,
            }),
        }
    }
}

impl std::fmt::Display for PartsState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("they are not there"),
            Self::Partial { files, bytes } => {
                write!(
                    f,
                    "{} of them are not there ({})",
                    files.len(),
                    megabytes(*bytes)
                )
            }
            Self::Damaged { files } => write!(f, "damaged: {}", files.join(", ")),
            Self::Complete => f.write_str("all are there"),
        }
    }
}

/// What a look at a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checked {
    Right,
    Missing,
    Wrong,
}

/// Bytes as people count them on disks.
pub fn megabytes(bytes: u64) -> String {
    match bytes {
        ..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

#[cfg(test)]
mod tests;
