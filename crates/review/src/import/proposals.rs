//! Collects the proposals among artifacts, within limits. Files are listed first and read golden by golden,
//! so that at most one golden is in memory.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;

use camino::{Utf8Path, Utf8PathBuf};

use runner_run::PROPOSED_GOLDENS;
use runner_snapshot::{GoldenKey, SnapshotError};

const MIB: u64 = 1024 * 1024;
/// Bytes of the largest picture. Chosen: a raw screenshot of a tablet fits.
const MAX_PICTURE: u64 = 64 * MIB;
/// Bytes of the largest table. Chosen: one of ten thousand rows has two million.
const MAX_TABLE: u64 = 8 * MIB;
/// Bytes of all files of one golden. Chosen: two of the largest pictures.
const MAX_GOLDEN: u64 = 128 * MIB;
/// Bytes taken out of one archive. Chosen: hundreds of goldens with pictures fit; an archive made to do harm
/// does not fill the disk.
const MAX_TOTAL: u64 = 1024 * MIB;
/// Bytes of tables taken out of one archive. Chosen: less than pictures, as every row is compared.
const MAX_TABLES: u64 = 256 * MIB;
/// Files in an archive or a folder. Chosen: far above any run's artifacts; listing more would take minutes.
pub(super) const MAX_ENTRIES: usize = 200_000;
/// Files of evidence that are read. Chosen: far above the failed selectors of any run.
const MAX_EVIDENCE: usize = 1000;
/// Ratio of a file's size to its size in the archive. Chosen: pictures are compressed already, and small
/// tables are exempt.
const MAX_RATIO: u64 = 200;
/// Bytes up to which the ratio does not count, as a small file may compress to almost nothing.
const UNLIMITED_RATIO_BYTES: u64 = MIB;

/// Proposed file, not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProposedFile {
    /// Name in the archive.
    pub name: String,
    /// Folder of the device.
    pub device: String,
    /// Path below the folder of goldens.
    pub path: Utf8PathBuf,
    pub at: FileLocation,
}

/// Location of a file's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileLocation {
    File(Utf8PathBuf),
    /// Entry of an archive.
    Entry {
        index: usize,
        /// Size in the archive, in bytes.
        packed: u64,
    },
}

/// Meaning of a name in an archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// Other artifact, which is ignored.
    Other,
    /// Name that no honest archive has, with the reason.
    Hostile(&'static str),
    /// File below the proposals of a device.
    Proposed {
        /// Folder of the device.
        device: String,
        /// Path below the folder of goldens.
        path: Utf8PathBuf,
    },
    /// Evidence of a selector that matched nothing.
    Evidence,
}

/// Classifies an entry by its name alone. Hostile are a backslash, a colon, a null byte, an absolute path and `..`,
/// whatever the file is. A file below a device's folder in the folder of proposals, at any depth, is a proposal, of
/// whatever name; else the ending tells if it is evidence of a selector. All else, folders too, is `Other`.
pub(super) fn classify(name: &str) -> EntryKind {
    // A separator on Windows.
    if name.contains('\\') {
        return EntryKind::Hostile("a backslash in a name");
    }
    if name.starts_with('/') {
        return EntryKind::Hostile("an absolute path");
    }
    // On Windows a colon leads to another drive, or into a hidden part of a file.
    if name.contains(['\0', ':']) {
        return EntryKind::Hostile("a colon or a null byte in a name");
    }
    let parts: Vec<&str> = name.split('/').collect();
    if parts.contains(&"..") {
        return EntryKind::Hostile("a path that leads out of its folder");
    }
    let below = parts.iter().position(|part| *part == PROPOSED_GOLDENS);
    match below.map(|at| &parts[at + 1..]) {
        Some([device, path @ ..]) if !path.is_empty() && path.last() != Some(&"") => {
            EntryKind::Proposed {
                device: (*device).to_owned(),
                path: path.iter().collect(),
            }
        }
        _ if name.ends_with(runner_mend::ENDING) => EntryKind::Evidence,
        _ => EntryKind::Other,
    }
}

