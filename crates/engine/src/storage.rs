//! Storage locations: the only folders of a device that the file tools may use.

use std::time::Duration;

/// A named folder of the device. It can always be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub struct StorageLocation {
    /// Id for tools.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Absolute path on the device.
    pub path: String,
    pub description: String,
    /// Permits writing files.
    pub allow_write: bool,
    /// Permits deleting files.
    pub allow_delete: bool,
    /// Permits downloads over `http://`.
    pub allow_http: bool,
    /// Permits downloads from servers whose certificate cannot be verified.
    pub allow_unverified_https: bool,
    /// Time limit for a download, including redirects.
    pub download_timeout: Duration,
    /// Limit for a file that is read or written, in MiB.
    pub max_mb: u32,
}

impl StorageLocation {
    /// Default of `max_mb`. Chosen: test data and documents fit; a video would fill the memory.
    pub const MAX_MB: u32 = 50;
    /// Default of `download_timeout`. Chosen: the default file limit takes less on usual connections.
    pub const DOWNLOAD_TIMEOUT: Duration = Duration::from_mins(1);

    /// Returns the locations that every device has: shared storage, downloads and pictures, in this order.
    /// They allow neither writing, deleting nor any download.
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
