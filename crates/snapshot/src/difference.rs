//! The comparison of a golden with what would replace it, which runs and reviews share.

use super::SnapshotError;
use super::golden::Golden;
use super::moved_content::MovedContent;
use super::picture::{Block, Shift};
use super::picture_check::{ChangedArea, PictureCheck};
use super::redact::Redactions;
use super::row::Row;
use super::rows_diff::{self, Change, RowChange};
use super::tsv::{self, Metadata, Table};
use runner_screen::Rect;

/// Number of rows moved by the same distance that share one line. Chosen: one or two are named by themselves.
const MIN_MOVED_TOGETHER: usize = 3;

/// Key of the metadata that lists the areas of the picture that were not compared. Only class files have it.
const LEFT_OUT: &str = "left_out";

/// Key of the metadata of a golden that was taken without a picture, with the value `none`. Only class files have it.
const PICTURE: &str = "picture";

/// Parsed texts of a golden.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    pub shared: Option<Table>,
    pub class: Option<Table>,
}

impl Tables {
    /// Parses a golden's rows, shared and of the class, with secrets masked and the rules of redaction applied. Files
    /// that are missing are `None`. Fails if one of them cannot be parsed.
    pub(super) fn read(golden: &Golden, redactions: &Redactions) -> Result<Self, SnapshotError> {
        let read = |text: &Option<String>, which: usize| {
            let Some(text) = text else { return Ok(None) };
            let mut table = tsv::read(text).map_err(|error| SnapshotError::BrokenGolden {
                path: golden.found[which].clone(),
                line: error.line,
                why: error.why.to_string(),
            })?;
            redactions.apply_to_golden(&mut table);
            Ok(Some(table))
        };
        Ok(Self {
            shared: read(&golden.shared, 0)?,
            class: read(&golden.rows, 1)?,
        })
    }

    pub(super) fn shared_rows(&self) -> &[Row] {
        rows(self.shared.as_ref())
    }

    pub(super) fn class_rows(&self) -> &[Row] {
        rows(self.class.as_ref())
    }

    /// Returns the tables with those of the class in place of the shared ones. The tables of the class stay too.
    pub(super) fn with_class_as_shared(&self) -> Self {
        Self {
            shared: self.class.clone(),
            class: self.class.clone(),
        }
    }

    /// Returns the golden's rows with bounds. Returns the shared rows, which have none, if the class's rows
    /// differ from them in number or in any cell that devices share. Without shared rows it returns those of
    /// the class.
    pub(super) fn rows(&self) -> &[Row] {
        let (shared, class) = (self.shared_rows(), self.class_rows());
        let fits = shared.len() == class.len()
            && shared
                .iter()
                .zip(class)
                .all(|(one, other)| one.same_shared(other));
        if fits || shared.is_empty() {
            class
        } else {
            shared
        }
    }

    /// Returns true if the rows of the class say that no picture was taken with them.
    pub(super) fn has_no_picture(&self) -> bool {
        let class = self.class.as_ref();
        let picture = class.and_then(|class| class.metadata.get(PICTURE));
        picture.is_some_and(|picture| picture == "none")
    }

    /// Returns the hash of the masks with which the golden was taken, if known.
    pub(super) fn masks(&self) -> Option<&String> {
        self.shared.as_ref()?.metadata.get("masks")
    }
}

fn rows(table: Option<&Table>) -> &[Row] {
    table.map_or(&[], |table| &table.rows)
}

/// Returns the bounds of masked rows.
pub(super) fn masked(rows: &[Row]) -> impl Iterator<Item = Rect> + '_ {
    rows.iter()
        .filter(|row| row.is_masked())
        .filter_map(|row| row.bounds)
}

/// Records the areas that were not compared, so that a review leaves out the same. Without areas the metadata
/// stays as it is.
pub(super) fn note_left_out(metadata: &mut Metadata, areas: &[Rect]) {
    if !areas.is_empty() {
        let areas: Vec<String> = areas.iter().map(ToString::to_string).collect();
        metadata.insert(LEFT_OUT.to_owned(), areas.join(";"));
    }
}

/// Records that the golden is taken without a picture, so that a missing one does not count as lost later.
pub(super) fn note_no_picture(metadata: &mut Metadata) {
    metadata.insert(PICTURE.to_owned(), "none".to_owned());
}

