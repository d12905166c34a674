//! Reads `each` of a flow's header: rows in the header, or in a CSV file beside the flow.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use camino::Utf8Path;
use serde_json::{Value, json};

use super::row_names::{NamedTable, RowNameError, row_names};
use super::table::{self, BYTE_ORDER_MARK, Cell, Table};
use super::{MAX_CASES, Row, Rows};
use crate::ast::{Argument, Spanned};
use crate::expression::mentions_expression;
use crate::files::{ContainmentError, inside, load_up_to, near_path, normalise};
use crate::foreign;
use crate::interpolate::{check_name, plain_name};
use crate::names::{Names, Text};
use crate::reader::{Reader, has_error};
use crate::report::{SourceRange, error, suggest};
use crate::yaml::{Key, Node, NodeKind};
use runner_text::diagnostic::{Code, Diagnostic, Source};
use runner_text::secret::sounds_secret;
use runner_tools::file_in_other_form;

/// Maximum size of a CSV file in bytes. Chosen: room for [`MAX_CASES`](super::MAX_CASES) rows of more than 1
/// kB each.
const MAX_TABLE_BYTES: u64 = 16 * 1024 * 1024;

/// Returns the schema of `each`, for editors: the path of a CSV file, or a list of 1 to `MAX_CASES` maps, each of
/// at least one text, number or boolean. It does not compare the keys of the maps.
pub fn schema() -> Value {
    json!({
        "description": "The flow is run once for each row: a CSV file, its path relative to this file, or a list of maps.",
        "anyOf": [
            { "type": "string", "minLength": 1 },
            {
                "type": "array", "minItems": 1, "maxItems": MAX_CASES,
                "items": { "type": "object", "minProperties": 1, "additionalProperties": { "type": ["string", "number", "boolean"] } },
            },
        ],
    })
}

/// Returns advice for a map in place of a table: the file that a key names, or a row for each item of the one column.
/// It quotes no value but a path, because that may be a secret. Returns `None` for other maps.
fn columns(entries: &[(Key, Node)]) -> Option<String> {
    let [(key, value)] = entries else {
        return None;
    };
    let name = &key.text;
    match &value.kind {
        NodeKind::Sequence(items) if items.iter().all(|item| item.scalar().is_some()) => Some(
            format!("write a row for each value: `each: [ {{ {name}: … }}, {{ {name}: … }} ]`"),
        ),
        NodeKind::Scalar(path) if path.text.ends_with(".csv") => {
            Some(format!("write `each: {}`", path.text))
        }
        _ => None,
    }
}

