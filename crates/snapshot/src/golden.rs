//! A stored golden as it was found for one render class.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use xxhash_rust::xxh3::xxh3_64;

use super::{FileKind, GoldenKey, numbered};
use runner_device::Picture;

/// Hash of a file that is not there.
pub(super) const ABSENT: &str = "none";

/// Hash of a file's bytes, 16 hex digits.
pub(super) fn hash(bytes: &[u8]) -> String {
    // It is written into files, so later versions must find the same.
    format!("{:016x}", xxh3_64(bytes))
}

/// A golden's files, the variant's where it has its own, and what they were when they were read.
#[derive(Debug, Clone)]
pub struct Golden {
    /// Key it was looked up by.
    pub key: GoldenKey,
    /// Text of the shared TSV; `None`: the golden is new.
    pub shared: Option<String>,
    /// Text of the class's TSV.
    pub rows: Option<String>,
    /// The class's picture.
    pub picture: Option<Picture>,
    /// The file of `picture`, where it is another tool's and no golden: nothing was accepted yet.
    pub baseline: Option<Utf8PathBuf>,
    /// Where the texts were found, below the root, for messages: shared, class.
    pub(super) found: [Utf8PathBuf; 2],
    /// Hash of every file that an update would write, by path below the folder of goldens.
    pub(super) against: BTreeMap<Utf8PathBuf, String>,
}

impl Golden {
    /// Whether its own shared rows are of schema 1: they are written anew with the rest.
    pub(super) fn has_numbered_rows(&self) -> bool {
        let own = self.key.shared().file(FileKind::Rows, false);
        self.found[0].ends_with(own) && self.shared.as_deref().is_some_and(numbered::is_numbered)
    }

    /// Where there is no golden yet: the same with the picture of another tool, to see beside what becomes the golden.
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
