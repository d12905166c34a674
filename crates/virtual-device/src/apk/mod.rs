//! Reader of APKs. The manifest and the texts of the resource table are read; no code is run here.

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

/// Largest manifest that is read, in bytes. Chosen: far above any app's manifest.
const MAX_MANIFEST_BYTES: u64 = 4 * 1024 * 1024;

/// Largest resource table that is read, in bytes. Those of large apps have 10 MB.
const MAX_TABLE_BYTES: u64 = 64 * 1024 * 1024;

/// Reason why a file is not an APK. The texts are Android's, without the path.
#[derive(Debug, thiserror::Error)]
pub enum ApkError {
    /// The file is no zip archive.
    #[error("Failed to load asset path")]
    NotApk,
    /// No manifest, or a malformed one.
    #[error("{0}")]
    Manifest(String),
    /// The package has no valid name.
    #[error("{0}")]
    Package(String),
}

impl ApkError {
    /// Returns Android's code for the failure, as `pm install` prints it.
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
    pub fn from_apk(file: impl Read + Seek) -> Result<Self, ApkError> {
        read(file)
    }
}

/// Reads the manifest of an APK, with its label looked up in the resources. Signatures are not checked. Fails if
/// it is no zip file, or the manifest is missing, too large, damaged or has no proper package.
pub(crate) fn read(file: impl Read + Seek) -> Result<ApkManifest, ApkError> {
    let mut archive = zip::ZipArchive::new(file).map_err(|_| ApkError::NotApk)?;
    let entry = archive
        .by_name("AndroidManifest.xml")
        .map_err(|_| ApkError::Manifest("AndroidManifest.xml".to_owned()))?;
    let mut bytes = Vec::new();
    // The size in the entry's header is not trusted.
    let read = entry.take(MAX_MANIFEST_BYTES + 1).read_to_end(&mut bytes);
    if read.is_err() || bytes.len() as u64 > MAX_MANIFEST_BYTES {
        return Err(ApkError::Manifest("Corrupt XML binary file".to_owned()));
    }
    let text = |id| resource_text(&mut archive, id);
    ApkManifest::read(&bytes, text).map_err(|error| match error {
        ManifestError::Corrupt(_) => ApkError::Manifest(error.to_string()),
        ManifestError::Package(_) => ApkError::Package(error.to_string()),
    })
}

/// Returns the text with a resource id, from the APK's resource table. Returns `None` if the table is missing, too
/// large or damaged, or has no such text.
fn resource_text(archive: &mut zip::ZipArchive<impl Read + Seek>, id: u32) -> Option<String> {
    let entry = archive.by_name("resources.arsc").ok()?;
    let mut table = Vec::new();
    entry
        .take(MAX_TABLE_BYTES + 1)
        .read_to_end(&mut table)
        .ok()
        .filter(|read| *read as u64 <= MAX_TABLE_BYTES)?;
    resources::text(&table, id)
}

/// Returns true if bytes parse as a manifest. Used by the fuzz target.
pub(crate) fn is_manifest(bytes: &[u8]) -> bool {
    ApkManifest::read(bytes, |_| None).is_ok()
}
