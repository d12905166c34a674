//! Storage locations: the only folders of a device that the file tools may use.

/// A folder of the device by its name. It can always be read.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Largest file that is read or written there, in MiB.
    pub max_mb: u32,
}

impl StorageLocation {
    /// Largest file where the configuration says nothing, in MiB.
    pub const MAX_MB: u32 = 50;

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
            max_mb: Self::MAX_MB,
        })
        .collect()
    }
}
