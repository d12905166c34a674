//! Compares a pending golden with the golden it would replace, in words and in pictures, from the files
//! alone.

use std::sync::Arc;

use camino::Utf8PathBuf;

use super::caret::CaretAreas;
use super::cause;
use super::difference::{self, Difference, GoldenProposal, Tables};
use super::folder::{GoldenFolder, files};
use super::load::load;
use super::options::Tolerance;
use super::pending::MaskedArea;
use super::picture_check::{ChangedArea, PictureCheck};
use super::redact::Redactions;
use super::row::Row;
use super::{
    Cause, ChangeKind, FileKind, GoldenKey, MovedContent, PendingEntry, PendingFile, RowLine,
    Selection, SnapshotError, Table, pending, review, row_lines, tsv,
};
use runner_picture::{Frame, PictureError};

use runner_device::Picture;
use runner_screen::Rect;

/// Pending golden beside the golden it would replace.
#[derive(Debug, Clone)]
pub struct PendingDiff {
    pub entry: PendingEntry,
    /// True if there is no golden yet.
    pub is_new: bool,
    /// Changes of the rows, the most important first; for a new golden its rows.
    pub rows: Vec<String>,
    pub cause: Cause,
    /// Rows of both sides beside each other, in order; for a new golden only the proposed ones. They have
    /// bounds if the class's files do.
    pub lines: Vec<RowLine>,
    /// Changed areas of the picture, the largest first.
    pub places: Vec<ChangedArea>,
    /// Content that moved and is otherwise unchanged.
    pub moved: Vec<MovedContent>,
    /// Areas of the picture that are not compared: masks and the system's bars.
    pub masks: Vec<Rect>,
    /// Area under the step's masks, if the run that proposed it recorded it.
    pub(super) masked: Option<MaskedArea>,
    /// Changes of the picture in words, if there are any.
    pub pixels: Option<String>,
    /// Picture of the golden; `None` if there is none.
    pub golden: Option<Arc<Frame>>,
    /// Picture that would replace it; `None` if only rows are proposed.
    pub proposed: Option<Arc<Frame>>,
    /// Drawn difference of the two; `None` if they pass or were not compared.
    pub difference: Option<Frame>,
}

/// Compares one pending golden with its golden. `key` may be a glob, and may leave out the class, if only one pending
/// golden matches.
///
/// # Errors
/// No pending golden has this key, or several have it, or a file cannot be read.
pub(super) fn pending_diff(folder: &GoldenFolder, key: &str) -> Result<PendingDiff, SnapshotError> {
    diff_of(folder, one_pending(folder, key)?)
}

/// Compares `entry` with its golden without tolerance, since that of the step is not in the files. Rows that are not
/// proposed count as those of the golden. Without shared rows the golden is new, and pictures are not compared. Carets
/// and the masks of both sides are left out.
///
/// # Errors
/// A file cannot be read or parsed, or a pending file has no valid mark.
pub(super) fn diff_of(
    folder: &GoldenFolder,
    entry: PendingEntry,
) -> Result<PendingDiff, SnapshotError> {
    let golden = load(folder, None, &entry.key)?;
    // Both sides were redacted when they were written. The step's own rules are not in these files.
    let old = Tables::read(&golden, &Redactions::default())?;
    let shared = proposed_table(folder, &entry, true)?;
    let class = proposed_table(folder, &entry, false)?;
    // The class's rows are preferred; rows that are not proposed stay as they are.
    let new = [&class, &shared, &old.shared].into_iter().flatten().next();
    let proposed_picture = proposed_picture(folder, &entry)?;
    let (golden_picture, proposed_picture) = match (&golden.picture, &proposed_picture) {
        (Some(before), Some(after)) => {
            let [before, after] = Picture::pixels_of_both(before, after);
            (
                Some(before.map_err(unreadable)?),
                Some(after.map_err(unreadable)?),
            )
        }
        (before, after) => (pixels(before.as_ref())?, pixels(after.as_ref())?),
    };
    let none = Table::default();
    let new = new.unwrap_or(&none);
    let masks: Vec<Rect> = [&old.class, &class]
        .into_iter()
        .flatten()
        .flat_map(|table| {
            let noted = difference::left_out(&table.metadata);
            noted.into_iter().chain(difference::masked(&table.rows))
        })
        .collect();
    let proposed = GoldenProposal {
        rows: &new.rows,
        metadata: &new.metadata,
    };
    let picture = golden_picture
        .as_ref()
        .zip(proposed_picture.as_ref())
        // Without shared rows the golden is new, even if it has a picture.
        .filter(|_| old.shared.is_some())
        .map(|(before, after)| {
            let (before, after) = (Arc::clone(before), Arc::clone(after));
            // The step's tolerance is not in the files, so every change is shown.
            let rows = proposed.rows.iter().chain(old.class_rows());
            let fields = CaretAreas::from_class(rows, entry.key.class());
            PictureCheck::new(before, after, &masks, &fields, Tolerance::default())
        });
    let found = Difference::new(&old, proposed, picture);
    Ok(PendingDiff {
        is_new: old.shared.is_none(),
        rows: words(&found, &old, &new.rows),
        cause: cause::find_cause(&found, &golden, &old, proposed),
        lines: row_lines(old.rows(), &new.rows),
        places: found.places(&old, proposed),
        pixels: found
            .picture
            .as_ref()
            .filter(|_| found.picture_failed())
            .map(PictureCheck::in_short),
        masks: difference::without_repeats(masks),
        masked: masked_area(folder, &entry)?,
        difference: found
            .picture
            .as_ref()
            .filter(|_| found.picture_failed())
            .and_then(PictureCheck::difference)
            .map(Frame::from),
        moved: found.moved,
        golden: golden_picture,
        proposed: proposed_picture,
        entry,
    })
}

