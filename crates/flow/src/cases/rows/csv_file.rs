//! Reads the rows of a CSV file beside the flow.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use camino::Utf8Path;

use super::super::Rows;
use super::super::table::{self, BYTE_ORDER_MARK, Cell, Table};
use super::hidden::{head, without_rows};
use crate::ast::{Argument, Spanned};
use crate::expression::mentions_expression;
use crate::files::{ContainmentError, inside, load_up_to, normalise};
use crate::interpolate::{check_name, plain_name};
use crate::missing_file::meant_file;
use crate::names::{Names, Text};
use crate::reader::{Reader, has_error};
use crate::report::{SourceRange, error};
use crate::yaml::Node;
use runner_text::diagnostic::{Code, Diagnostic, Source};
use runner_text::secret::sounds_secret;

/// Maximum size of a CSV file in bytes. Chosen: room for [`MAX_CASES`](crate::cases::MAX_CASES) rows of more than 1
/// kB each.
const MAX_TABLE_BYTES: u64 = 16 * 1024 * 1024;

impl Reader<'_> {
    /// Reads rows of the CSV file at the path `text`, relative to the flow's file. Reports errors, and then returns
    /// `None`. If a column is a secret, by its name, by `secrets` or by the project's secrets, the errors quote no
    /// cells.
    pub(super) fn rows_of_file(
        &mut self,
        node: &Node,
        text: &str,
        secrets: &[String],
    ) -> Option<Rows> {
        let source = self.table_source(node, text)?;
        let read = table::read(&source);
        let options = self.project.options;
        // As `rows_of_table` reads names, also in a file that is not read to its end, or has another separator.
        let is_secret = |columns: &str| {
            let columns = columns.trim_start_matches(BYTE_ORDER_MARK);
            columns.split([',', ';', '\t', '|']).any(|column| {
                let column = column.trim().trim_matches('"').trim();
                let mut known = secrets.iter().chain(&options.secrets);
                sounds_secret(column) || known.any(|it| it == column)
            })
        };
        let table = match read {
            Ok(table) => table,
            Err(wrong) => {
                let hides = is_secret(head(&source.text));
                let wrong = wrong.into_iter();
                let wrong = wrong.map(|it| if hides { without_rows(it) } else { it });
                self.diagnostics.extend(wrong);
                return None;
            }
        };
        let hides = table.columns.iter().any(|column| is_secret(&column.text));
        let before = self.diagnostics.len();
        let found = self.rows_of_table(&source, table, secrets);
        if hides {
            for diagnostic in self.diagnostics.split_off(before) {
                let is_here = Arc::ptr_eq(&diagnostic.source, &source);
                self.diagnostics.push(if is_here {
                    without_rows(diagnostic)
                } else {
                    diagnostic
                });
            }
        }
        found.map(|rows| Rows {
            file: Some(source),
            ..rows
        })
    }

    /// Loads the CSV file that `each` names, a path relative to the flow's file. Reports an error and returns
    /// `None` for an expression in the path, an absolute path, one that leaves the project's root (also by a
    /// link), and a file that cannot be read or is too large.
    fn table_source(&mut self, node: &Node, text: &str) -> Option<Arc<Source>> {
        if text.contains("${") {
            let help = Some("tables are read before anything runs".to_owned());
            let message = "the path of a table holds no expression";
            self.fail(node, Code::Table, message, help);
            return None;
        }
        let folder = self.source.path.parent().unwrap_or(Utf8Path::new(""));
        let path = normalise(&folder.join(text)).filter(|_| !Utf8Path::new(text).is_absolute());
        let Some(path) = path else {
            let help = Some("paths are relative to this file and stay below the root".to_owned());
            let message = format!("`{text}` leaves the project's root");
            self.fail(node, Code::Table, message, help);
            return None;
        };
        let root = &self.project.options.root;
        let absolute = root.join(&path);
        // Before the file is opened: a link may lead out of the project, and errors quote lines of the file.
        if let Err(message) = inside(&absolute, root) {
            let is_missing = matches!(message, ContainmentError::Unreadable(_));
            let help = is_missing.then(|| {
                let meant = meant_file(text, &absolute);
                meant.unwrap_or_else(|| self.looked_for(text, &path))
            });
            self.fail(node, Code::Table, format!("`{text}`: {message}"), help);
            return None;
        }
        match load_up_to(&absolute, &path, MAX_TABLE_BYTES) {
            Ok(source) => Some(source),
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                None
            }
        }
    }

    /// Checks the names of columns, which are trimmed, reads the cells, and names the rows. The first cell that
    /// begins with a blank is doubted. Wrong and repeated names and wrong expressions are reported, all at once, and return
    /// `None`, as do rows that cannot be named.
    fn rows_of_table(
        &mut self,
        source: &Arc<Source>,
        table: Table,
        secrets: &[String],
    ) -> Option<Rows> {
        let mut wrong: Vec<Diagnostic> = Vec::new();
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for column in &table.columns {
            let name = column.text.trim();
            let place = SourceRange::new(source, column.span.clone());
            if let Err(problem) = check_name(name) {
                let mut diagnostic = error(&place, Code::Name, problem.to_string());
                diagnostic.help = Some(if name.contains([';', '\t']) {
                    "columns are separated by commas".to_owned()
                } else if let Some(plain) = plain_name(name) {
                    format!("write `{plain}`")
                } else {
                    "the first line of a table names its columns: put one above the rows".to_owned()
                });
                wrong.push(diagnostic);
            } else if !names.insert(name) {
                let message = format!("this table has two columns `{name}`");
                wrong.push(error(&place, Code::DuplicateKey, message));
            }
        }
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|it| it.text.trim().to_owned())
            .collect();
        self.diagnostics.extend(table::blank_before(source, &table));
        let places: Vec<Range<usize>> = table.rows.iter().map(|row| row_span(row)).collect();
        let mut rows = Vec::with_capacity(table.rows.len());
        for row in table.rows {
            let cells = row
                .into_iter()
                .map(|cell| argument(source, cell, &self.names, &mut wrong));
            rows.push(cells.collect::<Vec<_>>());
        }
        let is_wrong = has_error(&wrong);
        self.diagnostics.extend(wrong);
        if is_wrong {
            return None;
        }
        let place = |row: usize| places.get(row).cloned().unwrap_or(0..0);
        self.name_rows(source, columns, rows, secrets, place)
    }
}

fn row_span(row: &[Cell]) -> Range<usize> {
    let start = row.first().map_or(0, |cell| cell.span.start);
    start..row.last().map_or(start, |cell| cell.span.end)
}

/// Converts a cell to an argument. A cell with `${…}` becomes an expression or a template, whose errors go to
/// `wrong`. Any other cell is a text, also if it looks like a number.
fn argument(
    source: &Arc<Source>,
    cell: Cell,
    names: &Names,
    wrong: &mut Vec<Diagnostic>,
) -> Spanned<Argument> {
    let value = if mentions_expression(&cell.text) {
        let text = Text {
            source,
            span: cell.span.clone(),
            text: &cell.text,
        };
        text.argument(names, wrong)
    } else {
        Argument::Literal(cell.text.into())
    };
    Spanned {
        value,
        span: cell.span,
    }
}
