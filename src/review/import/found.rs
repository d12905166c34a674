//! What was found among artifacts, and the limits that hold for it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use camino::{Utf8Path, Utf8PathBuf};

use crate::run::PROPOSED_GOLDENS;
use crate::snapshot::GoldenKey;

/// Largest file that is taken, in bytes.
pub(super) const MAX_FILE: u64 = 64 * 1024 * 1024;
/// Most bytes that are taken out of one archive.
pub(super) const MAX_TOTAL: u64 = 1024 * 1024 * 1024;
/// Most files in an archive or a folder.
pub(super) const MAX_ENTRIES: usize = 200_000;
/// How much larger than in the archive a file may be. Pictures are packed already, and tables are small.
const MAX_RATIO: u64 = 200;
/// Files up to this size may be packed as tightly as can be, in bytes.
const SMALL: u64 = 1024 * 1024;

/// One proposed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposed {
    /// As the archive calls it.
    pub name: String,
    /// Below the folder of goldens.
    pub path: Utf8PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What a name in an archive stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// Another artifact.
    Other,
    /// A name that no honest archive has, and why.
    Hostile(&'static str),
    /// A file below the proposals of a device.
    Proposed {
        /// The device's folder.
        device: String,
        /// Below the folder of goldens.
        path: Utf8PathBuf,
    },
}

/// What a name stands for.
pub(super) fn name(name: &str) -> Name {
    if name.contains('\\') {
        return Name::Hostile("a backslash in a name");
    }
    if name.starts_with('/') {
        return Name::Hostile("an absolute path");
    }
    if name.contains(['\0', ':']) {
        return Name::Hostile("a colon or a null byte in a name");
    }
    let parts: Vec<&str> = name.split('/').collect();
    if parts.contains(&"..") {
        return Name::Hostile("a path that leads out of its folder");
    }
    let below = parts.iter().position(|part| *part == PROPOSED_GOLDENS);
    match below.map(|at| &parts[at + 1..]) {
        Some([device, path @ ..]) if !path.is_empty() && path.last() != Some(&"") => {
            Name::Proposed {
                device: (*device).to_owned(),
                path: path.iter().collect(),
            }
        }
        _ => Name::Other,
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// By device and path in small letters.
    files: BTreeMap<(String, String), Proposed>,
    refused: Vec<(String, String)>,
    /// Goldens of which a file was refused.
    broken: BTreeSet<(String, GoldenKey)>,
    total: u64,
}

/// Too much for one archive: nothing of it is taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Found {
    /// Leaves something out, and with it the golden it is a file of.
    pub fn refuse(&mut self, given: &str, why: impl Into<String>) {
        if let Name::Proposed { device, path } = name(given)
            && let Some((key, ..)) = GoldenKey::of_file(&path)
        {
            self.broken.insert((device, key.shared()));
        }
        self.refused.push((given.to_owned(), why.into()));
    }

    /// Takes a file that stands for `path`. `packed` is its size in the archive, where it was packed.
    pub fn take(
        &mut self,
        given: &str,
        (device, path): (String, &Utf8Path),
        packed: Option<u64>,
        content: impl Read,
    ) -> Result<(), TooLarge> {
        if !GoldenKey::of_file(path).is_some_and(|(.., is_pending)| is_pending) {
            self.refuse(given, "it is no pending golden");
            return Ok(());
        }
        let limit = packed.map_or(MAX_FILE, |packed| {
            MAX_FILE.min(packed.saturating_mul(MAX_RATIO).max(SMALL))
        });
        // What a header says of sizes is not believed: it is counted while it is unpacked.
        let mut bytes = Vec::new();
        if let Err(error) = content.take(limit + 1).read_to_end(&mut bytes) {
            self.refuse(given, format!("it cannot be unpacked: {error}"));
            return Ok(());
        }
        let size = bytes.len() as u64;
        self.total += size;
        if self.total > MAX_TOTAL {
            return Err(TooLarge);
        }
        if size > limit {
            self.refuse(given, format!("it unpacks to more than {limit} bytes"));
            return Ok(());
        }
        let proposed = Proposed {
            name: given.to_owned(),
            path: path.to_owned(),
            bytes,
        };
        let place = (device, path.as_str().to_lowercase());
        if let Some(earlier) = self.files.insert(place, proposed) {
            let why =
                "another file has the same name, but for capital letters or the folder it lies in";
            self.refuse(&earlier.name, why);
            self.refuse(given, why);
        }
        Ok(())
    }

    /// The files of each golden of each device, without those of which one was refused.
    pub fn groups(self) -> (Vec<Vec<Proposed>>, Vec<(String, String)>) {
        let mut groups: BTreeMap<(String, GoldenKey), Vec<Proposed>> = BTreeMap::new();
        let mut refused = self.refused;
        for ((device, _), file) in self.files {
            let Some((key, ..)) = GoldenKey::of_file(&file.path) else {
                continue;
            };
            let group = (device, key.shared());
            if self.broken.contains(&group) {
                if refused.iter().all(|(name, _)| *name != file.name) {
                    let why = "another file of the same golden was refused";
                    refused.push((file.name, why.to_owned()));
                }
                continue;
            }
            groups.entry(group).or_default().push(file);
        }
        (groups.into_values().collect(), refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_files_unpack_to_is_bounded() {
        let path = Utf8Path::new("a/home.new.tsv");
        let take = |found: &mut Found, bytes: &[u8]| {
            let given = "proposed-goldens/d/a/home.new.tsv";
            found.take(given, ("d".to_owned(), path), Some(1), bytes)
        };
        let mut found = Found {
            total: MAX_TOTAL - 5,
            ..Found::default()
        };
        assert_eq!(take(&mut found, b"12345"), Ok(()));
        assert_eq!(take(&mut found, b"1"), Err(TooLarge));
    }
}
