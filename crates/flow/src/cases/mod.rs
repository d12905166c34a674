//! Cases: a flow that is run once for each combination of a matrix, for each row of a table, or for both.

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

/// Most cases of one flow.
pub const MAX_CASES: usize = 10_000;

/// One case of a flow.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name, unique within its flow: `anna`, `de-dark`, `anna@de-dark`.
    pub name: CaseName,
    /// The row of the flow's table.
    pub row: Option<Arc<Row>>,
    /// The combination of the matrix.
    pub combination: Option<Arc<Combination>>,
}

/// A row of a flow's table.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name, unique within the table; its goldens lie in a folder of this name.
    pub name: CaseName,
    /// The file it stands in: the flow's, or a table's.
    pub source: Arc<Source>,
    columns: Arc<[String]>,
    cells: Vec<Spanned<Argument>>,
}

impl Row {
    /// Its columns and what they hold, in their order: texts, perhaps with expressions.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Spanned<Argument>)> {
        self.columns
            .iter()
            .map(String::as_str)
            .zip(self.cells.iter())
    }

    /// What a column holds.
    pub fn value(&self, column: &str) -> Option<&Spanned<Argument>> {
        let mut values = self.values();
        values.find_map(|(name, value)| (name == column).then_some(value))
    }
}

/// A flow's table.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Its rows, in order.
    pub rows: Vec<Arc<Row>>,
    /// Names of its columns.
    pub columns: Arc<[String]>,
    /// Its file, where it stands in one of its own.
    pub file: Option<Arc<Source>>,
}

/// All cases of a flow: each row with each combination. None where it has neither.
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
