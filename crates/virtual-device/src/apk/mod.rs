//! APKs: packages of Android, of which this device reads the manifest and runs no code.

mod axml;
mod link;
mod manifest;
mod resources;
#[cfg(test)]
pub(crate) mod tests;

use std::io::{Read, Seek};

pub use link::{ApkLink, ApkPath};
pub use manifest::{ApkManifest, ApkService, Instrumentation};

use self::manifest::ManifestError;

/// Largest manifest that is read, in bytes.
const MAX_MANIFEST: u64 = 4 * 1024 * 1024;

/// Largest resource table that is read, in bytes; those of large apps have 10 MB.
const MAX_RESOURCES: u64 = 64 * 1024 * 1024;

/// Why a file is not an APK. The texts are Android's, without the path.
#[derive(Debug, thiserror::Error)]
pub enum ApkError {
    /// No zip archive.
    #[error("Failed to load asset path")]
    NotApk,
    /// No manifest, or one that does not read.
    #[error("{0}")]
    Manifest(String),
    /// Its package has no name.
    #[error("{0}")]
    Package(String),
}

impl ApkError {
    /// Android's name of the failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotApk => "INSTALL_PARSE_FAILED_NOT_APK",
            Self::Manifest(_) => "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION",
            Self::Package(_) => "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED",
        }
    }
}

impl ApkManifest {
    /// Reads the manifest of an APK.
    ///
    /// # Errors
    /// [`ApkError`], in Android's words.
    pub fn of_apk(file: impl Read + Seek) -> Result<Self, ApkError> {
        read(file)
    }
}

/// Reads the manifest of an APK.
pub(crate) fn read(file: impl Read + Seek) -> Result<ApkManifest, ApkError> {
    let mut archive = zip::ZipArchive::new(file).map_err(|_| ApkError::NotApk)?;
    let entry = archive
        .by_name("AndroidManifest.xml")
        .map_err(|_| ApkError::Manifest("AndroidManifest.xml".to_owned()))?;
    let mut bytes = Vec::new();
    // What the entry says of its size is not trusted.
    let read = entry.take(MAX_MANIFEST + 1).read_to_end(&mut bytes);
    if read.is_err() || bytes.len() as u64 > MAX_MANIFEST {
        return Err(ApkError::Manifest("Corrupt XML binary file".to_owned()));
    }
    let text = |id| resource_text(&mut archive, id);
    ApkManifest::read(&bytes, text).map_err(|error| match error {
        ManifestError::Corrupt(_) => ApkError::Manifest(error.to_string()),
        ManifestError::Package(_) => ApkError::Package(error.to_string()),
    })
}

/// Returns a text of the APK's resource table.
fn resource_text(archive: &mut zip::ZipArchive<impl Read + Seek>, id: u32) -> Option<String> {
    let entry = archive.by_name("resources.arsc").ok()?;
    let mut table = Vec::new();
    entry
        .take(MAX_RESOURCES + 1)
        .read_to_end(&mut table)
        .ok()
        .filter(|read| *read as u64 <= MAX_RESOURCES)?;
    resources::text(&table, id)
}

/// Whether bytes are a manifest; for fuzzing.
pub(crate) fn is_manifest(bytes: &[u8]) -> bool {
    ApkManifest::read(bytes, |_| None).is_ok()
}
