//! The text format of goldens: one sorted `#` line of metadata, a line of columns, then a line for each row.
//!
//! The shared file has neither bounds nor `on`/`off`; the class's file has both.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::conflict_marker::is_conflict_marker;
use super::row::Row;
use runner_git::Pointer;
use runner_screen::Rect;

/// Version of the format. Files of schema 1 began each row with its number, so an added row changed every
/// line below it. They can be read, and are rewritten when their golden is.
pub const SCHEMA: u32 = 2;

const SHARED_COLUMNS: &str = "class\ttext\tdesc\tres_id\thint\tflags";
/// Column of the numbers of schema 1, with its separator.
pub(super) const NUMBER_COLUMN: &str = "id\t";
pub(super) const CLASS_COLUMNS: &str = "class\ttext\tdesc\tres_id\thint\tbounds\tflags";

/// Facts about a golden besides its contents. They are shown to people, and never trusted over the contents.
pub type Metadata = BTreeMap<String, String>;

/// Parsed text of a golden.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Contents of the `#` line.
    pub metadata: Metadata,
    pub rows: Vec<Row>,
}

/// Error in a line of a golden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    /// Line, from 1.
    pub line: usize,
    pub why: TableProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableProblem {
    /// The line of columns has other columns.
    #[error("{0:?} is not the column line {SHARED_COLUMNS:?}")]
    Columns(String),
    #[error("there is no column line")]
    NoColumns,
    /// Cells are missing, or there are too many.
    #[error("a row has {wanted} cells, this one {found}")]
    Cells {
        /// Number of cells that a row has.
        wanted: usize,
        /// Number of cells in this row.
        found: usize,
    },
    /// The cell does not hold four numbers.
    #[error("{0:?} are not bounds")]
    Bounds(String),
}