/// Shows a golden by itself, when no flow names it any more. Each of its rows is listed with the words
/// `no flow takes it any more`. Nothing is proposed, and its files are the golden's own that exist. A golden without
/// files gives no rows and is no error.
///
/// # Errors
/// A file cannot be read or parsed.
pub(super) fn golden_diff(
    folder: &GoldenFolder,
    key: &GoldenKey,
) -> Result<PendingDiff, SnapshotError> {
    let golden = load(folder, None, key)?;
    let old = Tables::read(&golden, &Redactions::default())?;
    let rows = old.rows();
    let masks = old.class.iter().flat_map(|table| {
        let noted = difference::left_out(&table.metadata);
        noted.into_iter().chain(difference::masked(&table.rows))
    });
    let files = files(key)
        .into_iter()
        .map(|(of, kind)| PendingFile {
            kind,
            shared: of.class().is_none(),
            pending: folder.path(&of, kind, true),
            golden: folder.path(&of, kind, false),
        })
        .filter(|file| folder.disk.root().join(&file.golden).exists());
    Ok(PendingDiff {
        is_new: false,
        rows: named(rows, "no flow takes it any more"),
        cause: Cause::obsolete(key),
        lines: row_lines(rows, &[]),
        places: Vec::new(),
        moved: Vec::new(),
        pixels: None,
        masks: difference::without_repeats(masks),
        masked: None,
        golden: pixels(golden.picture.as_ref())?,
        proposed: None,
        difference: None,
        entry: PendingEntry {
            files: files.collect(),
            ..PendingEntry::nothing(key)
        },
    })
}

/// Returns the only pending golden that a key or glob selects, as [`review::selected`] does.
///
/// # Errors
/// [`SnapshotError::NoSuchPending`] if none matches, [`SnapshotError::Name`] if several do.
fn one_pending(folder: &GoldenFolder, key: &str) -> Result<PendingEntry, SnapshotError> {
    let selection = Selection::Keys(vec![key.to_owned()]);
    let mut entries = review::selected(folder, &selection)?;
    match (entries.pop(), entries.is_empty()) {
        (Some(entry), true) => Ok(entry),
        _ => Err(SnapshotError::Name {
            what: "key",
            given: key.to_owned(),
            why: "several pending goldens match it; name one with its class, as the list of pending goldens does",
        }),
    }
}

/// Returns the proposed rows, shared or of the class; `None` if they are not proposed.
///
/// # Errors
/// Those of [`proposed_file`]. [`SnapshotError::BrokenGolden`] if they are not rows.
fn proposed_table(
    folder: &GoldenFolder,
    entry: &PendingEntry,
    shared: bool,
) -> Result<Option<Table>, SnapshotError> {
    let Some((path, bytes)) = proposed_file(folder, entry, FileKind::Rows, shared)? else {
        return Ok(None);
    };
    let broken = |line, why| SnapshotError::BrokenGolden {
        path: path.clone(),
        line,
        why,
    };
    let text = String::from_utf8(bytes).map_err(|_| broken(1, "it is not UTF-8 text".into()))?;
    tsv::read(&text)
        .map(Some)
        .map_err(|error| broken(error.line, error.why.to_string()))
}

