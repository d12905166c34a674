//! Storage locations: the only folders of a device that the file tools may use.

use std::time::Duration;

/// A folder of the device by its name. It can always be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct StorageLocation {
    /// Id by which tools name it.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Absolute path on the device.
    pub path: String,
    /// What it is for.
    pub description: String,
    /// Whether files in it may be written.
    pub allow_write: bool,
    /// Whether files in it may be deleted.
    pub allow_delete: bool,
    /// Whether what is downloaded into it may come unencrypted, by `http://`.
    pub allow_http: bool,
    /// Whether what is downloaded into it may come from a server whose certificate cannot be verified.
    pub allow_unverified_https: bool,
    /// Longest time for a download into it, with its redirects.
    pub download_timeout: Duration,
    /// Largest file that is read or written there, in MiB.
    pub max_mb: u32,
}

impl StorageLocation {
    /// Largest file where the configuration says nothing, in MiB.
    pub const MAX_MB: u32 = 50;
    /// Longest download where the configuration says nothing.
    pub const DOWNLOAD_TIMEOUT: Duration = Duration::from_mins(1);

    /// Locations that every device has, read-only.
    pub fn defaults() -> Vec<Self> {
        [
            (
                "sdcard",
                "Internal storage",
                "/sdcard",
                "Shared storage of the device",
            ),
            (
                "downloads",
                "Downloads",
                "/sdcard/Download",
                "Downloaded files",
            ),
            (
                "pictures",
                "Pictures",
                "/sdcard/Pictures",
                "Pictures and screenshots",
            ),
        ]
        .into_iter()
        .map(|(id, name, path, description)| Self {
            id: id.to_owned(),
            name: name.to_owned(),
            path: path.to_owned(),
            description: description.to_owned(),
            allow_write: false,
            allow_delete: false,
            allow_http: false,
            allow_unverified_https: false,
            download_timeout: Self::DOWNLOAD_TIMEOUT,
            max_mb: Self::MAX_MB,
        })
        .collect()
    }
}
