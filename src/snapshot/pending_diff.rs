//! What a pending golden would change: in words and in pictures, from the files alone.

use std::sync::Arc;

use image::RgbaImage;

use super::picture::{self, PixelMask};
use super::row::Row;
use super::{
    Cause, ChangeKind, FileKind, GoldenKey, PendingEntry, RowLine, Selection, SnapshotError, Store,
    Table, pending, row_lines, rows_diff, tsv,
};
use crate::device::Picture;
use crate::screen::Rect;

/// A pending golden beside the golden it would replace.
#[derive(Debug, Clone)]
pub struct PendingDiff {
    /// What is pending.
    pub entry: PendingEntry,
    /// Whether there is no golden yet.
    pub is_new: bool,
    /// What changes in the rows, most weighty first; of a new golden its rows.
    pub rows: Vec<String>,
    /// Why it is pending.
    pub cause: Cause,
    /// Both sides' rows beside each other, in order; of a new golden only the proposed ones. Rows have bounds where the
    /// class's files have them.
    pub lines: Vec<RowLine>,
    /// Where the picture changes, largest first.
    pub places: Vec<Place>,
    /// What only moved.
    pub moved: Vec<Moved>,
    /// What changes in the picture, where it does.
    pub pixels: Option<String>,
    /// The golden's picture.
    pub golden: Option<Arc<RgbaImage>>,
    /// The picture that would replace it.
    pub proposed: Option<Arc<RgbaImage>>,
    /// The difference of the two, where both are there.
    pub difference: Option<RgbaImage>,
}

/// Where a picture changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The element it lies in, as people call it.
    pub name: Option<String>,
    /// Changed pixels.
    pub pixels: u64,
    /// Around them, in pixels of the picture.
    pub bounds: Rect,
}

/// Content that moved and did not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The golden's rows from this one on: their y, in pixels.
    pub below: i32,
    /// By so many pixels to the right and down.
    pub by: (i32, i32),
    /// So many rows.
    pub rows: usize,
}

/// A table on both sides: the golden's and the proposed one.
type Sides = (Option<Table>, Option<Table>);

impl Store {
    /// What one pending golden would change. `key` may leave out the class where only one device proposed it.
    ///
    /// # Errors
    /// No pending golden has this key, or several have; a file that does not read.
    pub fn pending_diff(&self, key: &str) -> Result<PendingDiff, SnapshotError> {
        let entry = self.one_pending(key)?;
        let shared = self.tables(&entry, true)?;
        let class = self.tables(&entry, false)?;
        let is_new = self
            .disk
            .read(&self.path(&entry.key.shared(), FileKind::Rows, false))?
            .is_none();
        let mut rows = Vec::new();
        match &shared {
            (Some(golden), Some(proposed)) => {
                rows.extend(rows_diff::lines(&rows_diff::shared_changes(
                    &golden.rows,
                    &proposed.rows,
                )));
                if golden.metadata.get("masks") != proposed.metadata.get("masks") {
                    rows.insert(0, "the masks change".to_owned());
                }
            }
            (None, Some(proposed)) => rows.extend(names(&proposed.rows)),
            _ => {}
        }
        if let (Some(golden), Some(proposed)) = &class {
            let changes = rows_diff::bounds_changes(&golden.rows, &proposed.rows);
            rows.extend(rows_diff::lines(&changes));
            rows.dedup();
        }
        let golden = self.picture(&entry, false)?;
        let proposed = self.picture(&entry, true)?;
        let lines = lines(&class, &shared);
        let mut diff = PendingDiff {
            entry,
            is_new,
            rows,
            cause: Cause::new(ChangeKind::New, &[]),
            lines,
            places: Vec::new(),
            moved: Vec::new(),
            pixels: None,
            golden,
            proposed,
            difference: None,
        };
        diff.compare_pictures(&class);
        diff.cause = diff.why(&shared, &class);
        Ok(diff)
    }

    fn one_pending(&self, key: &str) -> Result<PendingEntry, SnapshotError> {
        let selection = Selection::Keys(vec![key.to_owned()]);
        let mut entries = self.selected(&selection)?;
        match (entries.pop(), entries.is_empty()) {
            (Some(entry), true) => Ok(entry),
            _ => Err(SnapshotError::Name {
                what: "key",
                given: key.to_owned(),
                why: "several pending goldens match it; name one with its class, as the list of pending goldens does",
            }),
        }
    }

    fn tables(&self, entry: &PendingEntry, shared: bool) -> Result<Sides, SnapshotError> {
        let key = if shared {
            entry.key.shared()
        } else {
            entry.key.clone()
        };
        // Another class may propose other rows for all devices: then this class's are beside them.
        let own = entry.files.iter().find(|file| {
            file.shared && file.pending == self.path(&entry.key, FileKind::Shared, true)
        });
        let golden = self.table(&key, FileKind::Rows, false)?;
        let proposed = if shared && own.is_some() {
            self.table(&entry.key, FileKind::Shared, true)?
        } else {
            self.table(&key, FileKind::Rows, true)?
        };
        Ok((golden, proposed))
    }

