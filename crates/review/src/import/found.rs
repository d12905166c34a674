//! What was found among artifacts, and the limits that hold for it. Files are listed first and read golden by golden, so
//! that no more than one golden is in memory.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;

use camino::{Utf8Path, Utf8PathBuf};

use runner_run::PROPOSED_GOLDENS;
use runner_snapshot::{GoldenKey, SnapshotError};

const MIB: u64 = 1024 * 1024;
/// Largest picture that is taken, in bytes.
const MAX_PICTURE: u64 = 64 * MIB;
/// Largest table that is taken, in bytes: one of ten thousand rows has two million.
const MAX_TABLE: u64 = 8 * MIB;
/// Most bytes that all files of one golden have.
const MAX_GOLDEN: u64 = 128 * MIB;
/// Most bytes that are taken out of one archive.
const MAX_TOTAL: u64 = 1024 * MIB;
/// Most bytes of tables that are taken out of one archive: every row of them is compared.
const MAX_TABLES: u64 = 256 * MIB;
/// Most files in an archive or a folder.
pub(super) const MAX_ENTRIES: usize = 200_000;
/// Most files of evidence that are read.
const MAX_EVIDENCE: usize = 1000;
/// How much larger than in the archive a file may be. Pictures are packed already, and tables are small.
const MAX_RATIO: u64 = 200;
/// Files up to this size may be packed as tightly as can be, in bytes.
const SMALL: u64 = MIB;

/// One proposed file, not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProposedFile {
    /// As the archive calls it.
    pub name: String,
    /// The folder of the device.
    pub device: String,
    /// Below the folder of goldens.
    pub path: Utf8PathBuf,
    /// Where its bytes are.
    pub at: FileLocation,
}

/// Where the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileLocation {
    /// In a file.
    File(Utf8PathBuf),
    /// In an archive: which entry, and its size there.
    Entry {
        /// Its number.
        index: usize,
        /// In bytes.
        packed: u64,
    },
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
    /// Evidence of a selector that matched nothing.
    Evidence,
}

/// What a name stands for.
pub(super) fn name(name: &str) -> Name {
    // Windows takes it for a separator.
    if name.contains('\\') {
        return Name::Hostile("a backslash in a name");
    }
    if name.starts_with('/') {
        return Name::Hostile("an absolute path");
    }
    // On Windows a colon leads to another drive, or into a hidden part of a file.
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
        _ if name.ends_with(runner_mend::ENDING) => Name::Evidence,
        _ => Name::Other,
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct FoundProposals {
    /// By device and path in small letters.
    files: BTreeMap<(String, String), ProposedFile>,
    evidence: Vec<ProposedFile>,
    refused: Vec<(String, String)>,
    /// Goldens of which a file was refused.
    broken: BTreeSet<(String, GoldenKey)>,
}

impl FoundProposals {
    /// Leaves something out, and with it the golden it is a file of.
    pub fn refuse(&mut self, given: &str, why: impl Into<String>) {
        if let Name::Proposed { device, path } = name(given)
            && let Some((key, ..)) = GoldenKey::from_file(&path)
        {
            self.broken.insert((device, key.shared()));
        }
        self.refused.push((given.to_owned(), why.into()));
    }

    /// Lists evidence; it says itself of what.
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

    /// Takes the evidence that was listed.
    pub fn take_evidence(&mut self) -> Vec<ProposedFile> {
        std::mem::take(&mut self.evidence)
    }

    /// Lists a file that stands for `path`.
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
        // Where the file system ignores case both would be one file, and the second would hide in the first one's
        // place.
        let place = (device, path.as_str().to_lowercase());
        if let Some(earlier) = self.files.insert(place, proposed) {
            let why =
                "another file has the same name, but for capital letters or the folder it lies in";
            self.refuse(&earlier.name, why);
            self.refuse(given, why);
        }
    }

    /// Goldens that files were found for.
    pub fn keys(&self) -> BTreeSet<GoldenKey> {
        let keys = self.files.values();
        keys.filter_map(|file| GoldenKey::from_file(&file.path))
            .map(|(key, ..)| key)
            .collect()
    }

    /// The files of each golden of each device, without those of which one was refused.
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

/// Why a file is not taken.
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

/// What may still be read.
#[derive(Debug)]
pub(super) struct Budget {
    total: u64,
    tables: u64,
    golden: u64,
}

impl Budget {
    pub fn new() -> Self {
        Self {
            total: MAX_TOTAL,
            tables: MAX_TABLES,
            golden: MAX_GOLDEN,
        }
    }

    /// Another golden begins.
    pub fn next_golden(&mut self) {
        self.golden = MAX_GOLDEN;
    }

    /// Reads a file.
    pub fn read(
        &mut self,
        file: &ProposedFile,
        content: impl Read,
    ) -> Result<Vec<u8>, ProposedFileError> {
        let is_table = file.path.extension() == Some("tsv");
        let mut limit = if is_table { MAX_TABLE } else { MAX_PICTURE };
        if let FileLocation::Entry { packed, .. } = &file.at {
            limit = limit.min(packed.saturating_mul(MAX_RATIO).max(SMALL));
        }
        let tables = if is_table { self.tables } else { u64::MAX };
        let left = self.total.min(tables).min(self.golden);
        // What a header says of sizes is not believed: it is counted while it is unpacked.
        let mut bytes = Vec::new();
        content
            // One byte more shows that it is too large.
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

    /// Nothing but the first bytes of what is too large is read.
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