impl Reader<'_> {
    /// Reads the table from the value of `each`: a list of maps, or the path of a CSV file. Reports all else
    /// as an error, and then returns `None`.
    pub(crate) fn rows(&mut self, node: &Node, secrets: &[String]) -> Option<Rows> {
        match &node.kind {
            NodeKind::Sequence(items) => self.inline_rows(node, items, secrets),
            NodeKind::Scalar(scalar) if scalar.text.contains('\n') => {
                let help = "write a list of maps, `each: [ { user: anna } ]`, or put the lines into a CSV file";
                let message = "a table has no lines here";
                self.fail(node, Code::Table, message, Some(help.to_owned()));
                None
            }
            NodeKind::Scalar(scalar)
                if [".json", ".xlsx", ".yaml", ".yml"]
                    .iter()
                    .any(|end| scalar.text.ends_with(end)) =>
            {
                let help = "write the rows as a list of maps, or a CSV file whose first line names the columns";
                let message = format!("`{}` is no CSV file", scalar.text);
                self.fail(node, Code::Table, message, Some(help.to_owned()));
                None
            }
            NodeKind::Scalar(scalar) if scalar.text.parse::<u32>().is_ok() => {
                let help = format!(
                    "to repeat steps write `repeat: {{ times: {}, steps: […] }}`; `runner test --repeat-each {}` repeats the flow, and `each: [ {{ user: anna }} ]` once for each row",
                    scalar.text, scalar.text
                );
                let message = "a CSV file or a list of maps is expected here, not a number";
                self.fail(node, Code::WrongType, message, Some(help));
                None
            }
            NodeKind::Scalar(scalar) if !node.is_missing() && !scalar.text.is_empty() => {
                let text = scalar.text.clone();
                self.rows_of_file(node, &text, secrets)
            }
            _ => {
                let help = columns(node.entries()).unwrap_or_else(|| {
                    "write `each: rows.csv`, or a list: `each: [ { user: anna } ]`".to_owned()
                });
                let message = format!(
                    "a CSV file or a list of maps is expected here, not {}",
                    node.what()
                );
                self.fail(node, Code::WrongType, message, Some(help));
                None
            }
        }
    }

    /// Reads rows from a list of maps in the header. The keys of the first row are the columns; each further
    /// row must have the same keys, in any order. Reports all errors, an empty list too, and then returns
    /// `None`. An item that is no map ends it at once.
    fn inline_rows(&mut self, node: &Node, items: &[Node], secrets: &[String]) -> Option<Rows> {
        let before = self.diagnostics.len();
        if items.is_empty() {
            let message = "this list has no rows, so the flow would never run";
            self.fail(node, Code::OutOfRange, message, None);
        }
        let mut columns: Vec<&Key> = Vec::new();
        let mut rows: Vec<Vec<Spanned<Argument>>> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let NodeKind::Map(entries) = &item.kind else {
                let message = format!("a row is a map of columns and values, not {}", item.what());
                let help = self.rows_of_values(items);
                self.fail(item, Code::WrongType, message, help);
                return None;
            };
            if index == 0 {
                columns = entries.iter().map(|(key, _)| key).collect();
                for key in &columns {
                    self.check_name(key);
                }
            }
            let names = || columns.iter().map(|key| key.text.as_str());
            for (key, _) in entries {
                if !columns.iter().any(|column| column.text == key.text) {
                    let message = format!("the first row has no column `{}`", key.text);
                    let help = suggest(&key.text, names());
                    self.fail_at(key.span.clone(), Code::Table, message, help);
                }
            }
            let mut cells = Vec::new();
            for column in &columns {
                match entries.iter().find(|(key, _)| key.text == column.text) {
                    Some((_, value)) => {
                        cells.push(self.checked(value, &json!({ "type": "string" })));
                    }
                    None => {
                        let message = format!("this row has no `{}`", column.text);
                        self.fail(item, Code::Table, message, None);
                    }
                }
            }
            rows.push(cells);
        }
        let names: Vec<String> = columns.iter().map(|key| key.text.clone()).collect();
        if has_error(&self.diagnostics[before..]) {
            return None;
        }
        let places = |row: usize| items.get(row).map_or(0..0, |item| item.span.clone());
        let source = Arc::clone(&self.source);
        self.name_rows(&source, names, rows, secrets, places)
    }

    /// Returns advice for a list of values in place of rows: a column for them, by the first name that an expression
    /// of the file reads. Up to three are shown. Values are left out where the column sounds like a secret. Returns
    /// `None` if an item is no scalar.
    fn rows_of_values(&self, items: &[Node]) -> Option<String> {
        /// Chosen: enough to show the form.
        const MAX_SHOWN: usize = 3;
        let name = self.source.text.split("${").skip(1).find_map(|rest| {
            let name = rest.split_once('}')?.0.trim();
            check_name(name).is_ok().then_some(name)
        });
        let name = name.unwrap_or("NAME");
        let value = |item: &Node| {
            let text = &item.scalar()?.text;
            let value = if sounds_secret(name) {
                "…".to_owned()
            } else {
                foreign::yaml(text)
            };
            Some(format!("{{ {name}: {value} }}"))
        };
        let rows: Option<Vec<String>> = items.iter().take(MAX_SHOWN).map(value).collect();
        let more = if items.len() > MAX_SHOWN { ", …" } else { "" };
        Some(format!("write `each: [ {}{more} ]`", rows?.join(", ")))
    }

    /// Reads rows of the CSV file at the path `text`, relative to the flow's file. Reports errors, and then returns
    /// `None`. If a column is a secret, by its name, by `secrets` or by the project's secrets, the errors quote no
    /// cells.
    fn rows_of_file(&mut self, node: &Node, text: &str, secrets: &[String]) -> Option<Rows> {
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
            let near = || near_path(text, &absolute).map(|near| format!("did you mean `{near}`?"));
            let help = is_missing.then(|| {
                let meant = file_in_other_form(&absolute).or_else(near);
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

    /// Names the rows, and builds the table of them with `file` unset. Cells of secret columns stay out of the names,
    /// and so do those that only sound secret, other than `name` and `case`. `place` returns the range of a row in
    /// `source`, for errors. Reports rows that cannot be named, and then returns `None`.
    fn name_rows(
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

/// Returns a table up to the end of its line of column names, with the empty lines before it. A line may end with `\r`
/// alone.
fn head(text: &str) -> &str {
    const LINE_ENDS: [char; 2] = ['\r', '\n'];
    let names = text.trim_start_matches([BYTE_ORDER_MARK, '\r', '\n']);
    let begin = text.len() - names.len();
    let end = names.find(LINE_ENDS).map_or(text.len(), |at| begin + at);
    &text[..end]
}

/// Removes the rows' contents from the source that a diagnostic quotes, because a column is secret. The line
/// of column names stays, and the place moves to a `***` in the same line. An error in the line of names keeps
/// its place.
fn without_rows(diagnostic: Diagnostic) -> Diagnostic {
    let text = &diagnostic.source.text;
    let head = head(text);
    if diagnostic.span.start <= head.len() {
        let source = Source {
            path: diagnostic.source.path.clone(),
            text: format!("{head}\n"),
        };
        return Diagnostic {
            source: Arc::new(source),
            ..diagnostic
        };
    }
    // Lines are counted by `\n`, and what is not in the head is below it.
    let line_of = |place: usize| runner_text::diagnostic::line_column(text, place).0;
    let below = line_of(diagnostic.span.start) - line_of(head.len());
    let blank = format!("{head}{}***", "\n".repeat(below.max(1)));
    let at = blank.len() - 3;
    let source = Source {
        path: diagnostic.source.path.clone(),
        text: blank,
    };
    Diagnostic {
        source: Arc::new(source),
        span: at..at + 3,
        ..diagnostic
    }
}
