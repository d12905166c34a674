//! Detects changes in a set of files by names, sizes and times alone.

use std::time::UNIX_EPOCH;

use camino::Utf8Path;
use xxhash_rust::xxh3::Xxh3;

/// Hash over files.
#[derive(Default)]
pub(super) struct Stamp(Xxh3);

impl Stamp {
    /// Adds a file, whether it exists or not.
    pub fn file(&mut self, path: &Utf8Path) {
        self.entry(path, std::fs::metadata(path).ok());
    }

    /// Adds path, size and time of all files below a folder, at any depth, in the order of their names. Links count
    /// themselves and are not followed. Files and folders that cannot be read are left out; so is a folder that does
    /// not exist. Contents are not read.
    pub fn folder(&mut self, folder: &Utf8Path) {
        let files = walkdir::WalkDir::new(folder)
            .sort_by_file_name()
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| !entry.file_type().is_dir());
        for entry in files {
            if let Some(path) = Utf8Path::from_path(entry.path()) {
                self.entry(path, entry.metadata().ok());
            }
        }
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.0.update(text.as_bytes());
        // A separator, so that "ab", "c" and "a", "bc" differ.
        self.0.update(&[0]);
    }

    /// Adds path, size and time of change to the hash. Without metadata only the path counts; a time before 1970
    /// counts as none.
    fn entry(&mut self, path: &Utf8Path, metadata: Option<std::fs::Metadata>) {
        self.text(path.as_str());
        let Some(metadata) = metadata else { return };
        self.0.update(&metadata.len().to_le_bytes());
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        if let Some(since) = since {
            self.0.update(&since.as_nanos().to_le_bytes());
        }
    }

    /// Returns the hash.
    pub fn finish(self) -> u64 {
        self.0.digest()
    }
}
