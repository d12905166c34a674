//! Checks that the files proposed for a golden show the same screen. A run writes them together, but somebody
//! may have exchanged one. A person would then see one thing and accept another.

use std::collections::BTreeMap;

use image::RgbaImage;

use super::annotated_picture;
use super::folder::GoldenFolder;
use super::picture::{self, Compression};
use super::proposal_file::ProposalFile;
use super::tsv::{self, Table};
use super::{FileKind, GoldenKey, Row, SnapshotError, pending};
use runner_device::Picture;

/// Proposed file, and its bytes with their mark.
pub(super) type ProposalContent<'a> = (&'a ProposalFile, &'a [u8]);

/// Annotated pictures that were not drawn from the other files, by their index. Each has what the other files give, as
/// a pending file with its mark; `None` if they give no drawing.
pub(super) type Strangers = BTreeMap<usize, Option<Vec<u8>>>;

/// Checks the pending files of one golden. Returns the annotated pictures among `files` that were not drawn from the
/// other files. The review does not show these, so the caller takes the drawing in their place or leaves them out.
/// Writes nothing.
///
/// # Errors
/// [`SnapshotError::TwoScreens`] if the rows of a class differ from the shared ones in more than bounds and
/// visibility. [`SnapshotError::NotPending`] if one of the two cannot be parsed.
pub(super) fn check(
    folder: &GoldenFolder,
    files: &[ProposalContent<'_>],
) -> Result<Strangers, SnapshotError> {
    let mut strangers = Strangers::new();
    for (at, (file, bytes)) in files.iter().enumerate() {
        match file.kind {
            FileKind::Rows if file.key.class().is_some() => agree(files, &file.key, bytes)?,
            FileKind::Annotated => {
                let drawn = draw(folder, files, &file.key)?;
                if drawn.as_ref().is_none_or(|drawn| !shows(bytes, drawn)) {
                    let drawn = drawn.map(|drawn| propose(folder, files, &file.key, &drawn));
                    strangers.insert(at, drawn.transpose()?.flatten());
                }
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

/// Draws the annotated picture from the rows and the picture of a class: the proposed ones, else the golden's. Returns
/// `None` if one of them is missing or cannot be parsed.
fn draw(
    folder: &GoldenFolder,
    files: &[ProposalContent<'_>],
    key: &GoldenKey,
) -> Result<Option<RgbaImage>, SnapshotError> {
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
        return Ok(None);
    };
    let table = String::from_utf8(rows)
        .ok()
        .and_then(|text| tsv::read(&text).ok());
    let pixels = Picture::from_png(picture).pixels().ok();
    Ok(pixels
        .zip(table)
        .map(|(pixels, table)| annotated_picture::draw(&pixels, &table.rows)))
}

/// Returns true if a pending picture has exactly the pixels of `drawn`. False if it has no mark or cannot be decoded.
fn shows(bytes: &[u8], drawn: &RgbaImage) -> bool {
    let picture = pending::unmark(bytes).map(|(_, bytes)| Picture::from_png(bytes));
    let pixels = picture.and_then(|picture| picture.pixels().ok());
    pixels.is_some_and(|pixels| *drawn == **pixels)
}

/// Returns a drawing as the pending file of a run that proposed the rows or the picture, for the annotated golden that
/// is there now. Returns `None` if neither is proposed: then the golden stays as it is.
///
/// # Errors
/// The golden cannot be read, or the drawing cannot be encoded.
fn propose(
    folder: &GoldenFolder,
    files: &[ProposalContent<'_>],
    key: &GoldenKey,
    drawn: &RgbaImage,
) -> Result<Option<Vec<u8>>, SnapshotError> {
    let is_drawn_from = |kind| matches!(kind, FileKind::Rows | FileKind::Picture);
    let mut beside = files
        .iter()
        .filter(|(file, _)| file.key == *key && is_drawn_from(file.kind));
    let Some((mark, _)) = beside.find_map(|(_, bytes)| pending::unmark(bytes)) else {
        return Ok(None);
    };
    let against = folder
        .disk
        .hash(&folder.path(key, FileKind::Annotated, false))?;
    let png = picture::encode(drawn, Compression::Small).map_err(SnapshotError::Encoding)?;
    Ok(Some(pending::mark(
        &png,
        &pending::Mark { against, ..mark },
    )))
}

fn table(bytes: &[u8]) -> Option<Table> {
    let (_, bytes) = pending::unmark(bytes)?;
    tsv::read(&String::from_utf8(bytes).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{FORM, key, options, store, subject};
    use crate::{Options, Selection, Store, UpdateMode, check};
    use camino::Utf8PathBuf;

    /// Files that a run in CI proposes for the golden `home`, which it takes with these masks.
    fn proposed(store: &Store, masks: &str) -> Vec<(Utf8PathBuf, Vec<u8>)> {
        let mut subject = subject(&FORM);
        subject.options = options(&format!("{{ name: home, mask: {masks} }}"));
        let golden = store.load(&key("home")).unwrap();
        let check = check(&subject, &golden, &Options::default()).unwrap();
        Store::proposal(&golden, &check).unwrap()
    }

    fn strangers(store: &Store, files: &[(Utf8PathBuf, Vec<u8>)]) -> Strangers {
        let read = |(path, bytes): &(Utf8PathBuf, Vec<u8>)| store.read_proposal(path, bytes);
        let read: Vec<ProposalFile> = files.iter().map(|file| read(file).unwrap()).collect();
        let contents = files.iter().map(|(_, bytes)| bytes.as_slice());
        let files: Vec<_> = read.iter().zip(contents).collect();
        store.check_one_screen(&files).unwrap()
    }

    #[test]
    fn what_a_run_draws_is_drawn_from_its_files_whatever_is_masked() {
        for masks in [
            "[]",
            "[ { id: clock } ]",
            "[ { id: clock }, { id: pay } ]",
            "[ { rect: [0, 90, 100, 150] } ]",
        ] {
            let (_guard, store, _root) = store();
            let files = proposed(&store, masks);
            assert_eq!(files.len(), 4, "{masks}");
            assert_eq!(strangers(&store, &files), Strangers::new(), "{masks}");
        }
    }

    #[test]
    fn an_exchanged_drawing_is_drawn_anew_and_its_golden_stays() {
        let (_guard, store, root) = store();
        let golden = store.load(&key("home")).unwrap();
        let mut other = subject(&FORM[..1]);
        other.options = options("{ name: home }");
        let seen = check(&other, &golden, &Options::default()).unwrap();
        store.apply(UpdateMode::New, &golden, &seen).unwrap();
        let mut files = proposed(&store, "[]");
        let is_annotated =
            |(path, _): &(Utf8PathBuf, Vec<u8>)| path.as_str().contains(".annotated.");
        let at = files.iter().position(is_annotated).unwrap();
        let honest = files[at].1.clone();
        let (mark, _) = pending::unmark(&honest).unwrap();
        let black = picture::encode(&RgbaImage::new(50, 100), Compression::Fast).unwrap();
        files[at].1 = pending::mark(&black, &mark);
        let drawn = strangers(&store, &files).remove(&at).unwrap().unwrap();
        let plain = |bytes: &[u8]| pending::unmark(bytes).unwrap().1;
        assert_eq!(plain(&drawn), plain(&honest));
        files[at].1 = drawn;
        let given = files.iter();
        let given = given.map(|(path, bytes)| (path.as_path(), bytes.as_slice()));
        store.import_pending(given).unwrap();
        let done = store.accept(&Selection::All).unwrap();
        assert_eq!(done.accepted.len(), 1, "{:?}", done.refused);
        let golden = root.join(store.path(&key("home"), FileKind::Annotated, false));
        assert_eq!(fs_err::read(golden).unwrap(), plain(&honest));
    }
}
