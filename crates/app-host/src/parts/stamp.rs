//! Which files were found right, with their size and time: 400 MB are not read again each time.

use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::write_atomic;

use super::{Checked, Part, digest_of};
use crate::jar::open;
use runner_text::input_file::{MAX_TEXT, read_text};

/// The stamp's file, in the folder of parts.
const NAME: &str = "checked.tsv";

/// What was checked: of each file the checksum that it had, its size and its time.
#[derive(Debug, Default)]
pub(super) struct Stamp {
    lines: BTreeMap<String, String>,
}

impl Stamp {
    /// The stamp of a folder; empty where there is none.
    pub(super) fn read(folder: &Utf8Path) -> Self {
        let text = read_text(path(folder), MAX_TEXT).unwrap_or_default();
        let lines = text
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(file, about)| (file.to_owned(), about.to_owned()))
            .collect();
        Self { lines }
    }

    pub(super) fn write(&self, folder: &Utf8Path) -> std::io::Result<()> {
        let lines = self.lines.iter();
        let text: String = lines
            .map(|(file, about)| format!("{file}\t{about}\n"))
            .collect();
        write_atomic(&path(folder), text.as_bytes())
    }

    /// Looks at a part's file, and reads it where the stamp does not know it as it is.
    pub(super) fn check(&self, part: &Part, file: &Utf8Path) -> Checked {
        match about(part, file) {
            None => Checked::Missing,
            Some(about) if self.lines.get(part.file) == Some(&about) => Checked::Right,
            Some(_) => read(part, file),
        }
    }

    /// Reads a part's file, and notes it where it is right.
    pub(super) fn verify(&mut self, part: &Part, file: &Utf8Path) -> Checked {
        self.lines.remove(part.file);
        let Some(about) = about(part, file) else {
            return Checked::Missing;
        };
        let checked = read(part, file);
        if checked == Checked::Right {
            self.lines.insert(part.file.to_owned(), about);
        }
        checked
    }
}

/// Whether a file has the bytes of a part.
pub(super) fn read(part: &Part, file: &Utf8Path) -> Checked {
    let size = fs_err::metadata(file).map(|about| about.len());
    if size.ok() != Some(part.size) {
        return Checked::Wrong;
    }
    match open(file).and_then(digest_of) {
        Ok(digest) if digest == part.sha256 => Checked::Right,
        _ => Checked::Wrong,
    }
}

/// What a file looks like without reading it; none where it is not there.
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