    fn table(
        &self,
        key: &GoldenKey,
        kind: FileKind,
        is_pending: bool,
    ) -> Result<Option<Table>, SnapshotError> {
        let path = self.path(key, kind, is_pending);
        let Some(bytes) = self.contents(key, kind, is_pending)? else {
            return Ok(None);
        };
        let broken = |line, why| SnapshotError::BrokenGolden {
            path: path.clone(),
            line,
            why,
        };
        let text = String::from_utf8(bytes).map_err(|_| broken(1, "it is no UTF-8 text".into()))?;
        tsv::read(&text)
            .map(Some)
            .map_err(|error| broken(error.line, error.why))
    }

    fn picture(
        &self,
        entry: &PendingEntry,
        is_pending: bool,
    ) -> Result<Option<Arc<RgbaImage>>, SnapshotError> {
        let Some(bytes) = self.contents(&entry.key, FileKind::Picture, is_pending)? else {
            return Ok(None);
        };
        Picture::from_png(bytes)
            .pixels()
            .map(Some)
            .map_err(|error| SnapshotError::Picture(error.to_string()))
    }

    /// A file's bytes, those of a pending one without its mark.
    fn contents(
        &self,
        key: &GoldenKey,
        kind: FileKind,
        is_pending: bool,
    ) -> Result<Option<Vec<u8>>, SnapshotError> {
        let path = self.path(key, kind, is_pending);
        let Some(bytes) = self.disk.read(&path)? else {
            return Ok(None);
        };
        if !is_pending {
            return Ok(Some(bytes));
        }
        match pending::unmark(&bytes) {
            Some((_, bytes)) => Ok(Some(bytes)),
            None => Err(SnapshotError::NotPending(path)),
        }
    }
}

/// The rows of the class with their bounds, else those all devices share.
fn lines(class: &Sides, shared: &Sides) -> Vec<RowLine> {
    let rows = |table: &Option<Table>| table.as_ref().map_or(&[][..], |table| &table.rows).to_vec();
    let sides = if class.1.is_some() { class } else { shared };
    row_lines(&rows(&sides.0), &rows(&sides.1))
}

impl PendingDiff {
    fn why(&self, shared: &Sides, class: &Sides) -> Cause {
        if self.is_new {
            return Cause::new(ChangeKind::New, &[]);
        }
        let changes =
            |sides: &Sides, of: fn(&[Row], &[Row]) -> Vec<rows_diff::RowChange>| match sides {
                (Some(golden), Some(proposed)) => of(&golden.rows, &proposed.rows),
                _ => Vec::new(),
            };
        let other_size = match (&self.golden, &self.proposed) {
            (Some(golden), Some(proposed)) => golden.dimensions() != proposed.dimensions(),
            _ => false,
        };
        Cause::of_changes(
            &changes(shared, rows_diff::shared_changes),
            &changes(class, rows_diff::bounds_changes),
            other_size,
            false,
        )
    }

    fn compare_pictures(&mut self, class: &Sides) {
        let (Some(golden), Some(proposed)) = (&self.golden, &self.proposed) else {
            return;
        };
        if golden.dimensions() != proposed.dimensions() {
            self.pixels = Some(format!(
                "the picture is {}x{} px instead of {}x{} px",
                proposed.width(),
                proposed.height(),
                golden.width(),
                golden.height()
            ));
            return;
        }
        let tables = [&class.0, &class.1].into_iter().flatten();
        let masked: Vec<Rect> = tables
            .flat_map(|table| &table.rows)
            .filter(|row| row.is_masked())
            .filter_map(|row| row.bounds)
            .collect();
        let mask = PixelMask::new(golden.width(), golden.height(), &masked);
        let comparison = picture::compare(golden, proposed, &mask);
        let places: Vec<Rect> = comparison
            .clusters
            .iter()
            .map(|cluster| cluster.bounds)
            .collect();
        self.pixels = Some(format!(
            "{} of {} px change, in {} places",
            comparison.changed,
            comparison.compared,
            places.len()
        ));
        self.places = comparison
            .clusters
            .iter()
            .map(|cluster| Place {
                name: None,
                pixels: cluster.pixels,
                bounds: cluster.bounds,
            })
            .collect();
        self.difference = Some(picture::difference(golden, proposed, &mask, &places));
    }
}

/// Rows by the names a person gives them.
fn names(rows: &[Row]) -> Vec<String> {
    rows.iter()
        .enumerate()
        .map(|(at, row)| format!("{}: added", row.name(at + 1)))
        .collect()
}
