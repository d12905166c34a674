//! Proposals from another machine: pending files among a run's artifacts, which are checked before they are
//! used.

use camino::{Utf8Path, Utf8PathBuf};
use image::{ImageFormat, ImageReader, Limits};

use super::folder::{GoldenFolder, files};
use super::golden::{self, ABSENT};
use super::{FileKind, GoldenKey, SnapshotError, pending, tsv};

/// Largest width and height of a picture that is accepted, in pixels. Chosen: no display is larger.
const MAX_SIDE: u32 = 16_384;
/// Largest memory in bytes for a decoded picture: four bytes for each pixel of the largest screenshot.
const MAX_DECODED_BYTES: u64 = 4 * runner_picture::MAX_PIXELS;
/// Largest number of rows of a table that is accepted. Chosen: a screen has some hundred.
const MAX_ROWS: usize = 10_000;

/// Pending file of another run that is complete and readable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalFile {
    pub key: GoldenKey,
    pub kind: FileKind,
    /// True if the golden of this project is still the one it was compared with, or equals it already.
    pub is_current: bool,
    /// True if the golden of this project equals it already. Rows that a variant shares are those without variant.
    pub is_golden: bool,
}

/// Returns the paths, below the folder of goldens, of the pending files that `key` may have, without shared
/// rows of its own. None is checked for existence.
pub(super) fn proposal_paths(key: &GoldenKey) -> Vec<Utf8PathBuf> {
    let file = |(key, kind): (GoldenKey, FileKind)| key.file(kind, true);
    files(key).into_iter().map(file).collect()
}

/// Checks a pending file of another run, by its path below the folder of goldens. Writes nothing. The result
/// tells key and kind, and if the golden is still the one that it was compared with or equals it already.
///
/// # Errors
/// [`SnapshotError::NotPending`] if the path or the mark is not that of a pending file.
/// [`SnapshotError::BrokenGolden`] if the rows or the picture cannot be read, or if they are too large.
pub(super) fn read_proposal(
    folder: &GoldenFolder,
    path: &Utf8Path,
    bytes: &[u8],
) -> Result<ProposalFile, SnapshotError> {
    let file = GoldenKey::from_file(path).filter(|(.., is_pending)| *is_pending);
    let (Some((key, kind, _)), Some((mark, bytes))) = (file, pending::unmark(bytes)) else {
        return Err(SnapshotError::NotPending(path.to_owned()));
    };
    let broken = |line, why| SnapshotError::BrokenGolden {
        path: path.to_owned(),
        line,
        why,
    };
    if matches!(kind, FileKind::Rows | FileKind::Shared) {
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| broken(1, "it is not UTF-8 text".to_owned()))?;
        let table = tsv::read(text).map_err(|error| broken(error.line, error.why.to_string()))?;
        if table.rows.len() > MAX_ROWS {
            let why = format!("it has more than {MAX_ROWS} rows");
            return Err(broken(1, why));
        }
    } else {
        decode(&bytes).map_err(|error| broken(0, error.to_string()))?;
    }
    let now = folder.disk.hash(&folder.path(&key, kind, false))?;
    let version = golden::hash(&bytes);
    // A variant's shared rows are not stored where they would only repeat those without variant.
    let is_shared = now == ABSENT && kind == FileKind::Rows && key.class().is_none();
    let plain = folder.path(&key.without_variant(), kind, false);
    let is_golden = now == version || is_shared && folder.disk.hash(&plain)? == version;
    // It is also current if it was accepted here already, so that the golden equals it.
    let is_current = now == mark.against || is_golden;
    Ok(ProposalFile {
        key,
        kind,
        is_current,
        is_golden,
    })
}

/// Fails unless the bytes are a whole PNG within the limits of size and memory. The pixels are thrown away.
fn decode(bytes: &[u8]) -> Result<(), image::ImageError> {
    // A small file can ask for gigabytes when it is decoded.
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(std::io::Cursor::new(bytes), ImageFormat::Png);
    reader.limits(limits);
    // The whole picture is decoded, because its header does not show whether the file is complete.
    reader.decode().map(|_| ())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fixture::{key, store};
    use crate::{Metadata, Row};

    #[test]
    fn a_table_that_no_screen_has_is_refused() {
        let (_guard, store, _root) = store();
        let path = key("home").file(FileKind::Rows, true);
        let read = |rows: usize| {
            let row = Row {
                class: "View".to_owned(),
                ..Row::default()
            };
            let table = tsv::write(&Metadata::default(), &vec![row; rows], true);
            let mark = pending::Mark {
                against: "none".to_owned(),
                by: BTreeSet::new(),
                parts: std::collections::BTreeMap::new(),
                cause: None,
                masked: None,
            };
            store.read_proposal(&path, &pending::mark(table.as_bytes(), &mark))
        };
        assert!(read(MAX_ROWS).is_ok());
        let refused = read(MAX_ROWS + 1).unwrap_err().to_string();
        assert!(refused.contains("more than 10000 rows"), "{refused}");
    }
}
