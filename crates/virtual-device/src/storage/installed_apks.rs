//! APKs of installed packages among the device's files, each in a folder with a new name.

use std::collections::BTreeMap;
use std::io;
use std::sync::{MutexGuard, PoisonError};

use fs_err as fs;

use super::{Result, Storage, StorageError};

/// An APK that is being installed. Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct NewApk(tempfile::NamedTempFile);

impl NewApk {
    /// Returns the path on the device that errors name. The file is not moved there.
    pub(crate) fn path(&self) -> String {
        let name = self.0.path().file_name().unwrap_or_default();
        format!("/data/app/{}/base.apk", name.to_string_lossy())
    }

    pub(crate) fn file(&mut self) -> &mut std::fs::File {
        self.0.as_file_mut()
    }

    /// Returns another handle of the file.
    pub(crate) fn handle(&self) -> io::Result<std::fs::File> {
        self.0.as_file().try_clone()
    }

    /// Returns the file, rewound to its start.
    pub(crate) fn rewind(&mut self) -> io::Result<&mut std::fs::File> {
        let file = self.0.as_file_mut();
        io::Seek::rewind(file)?;
        Ok(file)
    }
}

impl Storage {
    /// Makes a temporary file for an APK that is being installed. Fails if the storage is full.
    pub(crate) fn begin_apk(&self) -> Result<NewApk> {
        self.check_space()?;
        let file = tempfile::Builder::new()
            .prefix("vmdl")
            .suffix(".tmp")
            .tempfile_in(self.host("/data/app")?)?;
        Ok(NewApk(file))
    }

    /// Moves a complete APK to its final place, which has a new name each time. Then removes the package's
    /// former APK. An APK that cannot be moved leaves the former one and its path as they were, as on Android.
    pub(crate) fn store_apk(&self, apk: NewApk, package: &str) -> Result<()> {
        let mut installs = self.installs();
        let former = installs.get(package).copied().unwrap_or_default();
        let host = self.host(&apk_place(package, former + 1))?;
        fs::create_dir_all(host.parent().ok_or(StorageError::Missing)?)?;
        apk.0
            .persist(host)
            .map_err(|error| StorageError::from(error.error))?;
        installs.insert(package.to_owned(), former + 1);
        self.remove_with_folder(&apk_place(package, former));
        Ok(())
    }

    /// Counts an installation without an APK, and removes the package's former APK. Each gets another folder,
    /// as on Android.
    pub(crate) fn count_install(&self, package: &str) {
        self.remove_apk(package);
        *self.installs().entry(package.to_owned()).or_default() += 1;
    }

    /// Returns the device path of a package's APK, which need not exist.
    pub(crate) fn apk_path(&self, package: &str) -> String {
        let number = self.installs().get(package).copied().unwrap_or_default();
        apk_place(package, number)
    }

    fn installs(&self) -> MutexGuard<'_, BTreeMap<String, u32>> {
        self.installs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a package's APK with its folder, if it has one. Errors are ignored.
    pub(crate) fn remove_apk(&self, package: &str) {
        self.remove_with_folder(&self.apk_path(package));
    }

    /// Removes the folder of an APK with all in it. Failures are ignored.
    fn remove_with_folder(&self, apk: &str) {
        if let Ok(host) = self.host(apk)
            && let Some(folder) = host.parent()
        {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Returns the device path of a package's APK after so many installations.
fn apk_place(package: &str, number: u32) -> String {
    format!("/data/app/~~runner{number}==/{package}-1/base.apk")
}