/// Proposals that were found.
#[derive(Debug, Default)]
pub(super) struct FoundProposals {
    /// Files by device and lower-case path.
    files: BTreeMap<(String, String), ProposedFile>,
    evidence: Vec<ProposedFile>,
    refused: Vec<(String, String)>,
    /// Goldens of which a file was refused.
    broken: BTreeSet<(String, GoldenKey)>,
}

impl FoundProposals {
    /// Notes a file as refused with the reason, and with it all files of the golden that it belongs to on the same
    /// device, in any class. A name that is no golden's refuses only itself. A file refused twice is noted twice.
    pub fn refuse(&mut self, given: &str, why: impl Into<String>) {
        if let EntryKind::Proposed { device, path } = classify(given)
            && let Some((key, ..)) = GoldenKey::from_file(&path)
        {
            self.broken.insert((device, key.shared()));
        }
        self.refused.push((given.to_owned(), why.into()));
    }

    /// Adds a file of evidence without reading it. Beyond `MAX_EVIDENCE` files it is refused.
    pub fn list_evidence(&mut self, given: &str, at: FileLocation) {
        if self.evidence.len() >= MAX_EVIDENCE {
            self.refuse(given, "there is more evidence of selectors than is read");
            return;
        }
        self.evidence.push(ProposedFile {
            name: given.to_owned(),
            device: String::new(),
            path: given.into(),
            at,
        });
    }

    /// Removes and returns the files of evidence.
    pub fn take_evidence(&mut self) -> Vec<ProposedFile> {
        std::mem::take(&mut self.evidence)
    }

    /// Adds a file of the golden at `path` without reading it; one that is not pending is refused. Two with the same
    /// path on one device but for letter case are both refused.
    pub fn list(&mut self, given: &str, (device, path): (String, &Utf8Path), at: FileLocation) {
        if !GoldenKey::from_file(path).is_some_and(|(.., is_pending)| is_pending) {
            self.refuse(given, "it is not a pending golden");
            return;
        }
        let proposed = ProposedFile {
            name: given.to_owned(),
            device: device.clone(),
            path: path.to_owned(),
            at,
        };
        // On a file system that ignores case both would be one file, and the second would replace the first.
        let place = (device, path.as_str().to_lowercase());
        if let Some(earlier) = self.files.insert(place, proposed) {
            let why =
                "another file has the same name, but for capital letters or the folder it lies in";
            self.refuse(&earlier.name, why);
            self.refuse(given, why);
        }
    }

    /// Returns the goldens that files were found for, each class for itself. Goldens of which a file was refused
    /// later are included; evidence is not.
    pub fn keys(&self) -> BTreeSet<GoldenKey> {
        let keys = self.files.values();
        keys.filter_map(|file| GoldenKey::from_file(&file.path))
            .map(|(key, ..)| key)
            .collect()
    }

