//! Names the rows of a table, and reports those that cannot be named.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::super::row_names::{NamedTable, RowNameError, row_names};
use super::super::{Row, Rows};
use crate::ast::{Argument, Spanned};
use crate::reader::Reader;
use crate::report::{SourceRange, error};
use runner_text::diagnostic::{Code, Source};
use runner_text::secret::sounds_secret;

impl Reader<'_> {
    /// Names the rows, and builds the table of them with `file` unset. Cells of secret columns stay out of the names,
    /// and so do those that only sound secret, other than `name` and `case`. `place` returns the range of a row in
    /// `source`, for errors. Reports rows that cannot be named, and then returns `None`.
    pub(super) fn name_rows(
        &mut self,
        source: &Arc<Source>,
        columns: Vec<String>,
        rows: Vec<Vec<Spanned<Argument>>>,
        secrets: &[String],
        place: impl Fn(usize) -> Range<usize>,
    ) -> Option<Rows> {
        let options = self.project.options;
        let is_secret =
            |column: &String| secrets.contains(column) || options.secrets.contains(column);
        let reported = |cell: &Spanned<Argument>| match &cell.value {
            Argument::Literal(Value::String(text)) => Some(options.hidden.scrub(text).into_owned()),
            _ => None,
        };
        let is_naming = |column: &str| matches!(column, "name" | "case");
        let table = NamedTable {
            columns: &columns,
            is_hidden: columns
                .iter()
                .map(|column| is_secret(column) || !is_naming(column) && sounds_secret(column))
                .collect(),
            rows: rows
                .iter()
                .map(|row| row.iter().map(reported).collect())
                .collect(),
        };
        let names = match row_names(&table) {
            Ok(names) => names,
            Err(problem) => {
                let row = match problem {
                    RowNameError::Secret { .. } => 0,
                    RowNameError::Empty { row, .. }
                    | RowNameError::Repeated { row, .. }
                    | RowNameError::Same { row, .. } => row,
                };
                let cell = match problem {
                    RowNameError::Empty { column, .. } | RowNameError::Repeated { column, .. } => {
                        rows.get(row).and_then(|cells| cells.get(column))
                    }
                    _ => None,
                };
                let span = cell.map_or_else(|| place(row), |cell| cell.span.clone());
                let line = |row: usize| {
                    runner_text::diagnostic::line_column(&source.text, place(row).start).0
                };
                let is_computed =
                    cell.is_some_and(|cell| !matches!(cell.value, Argument::Literal(_)));
                let (message, help) = match problem {
                    RowNameError::Empty { column, .. } if is_computed => {
                        let column = columns.get(column).map_or("name", String::as_str);
                        expression_as_name(column)
                    }
                    _ => describe_problem(&problem, &columns, line),
                };
                let mut diagnostic = error(&SourceRange::new(source, span), Code::Table, message);
                diagnostic.help = help;
                self.diagnostics.push(diagnostic);
                return None;
            }
        };
        let columns: Arc<[String]> = columns.into();
        let rows = names.into_iter().zip(rows).map(|(name, cells)| {
            Arc::new(Row {
                name,
                source: Arc::clone(source),
                columns: Arc::clone(&columns),
                cells,
            })
        });
        Some(Rows {
            rows: rows.collect(),
            columns: Arc::clone(&columns),
            file: None,
        })
    }
}

/// Returns message and help for an expression in the column that names the cases.
fn expression_as_name(column: &str) -> (String, Option<String>) {
    (
        format!("the `{column}` of this row holds an expression, but cases are named before a run"),
        Some(
            "write the case's name as it is, and give the expression a column of its own"
                .to_owned(),
        ),
    )
}

/// Returns message and help for rows that cannot be named. `line` converts the number of a row, from 0, to its line.
/// The message may quote a name, but no other cell.
fn describe_problem(
    problem: &RowNameError,
    columns: &[String],
    line: impl Fn(usize) -> usize,
) -> (String, Option<String>) {
    let called = |column: usize| columns.get(column).map_or("name", String::as_str);
    match problem {
        RowNameError::Secret { column } => (
            format!("cases are named by the column `{}`, which is a secret", called(*column)),
            Some("give the secret another column".to_owned()),
        ),
        RowNameError::Empty { column, .. } => (
            format!("this row has no `{}`, by which its case is named", called(*column)),
            None,
        ),
        RowNameError::Repeated {
            earlier,
            column,
            name,
            ..
        } => (
            format!(
                "the case `{name}` is named in line {} already; the column `{}` names each case once",
                line(*earlier),
                called(*column)
            ),
            Some("capital and small letters count as the same, what no file name may hold is `_`, and a name ends after 64 characters".to_owned()),
        ),
        RowNameError::Same { earlier, .. } => (
            format!("this row is the same as that of line {}", line(*earlier)),
            Some("remove it, or tell them apart by a column `name`".to_owned()),
        ),
    }
}
