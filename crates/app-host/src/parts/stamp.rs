//! Record of files that were found correct, with size and time of change, so that 400 MB are not hashed each
//! time.

use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::write_atomic;

use super::{Part, digest_of};
use crate::jar::open;
use runner_text::input_file::{MAX_TEXT, read_text};

/// Name of the record's file, in the folder of parts.
const NAME: &str = "checked.tsv";

/// Result of checking a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileCheck {
    Right,
    Missing,
    Wrong,
}

/// Checked files, each with checksum, size and time of change.
#[derive(Debug, Default)]
pub(super) struct Stamp {
    lines: BTreeMap<String, String>,
}

impl Stamp {
    /// Reads the record of the files in a folder that were found correct; empty if there is none or it cannot
    /// be read.
    pub(super) fn read(folder: &Utf8Path) -> Self {
        let text = read_text(path(folder), MAX_TEXT).unwrap_or_default();
        let lines = text
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(file, about)| (file.to_owned(), about.to_owned()))
            .collect();
        Self { lines }
    }

    /// Replaces the record in a folder of parts.
    pub(super) fn write(&self, folder: &Utf8Path) -> std::io::Result<()> {
        let lines = self.lines.iter();
        let text: String = lines
            .map(|(file, about)| format!("{file}\t{about}\n"))
            .collect();
        write_atomic(&path(folder), text.as_bytes())
    }

    /// Checks a part's file. Hashes it only if the record does not list it with its present size and time of
    /// change. The record stays as it is.
    pub(super) fn check(&self, part: &Part, file: &Utf8Path) -> FileCheck {
        match about(part, file) {
            None => FileCheck::Missing,
            Some(about) if self.lines.get(part.file) == Some(&about) => FileCheck::Right,
            Some(_) => read(part, file),
        }
    }

    /// Hashes a part's file in any case, and records it if it is correct; otherwise its record is removed.
    /// [`Self::write`] saves the record.
    pub(super) fn verify(&mut self, part: &Part, file: &Utf8Path) -> FileCheck {
        self.lines.remove(part.file);
        let Some(about) = about(part, file) else {
            return FileCheck::Missing;
        };
        let checked = read(part, file);
        if checked == FileCheck::Right {
            self.lines.insert(part.file.to_owned(), about);
        }
        checked
    }
}

/// Compares a file with a part by size and hash. A file that is missing or cannot be read is wrong.
pub(super) fn read(part: &Part, file: &Utf8Path) -> FileCheck {
    let size = fs_err::metadata(file).map(|about| about.len());
    if size.ok() != Some(part.size) {
        return FileCheck::Wrong;
    }
    match open(file).and_then(digest_of) {
        Ok(digest) if digest == part.sha256 => FileCheck::Right,
        _ => FileCheck::Wrong,
    }
}

/// Describes a file by the expected hash, its size and its time of change, without reading it. `None` if it
/// does not exist or is no regular file.
fn about(part: &Part, file: &Utf8Path) -> Option<String> {
    let about = fs_err::metadata(file)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    let time = about.modified().ok()?;
    let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(format!(
        "{}\t{}\t{}",
        part.sha256,
        about.len(),
        time.as_nanos()
    ))
}

fn path(folder: &Utf8Path) -> Utf8PathBuf {
    folder.join(NAME)
}
