//! The golden and the screen whose difference has a cause.

use crate::difference::{Difference, GoldenProposal, Tables};
use crate::expected_picture::PicturePair;
use crate::picture_check::PictureCheck;
use crate::row::Row;
use crate::rows_diff::RowChange;
use runner_screen::Rect;

/// Rows of the golden and of the screen, and both pictures if they have the same size and differ.
pub(super) struct SnapshotPair<'a> {
    /// Rows that all devices share.
    pub(super) shared: &'a [Row],
    /// Rows of the golden's class, with bounds.
    pub(super) class: &'a [Row],
    pub(super) actual: &'a [Row],
    pub(super) pictures: Option<PicturePair<'a>>,
}

impl<'a> SnapshotPair<'a> {
    /// Puts both sides together. The pictures are among them only if `picture` has both in one size. Without rows of
    /// the class no row explains a pixel.
    pub(super) fn new(
        found: &Difference,
        picture: Option<&'a PictureCheck>,
        tables: &'a Tables,
        proposed: GoldenProposal<'a>,
    ) -> Self {
        let pixels = picture.and_then(|picture| picture.pixels.as_ref());
        let pixels = pixels.filter(|[golden, actual]| golden.dimensions() == actual.dimensions());
        Self {
            shared: tables.shared_rows(),
            class: tables.class_rows(),
            actual: proposed.rows,
            pictures: pixels.map(|[golden, actual]| {
                let class = tables.class_rows();
                // Without bounds of the golden's rows no row can explain a pixel.
                let rows = if class.is_empty() { &[] } else { proposed.rows };
                PicturePair::new((&**golden, &**actual), class, rows, &found.rows)
            }),
        }
    }

    /// Returns the rows of both sides for a change of the shared rows.
    pub(super) fn rows(&self, change: &RowChange) -> (Option<&'a Row>, Option<&'a Row>) {
        (
            change.golden.and_then(|at| self.shared.get(at)),
            change.actual.and_then(|at| self.actual.get(at)),
        )
    }

    /// Returns the bounds of a changed row in the golden of the class and on the screen; `None` for a side
    /// that does not have the row or its bounds.
    pub(super) fn places(&self, change: &RowChange) -> (Option<Rect>, Option<Rect>) {
        let of = |rows: &[Row], at: Option<usize>| rows.get(at?)?.bounds;
        (
            of(self.class, change.golden),
            of(self.actual, change.actual),
        )
    }

    /// Returns the name of a changed row, without its number: that on the screen, else that in the shared
    /// golden, else the name in `change`.
    pub(super) fn label(&self, change: &RowChange) -> String {
        let row = match (change.actual, change.golden) {
            (Some(at), _) => self.actual.get(at),
            (None, Some(at)) => self.shared.get(at),
            (None, None) => None,
        };
        row.map_or_else(|| change.name.clone(), Row::label)
    }

    pub(super) fn has_words(&self, change: &RowChange) -> bool {
        let row = change.actual.and_then(|at| self.actual.get(at));
        row.is_some_and(|row| !row.text.is_empty() || !row.hint.is_empty())
    }

    /// Returns a text that tells the row from others with the same words: its colours or pixels. The text is empty
    /// without two pictures of one size, and for a row that is gone from the screen.
    pub(super) fn look(&self, change: &RowChange) -> String {
        let pictures = self.pictures.as_ref().zip(change.actual);
        pictures.map_or_else(String::new, |(pictures, at)| {
            pictures.look(at, self.has_words(change))
        })
    }
}
