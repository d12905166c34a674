//! Apps of the virtual device: folders with an `app.yaml`, and APKs.

use camino::{Utf8Path, Utf8PathBuf};

/// Apps by their kind, with absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppPaths {
    /// Folders, each with an `app.yaml`.
    pub folders: Vec<Utf8PathBuf>,
    pub apks: Vec<Utf8PathBuf>,
    /// Class path of a build, which replaces the code of the only APK.
    pub classes: Option<String>,
}

impl AppPaths {
    /// Iterates over folders, then APKs.
    pub fn files(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        self.folders.iter().chain(&self.apks)
    }

    /// Sorts paths by their extension into packages and folders, each in their order, without `classes`. Any
    /// path without the extension of a package counts as a folder; whoever opens it reports an error.
    pub(crate) fn sort(paths: impl IntoIterator<Item = Utf8PathBuf>) -> Self {
        let (apks, folders) = paths.into_iter().partition(|path| is_package(path));
        Self {
            folders,
            apks,
            classes: None,
        }
    }
}

/// Returns true if the extension is that of an Android package: an APK, or a bundle of several. Bundles are
/// refused later with a message of their own.
pub fn is_package(path: &Utf8Path) -> bool {
    const PACKAGES: [&str; 5] = ["apk", "aab", "apks", "apkm", "xapk"];
    path.extension()
        .is_some_and(|extension| PACKAGES.contains(&extension.to_ascii_lowercase().as_str()))
}
