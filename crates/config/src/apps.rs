//! The apps of the virtual device: folders of described apps, and APKs whose own code runs.

use camino::{Utf8Path, Utf8PathBuf};

/// Apps by what they are, absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppPaths {
    /// Folders, each with an `app.yaml`.
    pub folders: Vec<Utf8PathBuf>,
    /// APKs.
    pub apks: Vec<Utf8PathBuf>,
    /// A build's class path that stands for the code of the one APK.
    pub classes: Option<String>,
}

impl AppPaths {
    /// All of them.
    pub fn files(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        self.folders.iter().chain(&self.apks)
    }

    /// Sorts paths by what they name. What is no APK by its name is a folder, and says itself what is wrong with it.
    pub(crate) fn sort(paths: impl IntoIterator<Item = Utf8PathBuf>) -> Self {
        let (apks, folders) = paths.into_iter().partition(|path| is_package(path));
        Self {
            folders,
            apks,
            classes: None,
        }
    }
}

/// Whether a path names a package of Android: an APK, or a bundle of several, which is refused with a word of its own later.
pub fn is_package(path: &Utf8Path) -> bool {
    const PACKAGES: [&str; 5] = ["apk", "aab", "apks", "apkm", "xapk"];
    path.extension()
        .is_some_and(|extension| PACKAGES.contains(&extension.to_ascii_lowercase().as_str()))
}
