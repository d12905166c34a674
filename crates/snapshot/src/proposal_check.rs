//! Checks that the files proposed for a golden show the same screen. A run writes them together, but somebody
//! may have exchanged one. A person would then see one thing and accept another.

use std::collections::BTreeSet;

use super::annotated_picture;
use super::folder::GoldenFolder;
use super::picture::PictureError;
use super::proposal_file::ProposalFile;
use super::tsv::{self, Table};
use super::{FileKind, GoldenKey, Row, SnapshotError, pending};
use runner_device::Picture;

/// Proposed file, and its bytes with their mark.
pub(super) type ProposalContent<'a> = (&'a ProposalFile, &'a [u8]);

/// Checks the pending files of one golden. Returns the indexes in `files` of annotated pictures that were not drawn
/// from the other files. The review does not show these, so the caller leaves them out. Writes nothing.
///
/// # Errors
/// [`SnapshotError::TwoScreens`] if the rows of a class differ from the shared ones in more than bounds and
/// visibility. [`SnapshotError::NotPending`] if one of the two cannot be parsed.
pub(super) fn check(
    folder: &GoldenFolder,
    files: &[ProposalContent<'_>],
) -> Result<BTreeSet<usize>, SnapshotError> {
    let mut strangers = BTreeSet::new();
    for (at, (file, bytes)) in files.iter().enumerate() {
        match file.kind {
            FileKind::Rows if file.key.class().is_some() => agree(files, &file.key, bytes)?,
            FileKind::Annotated if !is_drawn(folder, files, &file.key, bytes)? => {
                strangers.insert(at);
            }
            _ => {}
        }
    }
    Ok(strangers)
}

/// Compares the rows of a class with the shared rows that it proposes: its own file for them, else the common
/// one. Without either there is no error.
///
/// # Errors
/// The same as of [`check`].
fn agree(
    files: &[ProposalContent<'_>],
    key: &GoldenKey,
    bytes: &[u8],
) -> Result<(), SnapshotError> {
    let of = |key: &GoldenKey, kind| {
        let mut files = files.iter();
        files.find(|(file, _)| file.key == *key && file.kind == kind)
    };
    // If devices propose different shared rows, each has its own file for them.
    let own = of(key, FileKind::Shared);
    let Some((file, shared)) = own.or_else(|| of(&key.shared(), FileKind::Rows)) else {
        return Ok(());
    };
    let (Some(class), Some(shared)) = (table(bytes), table(shared)) else {
        return Err(SnapshotError::NotPending(file.key.file(file.kind, true)));
    };
    let Some(at) = Row::first_difference(&class.rows, &shared.rows) else {
        return Ok(());
    };
    Err(SnapshotError::TwoScreens {
        rows: key.file(FileKind::Rows, true),
        shared: file.key.file(file.kind, true),
        row: at + 1,
    })
}

/// Returns true if an annotated picture has exactly the pixels that the rows and the picture give: the
/// proposed ones, else the golden's. Returns false if one of them is missing or cannot be parsed.
fn is_drawn(
    folder: &GoldenFolder,
    files: &[ProposalContent<'_>],
    key: &GoldenKey,
    bytes: &[u8],
) -> Result<bool, SnapshotError> {
    let content = |kind| -> Result<Option<Vec<u8>>, SnapshotError> {
        let proposed = files
            .iter()
            .find(|(file, _)| file.key == *key && file.kind == kind);
        match proposed {
            Some((_, bytes)) => Ok(pending::unmark(bytes).map(|(_, bytes)| bytes)),
            None => folder.disk.read(&folder.path(key, kind, false)),
        }
    };
    let (Some(rows), Some(picture)) = (content(FileKind::Rows)?, content(FileKind::Picture)?)
    else {
        return Ok(false);
    };
    let Some((_, annotated)) = pending::unmark(bytes) else {
        return Ok(false);
    };
    let Some(table) = String::from_utf8(rows)
        .ok()
        .and_then(|text| tsv::read(&text).ok())
    else {
        return Ok(false);
    };
    let pixels = |bytes| -> Result<_, PictureError> { Picture::from_png(bytes).pixels() };
    let (Ok(picture), Ok(annotated)) = (pixels(picture), pixels(annotated)) else {
        return Ok(false);
    };
    Ok(annotated_picture::draw(&picture, &table.rows) == **annotated)
}

fn table(bytes: &[u8]) -> Option<Table> {
    let (_, bytes) = pending::unmark(bytes)?;
    tsv::read(&String::from_utf8(bytes).ok()?).ok()
}