/// Returns the areas that [`note_left_out`] recorded; parts that are no bounds are ignored.
pub(super) fn left_out(metadata: &Metadata) -> Vec<Rect> {
    let areas = metadata.get(LEFT_OUT).map_or("", String::as_str);
    areas.split(';').filter_map(tsv::read_bounds).collect()
}

/// Removes repeated areas. The first of equal ones stays in its place; overlapping ones are not equal.
pub(super) fn without_repeats(areas: impl IntoIterator<Item = Rect>) -> Vec<Rect> {
    let mut stored: Vec<Rect> = Vec::new();
    for area in areas {
        if !stored.contains(&area) {
            stored.push(area);
        }
    }
    stored
}

/// Contents that would replace a golden.
#[derive(Debug, Clone, Copy)]
pub(super) struct GoldenProposal<'a> {
    /// Rows, with bounds where they are known.
    pub rows: &'a [Row],
    pub metadata: &'a Metadata,
}

/// Differences between a golden and a proposal.
#[derive(Debug, Clone, Default)]
pub(super) struct Difference {
    /// True if the golden names masks and they are not those of the proposal.
    pub masks: bool,
    /// Changes of the shared rows.
    pub rows: Vec<RowChange>,
    /// Changes of the class's bounds.
    pub bounds: Vec<RowChange>,
    /// Content that moved and is otherwise unchanged.
    pub moved: Vec<MovedContent>,
    /// Comparison of the pictures, if both sides have one.
    pub picture: Option<PictureCheck>,
}

impl Difference {
    /// Compares the rows with the golden's, their bounds only with those of the class, and includes the comparison of
    /// the pictures. Without shared rows nothing but the picture is kept. Moves in a failed picture are checked against
    /// the rows. The masks count as changed only if the golden names any.
    pub(super) fn new(
        golden: &Tables,
        proposed: GoldenProposal<'_>,
        mut picture: Option<PictureCheck>,
    ) -> Self {
        if golden.shared.is_none() {
            // The picture is that of another tool.
            return Self {
                picture,
                ..Self::default()
            };
        }
        let rows = rows_diff::shared_changes(golden.shared_rows(), proposed.rows);
        let mut bounds = Vec::new();
        if let Some(class) = &golden.class {
            bounds = rows_diff::bounds_changes(&class.rows, proposed.rows);
            if !rows.is_empty() {
                // Added and removed rows are among the changes of the shared rows already.
                bounds.retain(|change| !matches!(change.change, Change::Added | Change::Removed));
            }
        }
        let masks = golden.masks();
        let mut moved = moved_rows(&bounds, golden.class_rows());
        if let Some(picture) = picture.as_mut().filter(|picture| !picture.passed()) {
            // First all possible moves are found, then the rows rule out some of them.
            picture.separate_blocks(&blocks(&bounds, golden.class_rows(), proposed.rows));
            if !golden.class_rows().is_empty() {
                picture.drop_contradicted_moves(golden.class_rows(), proposed.rows, &rows);
            }
            add_areas(&mut moved, &picture.moved);
        }
        Self {
            masks: masks.is_some() && masks != proposed.metadata.get("masks"),
            moved,
            rows,
            bounds,
            picture,
        }
    }

    /// Returns true if the pictures were compared and do not pass.
    pub(super) fn picture_failed(&self) -> bool {
        self.picture
            .as_ref()
            .is_some_and(|picture| !picture.passed())
    }

    /// Returns true if rows, bounds or compared pictures differ. The masks do not count.
    pub(super) fn differs(&self) -> bool {
        !self.rows.is_empty() || !self.bounds.is_empty() || self.picture_failed()
    }

    /// Returns the changed areas of the picture, named by the rows of both sides. Returns none if it passes
    /// or was not compared.
    pub(super) fn places(&self, golden: &Tables, proposed: GoldenProposal<'_>) -> Vec<ChangedArea> {
        let rows = naming(golden, proposed);
        let picture = self.picture.as_ref().filter(|picture| !picture.passed());
        picture.map_or_else(Vec::new, |picture| picture.places(&rows))
    }

    /// Describes the changes of the rows in lines for people. Bounds are not among them.
    pub(super) fn row_lines(&self) -> Vec<String> {
        rows_diff::lines(&self.rows)
    }

