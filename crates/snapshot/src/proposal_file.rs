//! Proposals that left the machine: pending files among a run's artifacts, looked at before they are believed.

use camino::{Utf8Path, Utf8PathBuf};
use image::{ImageFormat, ImageReader, Limits};

use super::folder::{GoldenFolder, files};
use super::{FileKind, GoldenKey, SnapshotError, golden, pending, tsv};

/// Widest and highest picture that is believed, in pixels.
const MAX_SIDE: u32 = 16_384;
/// Most memory a picture may take when it is decoded, in bytes.
const MAX_DECODED: u64 = 4 * runner_picture::MAX_PIXELS;
/// Most rows of a table that is believed; a screen has some hundred.
const MAX_ROWS: usize = 10_000;

/// A pending file that another run made, whole and readable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalFile {
    /// Whose.
    pub key: GoldenKey,
    /// Which of its files.
    pub kind: FileKind,
    /// The golden it was compared with is the one that is here.
    pub is_current: bool,
}

/// Paths, below the folder of goldens, of the pending files that `key` may have.
pub(super) fn proposal_paths(key: &GoldenKey) -> Vec<Utf8PathBuf> {
    let file = |(key, kind): (GoldenKey, FileKind)| key.file(kind, true);
    files(key).into_iter().map(file).collect()
}

/// Looks at a pending file that another run made, by its path below the folder of goldens. Writes nothing.
///
/// # Errors
/// It is not a pending file, or not whole.
pub(super) fn read_proposal(
    folder: &GoldenFolder,
    path: &Utf8Path,
    bytes: &[u8],
) -> Result<ProposalFile, SnapshotError> {
    let file = GoldenKey::of_file(path).filter(|(.., is_pending)| *is_pending);
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
    // Or it was accepted here already: then the golden is just this.
    let is_current = now == mark.against || now == golden::hash(&bytes);
    Ok(ProposalFile {
        key,
        kind,
        is_current,
    })
}

fn decode(bytes: &[u8]) -> Result<(), image::ImageError> {
    // A small file can ask for gigabytes when it is decoded.
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED);
    let mut reader = ImageReader::with_format(std::io::Cursor::new(bytes), ImageFormat::Png);
    reader.limits(limits);
    // In full, because its head alone does not say whether a picture is whole.
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
