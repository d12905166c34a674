//! Folder of the parts: its files, and whether they are all there.

use camino::{Utf8Path, Utf8PathBuf};

use super::stamp::{FileCheck, Stamp};
use super::state::PartsState;
use super::{Part, PartsError, outer_jar};

/// Folder of the parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    folder: Utf8PathBuf,
    list: &'static [Part],
}

impl Parts {
    /// Returns the set of pinned parts in `folder`, which need not exist. Touches no file.
    pub fn at(folder: impl Into<Utf8PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            list: Part::all(),
        }
    }

    /// Creates a set of other parts than the pinned ones.
    #[cfg(test)]
    pub(crate) fn listed(folder: &Utf8Path, list: &'static [Part]) -> Self {
        Self {
            folder: folder.to_owned(),
            list,
        }
    }

    pub fn list(&self) -> &'static [Part] {
        self.list
    }

    /// Returns the bytes of all parts as they are installed.
    pub fn total(&self) -> u64 {
        self.list.iter().map(|part| part.size).sum()
    }

    /// Returns Android's framework, instrumented by Robolectric's authors, by its artifact's name. It is the
    /// largest part. `None` if it is not among the parts.
    pub(super) fn android(&self) -> Option<&'static Part> {
        let mut parts = self.list.iter();
        parts.find(|part| part.artifact == "android-all-instrumented")
    }

    pub fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// Returns the folder of the jars, which Robolectric uses as its folder of dependencies.
    pub fn jars(&self) -> Utf8PathBuf {
        self.folder.join("jars")
    }

    /// Returns the folder `name` for data generated from the parts and from apps. It can be deleted at any
    /// time.
    pub fn cache(&self, name: &str) -> Utf8PathBuf {
        self.folder.join("cache").join(name)
    }

    /// Returns the path of a part's file, which need not exist.
    pub fn file(&self, part: &Part) -> Utf8PathBuf {
        self.jars().join(part.file)
    }

    /// Returns the class path of an app's process behind the host and the app: first the jar with those few
    /// classes of Android's framework that Robolectric's outer half names, then all parts but the framework,
    /// which Robolectric loads itself. The files need not exist.
    pub fn class_path(&self) -> Vec<Utf8PathBuf> {
        let others = self
            .list
            .iter()
            .filter(|part| Some(*part) != self.android());
        let mut paths = vec![self.outer_jar()];
        paths.extend(others.map(|part| self.file(part)));
        paths
    }

    /// Returns the class path for compiling the host: first the classes with restored constants, then all
    /// parts.
    pub fn compile_path(&self) -> Vec<Utf8PathBuf> {
        let all = self.list.iter().map(|part| self.file(part));
        std::iter::once(self.outer_jar()).chain(all).collect()
    }

    /// Returns the path of the jar of Android's own classes, which need not exist. Empty if it is not among
    /// the parts.
    pub fn framework(&self) -> Utf8PathBuf {
        self.android()
            .map(|part| self.file(part))
            .unwrap_or_default()
    }

    /// Returns the path of the jar that [`outer_jar`] builds, which need not exist.
    pub(super) fn outer_jar(&self) -> Utf8PathBuf {
        self.folder.join("jars-made").join(outer_jar::NAME)
    }

    /// Determines the state of the parts. Files that were checked before and have not changed since are not read
    /// again. Any wrong file makes it `Damaged`, even if others are missing. If only the jar that is built from
    /// them is missing, it is `Partial` without files.
    pub fn state(&self) -> PartsState {
        let stamp = Stamp::read(&self.folder);
        let (mut missing, mut wrong) = (Vec::new(), Vec::new());
        for part in self.list {
            match stamp.check(part, &self.file(part)) {
                FileCheck::Right => {}
                FileCheck::Missing => missing.push(part),
                FileCheck::Wrong => wrong.push(part.file),
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

    /// Checks that all parts are installed. If only the jar that is built from them is missing, it is built
    /// now.
    ///
    /// # Errors
    ///
    /// [`PartsError::NotInstalled`], with advice; or the jar cannot be built.
    pub fn require(&self) -> Result<(), PartsError> {
        match self.state() {
            PartsState::Complete => Ok(()),
            // All fetched files exist; the generated jar is built again, as after an update of this program.
            PartsState::Partial { files, .. } if files.is_empty() => {
                outer_jar::make(&self.framework(), &self.outer_jar()).map_err(|source| {
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
