//! A stored golden as loaded for one render class.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use xxhash_rust::xxh3::xxh3_64;

use super::{FileKind, GoldenKey, numbered_rows};
use runner_device::Picture;

/// Hash that stands for a file that does not exist.
pub(super) const ABSENT: &str = "none";

/// Returns the hash of a file's bytes, 16 hex digits.
pub(super) fn hash(bytes: &[u8]) -> String {
    // The hash is written into files, so later versions must compute the same.
    format!("{:016x}", xxh3_64(bytes))
}

/// Files of a golden, a variant's own where it has them, and their hashes when they were read.
#[derive(Debug, Clone)]
pub struct Golden {
    /// Key by which it was looked up.
    pub key: GoldenKey,
    /// Text of the shared TSV; `None` if there is no golden yet.
    pub shared: Option<String>,
    /// Text of the class's TSV.
    pub rows: Option<String>,
    /// Picture of the class.
    pub picture: Option<Picture>,
    /// File of `picture` if it is another tool's picture instead of an accepted golden.
    pub baseline: Option<Utf8PathBuf>,
    /// Paths of the shared and the class's text, below the root, for messages.
    pub(super) found: [Utf8PathBuf; 2],
    /// Files that it consists of: path below the root and hash. A variant may have those of the devices
    /// without one; the key is the path of its own, below the folder of goldens.
    pub(super) compared: BTreeMap<Utf8PathBuf, (Utf8PathBuf, String)>,
    /// Hash of every file that an update would write, by path below the folder of goldens.
    pub(super) against: BTreeMap<Utf8PathBuf, String>,
}

impl Golden {
    /// Returns true if its own shared rows are of schema 1; then they are rewritten with any other file of the golden.
    /// Returns false without shared rows, and if a variant uses those of the golden without variant.
    pub(super) fn has_numbered_rows(&self) -> bool {
        let own = self.key.shared().file(FileKind::Rows, false);
        self.found[0].ends_with(own)
            && self
                .shared
                .as_deref()
                .is_some_and(numbered_rows::is_numbered)
    }

    /// Returns true if files of the class are there, its rows or its picture.
    pub(super) fn has_class_files(&self) -> bool {
        self.rows.is_some() || self.picture.is_some() && self.baseline.is_none()
    }

    /// Adds the picture of another tool for comparison, if the golden has neither shared rows nor a picture;
    /// otherwise it changes nothing. `path` is named in errors.
    #[must_use]
    pub fn with_baseline(self, path: Utf8PathBuf, picture: Picture) -> Self {
        if self.shared.is_some() || self.picture.is_some() {
            return self;
        }
        Self {
            picture: Some(picture),
            baseline: Some(path),
            ..self
        }
    }
}
