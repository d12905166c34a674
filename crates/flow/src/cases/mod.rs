//! Cases of a flow: one for each combination of a matrix, each row of a table, or each pair of both.

mod header;
mod matrix;
mod name;
mod row_names;
mod rows;
mod table;

use std::sync::Arc;

use super::ast::{Argument, Spanned};
use runner_text::diagnostic::Source;

pub use matrix::{Combination, Matrix, MatrixError};
pub use name::CaseName;
pub(crate) use rows::schema as each_schema;

/// Number of cases of one flow. Chosen: reports of more are hard to use, and each case takes seconds at
/// least.
pub const MAX_CASES: usize = 10_000;

#[derive(Debug, Clone)]
pub struct Case {
    /// Name, unique within the flow: `anna`, `de-dark`, `anna@de-dark`.
    pub name: CaseName,
    /// Row of the flow's table, if it has one.
    pub row: Option<Arc<Row>>,
    /// Combination of the matrix, if the flow has one.
    pub combination: Option<Arc<Combination>>,
}

#[derive(Debug, Clone)]
pub struct Row {
    /// Name, unique within the table, and the folder of its goldens.
    pub name: CaseName,
    /// File of the row: the flow, or a CSV file.
    pub source: Arc<Source>,
    columns: Arc<[String]>,
    cells: Vec<Spanned<Argument>>,
}

impl Row {
    /// Iterates over the columns and their cells, in order. A cell may have expressions.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Spanned<Argument>)> {
        self.columns
            .iter()
            .map(String::as_str)
            .zip(self.cells.iter())
    }

    /// Returns the cell in a column; `None` if there is no such column.
    pub fn value(&self, column: &str) -> Option<&Spanned<Argument>> {
        let mut values = self.values();
        values.find_map(|(name, value)| (name == column).then_some(value))
    }
}

/// Table of a flow.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    pub rows: Vec<Arc<Row>>,
    pub columns: Arc<[String]>,
    /// CSV file; `None` if the rows are in the flow itself.
    pub file: Option<Arc<Source>>,
}

/// Combines each row with each combination of the matrix, all combinations of a row one after another, and names the
/// cases: `anna@de-dark`. With only one of them, a case has that one alone, and its name: `anna` or `de-dark`.
/// Returns no case if a flow has neither. The number is not limited here.
pub(super) fn expand(rows: Option<&Rows>, matrix: Option<&Matrix>) -> Vec<Arc<Case>> {
    let combinations = matrix.map_or_else(Vec::new, Matrix::combinations);
    let rows = rows.map_or(&[][..], |table| &table.rows);
    let case = |row: Option<&Arc<Row>>, combination: Option<&Arc<Combination>>| {
        let name = match (row, combination) {
            (Some(row), Some(combination)) => CaseName::joined(&row.name, &combination.variant()),
            (Some(row), None) => row.name.clone(),
            (None, Some(combination)) => CaseName::new(&combination.variant()),
            (None, None) => CaseName::new(""),
        };
        Arc::new(Case {
            name,
            row: row.cloned(),
            combination: combination.cloned(),
        })
    };
    match (rows, combinations.as_slice()) {
        ([], []) => Vec::new(),
        ([], combinations) => combinations.iter().map(|it| case(None, Some(it))).collect(),
        (rows, []) => rows.iter().map(|row| case(Some(row), None)).collect(),
        (rows, combinations) => rows
            .iter()
            .flat_map(|row| combinations.iter().map(move |it| case(Some(row), Some(it))))
            .collect(),
    }
}

#[cfg(test)]
mod tests;