/// Returns the masked area that the run recorded in the marks, from the first file that has one. The class's own
/// files take precedence. Returns `None` if no mark has it. Files that are gone or have no mark are passed over.
fn masked_area(
    folder: &GoldenFolder,
    entry: &PendingEntry,
) -> Result<Option<MaskedArea>, SnapshotError> {
    let (shared, own): (Vec<_>, Vec<_>) = entry.files.iter().partition(|file| file.shared);
    for file in own.into_iter().chain(shared) {
        let head = folder.disk.read_head(&file.pending, pending::HEAD)?;
        let mark = head.as_deref().and_then(pending::read);
        if let Some(masked) = mark.and_then(|mark| mark.masked) {
            return Ok(Some(masked));
        }
    }
    Ok(None)
}

fn proposed_picture(
    folder: &GoldenFolder,
    entry: &PendingEntry,
) -> Result<Option<Picture>, SnapshotError> {
    let file = proposed_file(folder, entry, FileKind::Picture, false)?;
    Ok(file.map(|(_, bytes)| Picture::from_png(bytes)))
}

/// Returns the path of a pending file of `entry` and its bytes without the mark. Only files that are shared, or only
/// those that are not, are looked at, as `shared` says. Of these the class's own shared rows come first, then the
/// file of this kind. Returns `None` if there is no such file, or if it was removed meanwhile.
///
/// # Errors
/// The file cannot be read. [`SnapshotError::NotPending`] if it has no valid mark.
fn proposed_file(
    folder: &GoldenFolder,
    entry: &PendingEntry,
    kind: FileKind,
    shared: bool,
) -> Result<Option<(Utf8PathBuf, Vec<u8>)>, SnapshotError> {
    // If classes propose different shared rows, each has its own file for them.
    let own = folder.path(&entry.key, FileKind::Shared, true);
    let mut files = entry.files.iter().filter(|file| file.shared == shared);
    let file = files
        .clone()
        .find(|file| file.pending == own)
        .or_else(|| files.find(|file| file.kind == kind));
    let Some(path) = file.map(|file| file.pending.clone()) else {
        return Ok(None);
    };
    let Some(bytes) = folder.disk.read(&path)? else {
        return Ok(None);
    };
    match pending::unmark(&bytes) {
        Some((_, bytes)) => Ok(Some((path, bytes))),
        None => Err(SnapshotError::NotPending(path)),
    }
}

fn pixels(picture: Option<&Picture>) -> Result<Option<Arc<Frame>>, SnapshotError> {
    let pixels = picture.map(Picture::pixels).transpose();
    pixels.map_err(unreadable)
}

fn unreadable(error: PictureError) -> SnapshotError {
    SnapshotError::Picture(error.to_string())
}

impl PendingDiff {
    /// Creates a diff without information, for an entry that could not be read. It counts as a replaced screen, and
    /// as not new.
    pub fn empty(entry: PendingEntry) -> Self {
        Self {
            entry,
            is_new: false,
            rows: Vec::new(),
            cause: Cause::new(ChangeKind::Replaced, &[]),
            lines: Vec::new(),
            places: Vec::new(),
            moved: Vec::new(),
            pixels: None,
            masks: Vec::new(),
            masked: None,
            golden: None,
            proposed: None,
            difference: None,
        }
    }
}

/// Lists the changes of the rows in words: changed masks, then the shared cells, then bounds and visibility. Equal
/// rows give none. Those of a new golden are all added.
fn words(found: &Difference, old: &Tables, new: &[Row]) -> Vec<String> {
    if old.shared.is_none() {
        return named(new, "added");
    }
    let mut rows = Vec::new();
    if found.masks {
        rows.push("the masks change".to_owned());
    }
    rows.extend(found.row_lines());
    rows.extend(found.bounds_lines());
    rows
}

/// Names each row as a person would, followed by the word: `Button#pay: added`.
fn named(rows: &[Row], word: &str) -> Vec<String> {
    rows.iter()
        .enumerate()
        .map(|(at, row)| format!("{}: {word}", row.name(at + 1)))
        .collect()
}