    /// Describes the changes of the picture in lines for people. Returns none if it passes or was not
    /// compared.
    pub(super) fn picture_lines(
        &self,
        golden: &Tables,
        proposed: GoldenProposal<'_>,
    ) -> Vec<String> {
        let rows = naming(golden, proposed);
        let picture = self.picture.as_ref().filter(|picture| !picture.passed());
        picture.map_or_else(Vec::new, |picture| picture.lines(&rows))
    }

    /// Describes the changes of bounds. [`MIN_MOVED_TOGETHER`] rows or more that moved by the same distance
    /// share a line; these come after the single changes, together with moves that only the pixels show.
    pub(super) fn bounds_lines(&self) -> Vec<String> {
        let together = |change: &RowChange| {
            matches!(change.change, Change::Moved(x, y) if self.moved.iter().any(|moved| {
                moved.rows >= MIN_MOVED_TOGETHER && (i64::from(moved.by.0), i64::from(moved.by.1)) == (x, y)
            }))
        };
        let single: Vec<RowChange> = self
            .bounds
            .iter()
            .filter(|change| !together(change))
            .cloned()
            .collect();
        let moved = self
            .moved
            .iter()
            // If no rows moved, nothing else reports the move.
            .filter(|moved| moved.rows >= MIN_MOVED_TOGETHER || moved.rows == 0);
        let mut lines = rows_diff::lines(&single);
        lines.extend(moved.map(ToString::to_string));
        lines
    }
}

/// Returns the rows that can name areas, with their positions: those of the proposal, then those of the
/// golden for what has vanished.
fn naming<'a>(
    golden: &'a Tables,
    proposed: GoldenProposal<'a>,
) -> impl Iterator<Item = (usize, &'a Row)> + Clone {
    let before = golden.class_rows().iter().enumerate();
    proposed.rows.iter().enumerate().chain(before)
}

/// Adds the areas in which the pixels show moved content, including content that no row shows. A known move
/// of the same distance gets the areas in place of its own; any other becomes a new entry with 0 rows.
fn add_areas(moved: &mut Vec<MovedContent>, shifts: &[Shift]) {
    for shift in shifts {
        let from = shift.areas.iter().map(|area| area.top - shift.by.1).min();
        match moved.iter_mut().find(|moved| moved.by == shift.by) {
            Some(moved) => moved.areas.clone_from(&shift.areas),
            None => moved.push(MovedContent {
                below: from.unwrap_or_default(),
                by: shift.by,
                rows: 0,
                areas: shift.areas.clone(),
            }),
        }
    }
}

/// Returns the elements that moved sideways, old and new bounds, which the picture alone does not show. Those
/// that changed their size or moved only up or down are left out.
fn blocks(bounds: &[RowChange], golden: &[Row], rows: &[Row]) -> Vec<Block> {
    let block = |change: &RowChange| {
        let (Change::Moved(x, _), Some(old), Some(new)) =
            (&change.change, change.golden, change.actual)
        else {
            return None;
        };
        let block = Block {
            from: golden.get(old)?.bounds?,
            to: rows.get(new)?.bounds?,
        };
        (*x != 0).then_some(block)
    };
    bounds.iter().filter_map(block).collect()
}

/// Groups the moved rows by distance. The groups with the most rows come first, then the higher on the
/// screen. Resized rows are left out.
fn moved_rows(bounds: &[RowChange], golden: &[Row]) -> Vec<MovedContent> {
    let mut all: Vec<MovedContent> = Vec::new();
    for change in bounds {
        let (Change::Moved(x, y), Some(before)) = (
            &change.change,
            change.golden.and_then(|at| golden.get(at)?.bounds),
        ) else {
            continue;
        };
        let (Ok(x), Ok(y)) = (i32::try_from(*x), i32::try_from(*y)) else {
            continue;
        };
        match all.iter_mut().find(|moved| moved.by == (x, y)) {
            Some(moved) => {
                moved.below = moved.below.min(before.top);
                moved.rows += 1;
            }
            None => all.push(MovedContent {
                below: before.top,
                by: (x, y),
                rows: 1,
                areas: Vec::new(),
            }),
        }
    }
    all.sort_by_key(|moved| (std::cmp::Reverse(moved.rows), moved.below));
    all
}
