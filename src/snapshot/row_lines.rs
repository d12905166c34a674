//! Two tables beside each other, row by row, for people to read.

use super::row::Row;
use super::rows_diff::{align, bounds_changes, shared_changes};

/// One row on one or both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct RowLine {
    /// Its number from 1 and its row in the golden.
    pub golden: Option<(usize, Row)>,
    /// Its number from 1 and its row in what was seen.
    pub actual: Option<(usize, Row)>,
    /// What changed, in words; empty where nothing did, or where it is on one side only.
    pub changes: Vec<String>,
}

impl RowLine {
    /// Whether both sides have it, unchanged.
    pub fn is_same(&self) -> bool {
        self.golden.is_some() && self.actual.is_some() && self.changes.is_empty()
    }
}

/// The rows of both sides in one order: a removed row stands where it was.
pub fn row_lines(golden: &[Row], actual: &[Row]) -> Vec<RowLine> {
    let shared = shared_changes(golden, actual);
    let bounds = bounds_changes(golden, actual);
    let numbered = |rows: &[Row], at: usize| (at + 1, rows[at].clone());
    align(golden, actual)
        .into_iter()
        .map(|(old, new)| RowLine {
            golden: old.map(|at| numbered(golden, at)),
            actual: new.map(|at| numbered(actual, at)),
            changes: shared
                .iter()
                .chain(&bounds)
                .filter(|change| old.is_some() && change.golden == old && change.actual == new)
                .map(ToString::to_string)
                .collect(),
        })
        .collect()
}