    /// Returns the files of each golden of each device, all its classes together, and all refusals as name and
    /// reason. Goldens of which a file was refused are left out; their other files are among the refusals.
    pub fn groups(self) -> (Vec<Vec<ProposedFile>>, Vec<(String, String)>) {
        let mut groups: BTreeMap<(String, GoldenKey), Vec<ProposedFile>> = BTreeMap::new();
        let mut refused = self.refused;
        let mut reported: HashSet<String> = refused.iter().map(|(name, _)| name.clone()).collect();
        for ((device, _), file) in self.files {
            let Some((key, ..)) = GoldenKey::from_file(&file.path) else {
                continue;
            };
            let group = (device, key.shared());
            if self.broken.contains(&group) {
                if reported.insert(file.name.clone()) {
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

/// Reason why a file is not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProposedFileError {
    #[error("it cannot be read: {0}")]
    Open(std::io::Error),
    #[error("it cannot be read: {0}")]
    Entry(zip::result::ZipError),
    #[error("it cannot be read: it lies in no archive")]
    NoArchive,
    #[error("it cannot be unpacked: {0}")]
    Unpack(std::io::Error),
    #[error("it unpacks to more than {0} bytes")]
    TooLarge(u64),
    #[error(
        "all files together unpack to more than {MAX_TOTAL} bytes, all tables to more than {MAX_TABLES}, or those of this golden to more than {MAX_GOLDEN}"
    )]
    TooMany,
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// Bytes that may still be read.
#[derive(Debug)]
pub(super) struct Budget {
    total: u64,
    tables: u64,
    golden: u64,
}

impl Budget {
    /// Creates a budget of which nothing is spent.
    pub fn new() -> Self {
        Self {
            total: MAX_TOTAL,
            tables: MAX_TABLES,
            golden: MAX_GOLDEN,
        }
    }

    /// Resets the limit of one golden.
    pub fn next_golden(&mut self) {
        self.golden = MAX_GOLDEN;
    }

    /// Reads a file whole, within the limits of its kind, its golden and the whole archive, and takes its size off
    /// them. The limit of a packed file also depends on its packed size. Fails for a file that is too large, even by
    /// one byte, or beyond what is left; what was read of it is spent too.
    pub fn read(
        &mut self,
        file: &ProposedFile,
        content: impl Read,
    ) -> Result<Vec<u8>, ProposedFileError> {
        let is_table = file.path.extension() == Some("tsv");
        let mut limit = if is_table { MAX_TABLE } else { MAX_PICTURE };
        if let FileLocation::Entry { packed, .. } = &file.at {
            limit = limit.min(packed.saturating_mul(MAX_RATIO).max(UNLIMITED_RATIO_BYTES));
        }
        let tables = if is_table { self.tables } else { u64::MAX };
        let left = self.total.min(tables).min(self.golden);
        // Sizes in headers are not trusted: bytes are counted while they are unpacked.
        let mut bytes = Vec::new();
        content
            // One byte more, to see that it is too large.
            .take(limit.min(left) + 1)
            .read_to_end(&mut bytes)
            .map_err(ProposedFileError::Unpack)?;
        let size = bytes.len() as u64;
        for spent in [&mut self.total, &mut self.golden] {
            *spent = spent.saturating_sub(size);
        }
        if is_table {
            self.tables = self.tables.saturating_sub(size);
        }
        if size > limit {
            return Err(ProposedFileError::TooLarge(limit));
        }
        if size > left {
            return Err(ProposedFileError::TooMany);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_files_unpack_to_is_bounded() {
        let file = |path: &str| ProposedFile {
            name: path.to_owned(),
            device: String::new(),
            path: path.into(),
            at: FileLocation::File(path.into()),
        };
        let (table, picture) = (file("a/home.new.tsv"), file("a/home~lab.new.png"));
        let mut budget = Budget::new();
        (budget.total, budget.tables) = (12, 7);
        assert_eq!(budget.read(&table, &b"12345"[..]).unwrap(), b"12345");
        assert!(budget.read(&table, &b"123"[..]).is_err());
        assert!(budget.read(&picture, &b"1234"[..]).is_ok());
        assert!(budget.read(&picture, &b"1"[..]).is_err());
    }

    /// Checks that only the first bytes of a file that is too large are read.
    #[test]
    fn a_table_larger_than_any_screen_is_not_read_to_its_end() {
        let file = ProposedFile {
            name: "a".to_owned(),
            device: String::new(),
            path: "a/home.new.tsv".into(),
            at: FileLocation::File("a".into()),
        };
        let mut endless = std::io::repeat(b'x').take(u64::MAX);
        let error = Budget::new().read(&file, &mut endless).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("it unpacks to more than {MAX_TABLE} bytes")
        );
        assert_eq!(u64::MAX - endless.limit(), MAX_TABLE + 1);
    }
}