/// Writes `key=value` pairs on one line, sorted by key and without a line end. White space and control
/// characters in values become `_`; keys are not changed.
pub fn metadata_line(metadata: &Metadata) -> String {
    metadata
        .iter()
        .map(|(key, value)| {
            let value: String = value
                .chars()
                .map(|c| {
                    if c.is_whitespace() || c.is_control() {
                        '_'
                    } else {
                        c
                    }
                })
                .collect();
            format!("{key}={value}")
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Parses the output of [`metadata_line`]. Parts without `=` are ignored, and of a name that stands twice the last
/// counts.
pub fn read_metadata(line: &str) -> Metadata {
    line.split_whitespace()
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Writes a golden's text, the shared one or with `bounds` that of a render class: a line of metadata, the
/// line of column names, and a line for each row, each with `\n`. The shared one has neither bounds nor
/// visibility.
pub fn write(metadata: &Metadata, rows: &[Row], bounds: bool) -> String {
    let mut out = format!("# {}\n", metadata_line(metadata));
    out.push_str(if bounds {
        CLASS_COLUMNS
    } else {
        SHARED_COLUMNS
    });
    out.push('\n');
    for row in rows {
        push_row(&mut out, row, bounds);
    }
    out
}

/// Appends a row with its line end. `bounds` adds the column of bounds and puts the visibility, `on` or
/// `off`, before the flags. An empty cell is `-`. A masked row has no visibility.
pub(super) fn push_row(out: &mut String, row: &Row, bounds: bool) {
    for cell in [&row.class, &row.text, &row.desc, &row.res_id, &row.hint] {
        push_cell(out, cell);
        out.push('\t');
    }
    if bounds {
        match row.bounds {
            Some(bounds) => {
                let _ = write!(out, "{bounds}\t");
            }
            None => out.push_str("-\t"),
        }
        if !row.is_masked() {
            match row.on {
                Some(true) if row.flags.is_empty() => out.push_str("on"),
                Some(false) if row.flags.is_empty() => out.push_str("off"),
                Some(true) => out.push_str("on,"),
                Some(false) => out.push_str("off,"),
                None => {}
            }
        }
    }
    if !row.flags.is_empty() {
        out.push_str(&row.flags);
    } else if !bounds || row.on.is_none() {
        out.push('-');
    }
    out.push('\n');
}

/// Appends a cell. An empty one is `-`, and a backslash is put before a text that is a dash itself, so that
/// the two differ. Tabs and line ends are not escaped.
fn push_cell(out: &mut String, cell: &str) {
    if cell.is_empty() {
        out.push('-');
        return;
    }
    if is_dash(cell) {
        out.push('\\');
    }
    out.push_str(cell);
}

fn is_dash(cell: &str) -> bool {
    cell.trim_start_matches('\\') == "-"
}

/// Decodes a cell as [`push_cell`] wrote it: `-` is empty, and a dash loses one backslash.
fn read_cell(cell: &str) -> String {
    match cell {
        "-" => String::new(),
        _ if is_dash(cell) => cell[1..].to_owned(),
        _ => cell.to_owned(),
    }
}

/// Columns of a file.
#[derive(Debug, Clone, Copy)]
struct Columns {
    is_numbered: bool,
    has_bounds: bool,
}

impl Columns {
    /// Reads the line of columns of either kind, with or without the numbers of schema 1. Returns `None` for any
    /// other line.
    fn read(line: &str) -> Option<Self> {
        let numbered = line.strip_prefix(NUMBER_COLUMN);
        let has_bounds = match numbered.unwrap_or(line) {
            SHARED_COLUMNS => false,
            CLASS_COLUMNS => true,
            _ => return None,
        };
        Some(Self {
            is_numbered: numbered.is_some(),
            has_bounds,
        })
    }
}

/// Number of bytes at the beginning of a file by which [`may_be_golden`] knows it. Chosen: the metadata of shared rows
/// have some hundred.
pub(super) const HEAD: usize = 1024;

/// Returns true if the first [`HEAD`] bytes of a file may be those of a golden's table: metadata with a schema, the mark
/// of a pending file, columns, a conflict of a merge, or a pointer of Git LFS. So may a file without bytes.
pub(super) fn may_be_golden(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
    let metadata = line.strip_prefix('#').map(read_metadata);
    let has_schema = metadata.is_some_and(|metadata| metadata.contains_key("schema"));
    head.is_empty()
        || has_schema
        || line.starts_with("#pending ")
        || is_conflict_marker(&line)
        || Columns::read(&line).is_some()
        || Pointer::read(head).is_some()
}

/// Parses a golden's text of either kind and schema, with any line ends. Lines that begin with `#` before the
/// columns are metadata; empty lines after them are skipped. Fails without a line of known columns, and at a
/// row that does not fit them; the error names the line, counted from 1.
pub fn read(text: &str) -> Result<Table, TableError> {
    let mut table = Table::default();
    let mut columns = None;
    for (index, line) in text.split('\n').enumerate() {
        // Git may check the file out with Windows line ends.
        let line = line.strip_suffix('\r').unwrap_or(line);
        let fail = |why| TableError {
            line: index + 1,
            why,
        };
        match columns {
            None if line.starts_with('#') => {
                table
                    .metadata
                    .extend(read_metadata(line.trim_start_matches('#')));
            }
            None => {
                let read = Columns::read(line);
                columns = Some(read.ok_or_else(|| fail(TableProblem::Columns(line.to_owned())))?);
            }
            Some(_) if line.is_empty() => {}
            Some(columns) => table.rows.push(read_row(line, columns).map_err(fail)?),
        }
    }
    if columns.is_none() {
        return Err(TableError {
            line: 1,
            why: TableProblem::NoColumns,
        });
    }
    Ok(table)
}

/// Reads a row. Fails with another number of cells, or bounds that are neither `-` nor four integers. Numbers of
/// schema 1 are not checked. Without the first flag `on` or `off`, and in a shared row, the visibility is not known.
fn read_row(line: &str, columns: Columns) -> Result<Row, TableProblem> {
    let number = usize::from(columns.is_numbered);
    let wanted = number + if columns.has_bounds { 7 } else { 6 };
    let cells: Vec<&str> = line.split('\t').collect();
    let found = cells.len();
    let cells = cells.get(number..).unwrap_or_default();
    let (Some(flags), Some([class, text, desc, res_id, hint]), true) =
        (cells.last(), cells.first_chunk::<5>(), found == wanted)
    else {
        return Err(TableProblem::Cells { wanted, found });
    };
    let mut row = Row {
        class: read_cell(class),
        text: read_cell(text),
        desc: read_cell(desc),
        res_id: read_cell(res_id),
        hint: read_cell(hint),
        flags: read_cell(flags),
        on: None,
        bounds: None,
    };
    if columns.has_bounds {
        if let Some(cell) = cells.get(5).filter(|cell| **cell != "-") {
            row.bounds =
                Some(read_bounds(cell).ok_or_else(|| TableProblem::Bounds((*cell).to_owned()))?);
        }
        let (first, rest) = row.flags.split_once(',').unwrap_or((&row.flags, ""));
        row.on = match first {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        };
        if row.on.is_some() {
            row.flags = rest.to_owned();
        }
    }
    Ok(row)
}

/// Parses `left,top,right,bottom`, four integers without spaces. Their order is not checked. Returns `None` for
/// anything else.
pub(super) fn read_bounds(cell: &str) -> Option<Rect> {
    let mut edges = cell.split(',').map(|edge| edge.parse().ok());
    let rect = Rect::new(
        edges.next()??,
        edges.next()??,
        edges.next()??,
        edges.next()??,
    );
    edges.next().is_none().then_some(rect)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates any row.
    pub(crate) fn row() -> impl Strategy<Value = Row> {
        let cell = || {
            prop_oneof![
                Just(String::new()),
                Just("-".into()),
                Just(r"\-".into()),
                "[^\t\n\r]{0,12}"
            ]
        };
        (
            (cell(), cell(), cell(), cell(), cell()),
            prop_oneof![Just(""), Just("ena"), Just("clk,ena,chk"), Just("[masked]")],
            any::<bool>(),
            any::<[i32; 4]>(),
        )
            .prop_map(
                |((class, text, desc, res_id, hint), flags, on, [l, t, r, b])| Row {
                    class,
                    text,
                    desc,
                    res_id,
                    hint,
                    flags: flags.into(),
                    on: (flags != "[masked]").then_some(on),
                    bounds: Some(Rect::new(l, t, r, b)),
                },
            )
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(rows in prop::collection::vec(row(), 0..8)) {
            let metadata = Metadata::from([("schema".into(), "1".into()), ("app".into(), "a b".into())]);
            let text = write(&metadata, &rows, true);
            prop_assert!(text.starts_with("# app=a_b schema=1\n"));
            prop_assert_eq!(&read(&text).unwrap().rows, &rows);
            let shared = read(&write(&metadata, &rows, false)).unwrap().rows;
            prop_assert_eq!(shared.len(), rows.len());
            for (shared, row) in shared.iter().zip(&rows) {
                prop_assert!(shared.same_shared(row));
                prop_assert_eq!(shared.bounds, None);
                prop_assert_eq!(shared.on, None);
            }
        }

        #[test]
        fn any_text_reads_or_says_why(text in "\\PC{0,200}") {
            let _ = read(&text);
        }
    }

    proptest! {
        #[test]
        fn one_row_more_is_one_line_more(rows in prop::collection::vec(row(), 1..8), at in any::<prop::sample::Index>(), new in row()) {
            let at = at.index(rows.len());
            let lines = |rows: &[Row], bounds| -> Vec<String> {
                write(&Metadata::new(), rows, bounds).lines().map(str::to_owned).collect()
            };
            let mut more = rows.clone();
            more.insert(at, new);
            for bounds in [false, true] {
                let mut without = lines(&more, bounds);
                without.remove(at + 2);
                prop_assert_eq!(without, lines(&rows, bounds));
            }
        }
    }

    #[test]
    fn a_golden_checked_out_with_carriage_returns_reads() {
        let text = write(
            &Metadata::new(),
            &[Row::window("APPLICATION", "com.example")],
            false,
        );
        assert_eq!(read(&text.replace('\n', "\r\n")), read(&text));
    }

    #[test]
    fn the_line_of_a_broken_row_is_named() {
        let text = format!("{CLASS_COLUMNS}\nView\t-\t-\t-\t-\t0,0,1\tena\n");
        assert_eq!(read(&text).unwrap_err().line, 2);
        assert_eq!(read("").unwrap_err().line, 1);
    }
}
