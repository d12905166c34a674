//! Reads a CSV file into columns and cells with their places.

use std::ops::Range;
use std::sync::Arc;

use crate::report::{SourceRange, error};
use runner_text::diagnostic::{Code, Diagnostic, Source};

use super::MAX_CASES;

/// Number of errors of one file that are reported. Chosen: a wrong separator makes an error in each line.
const MAX_ERRORS: usize = 20;

/// Maximum number of columns. Chosen: each is a name in the flow; more is a file of another kind.
const MAX_COLUMNS: usize = 200;

/// Character that Excel writes before UTF-8 text.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Cell with its range of bytes in the file, quotes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// Columns and rows of a CSV file. Each row has as many cells as there are columns.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) columns: Vec<Cell>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// Parses a CSV file. The first line names the columns; a byte order mark and empty lines are skipped. Names and
/// values are not trimmed or checked.
///
/// # Errors
/// All rows with a wrong number of values, up to `MAX_ERRORS`. Parsing ends at an error of the syntax, a
/// wrong quote, too many columns or too many rows. A table without rows is an error too.
pub(super) fn read(source: &Arc<Source>) -> Result<Table, Vec<Diagnostic>> {
    let mark = source.text.starts_with(BYTE_ORDER_MARK);
    let skipped = if mark { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let text = &source.text[skipped..];
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut table = Table::default();
    let mut wrong: Vec<Diagnostic> = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut fail = |span: Range<usize>, code, message: String, help: Option<String>| {
        let mut diagnostic = error(&SourceRange::new(source, span), code, message);
        diagnostic.help = help;
        wrong.push(diagnostic);
        wrong.len() >= MAX_ERRORS
    };
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {}
            Err(problem) => {
                let at = problem.position().map_or(0, csv::Position::byte);
                let at = skipped + at as usize;
                fail(at..at, Code::Table, problem.to_string(), None);
                break;
            }
        }
        let start = record.position().map_or(0, csv::Position::byte) as usize;
        let places = places(text, start);
        let cell = |(index, text): (usize, &str)| Cell {
            text: text.to_owned(),
            span: places
                .get(index)
                .map_or(start..start, Clone::clone)
                .start
                .saturating_add(skipped)
                ..places.get(index).map_or(start, |place| place.end) + skipped,
        };
        let cells: Vec<Cell> = record.iter().enumerate().map(cell).collect();
        // After a wrong quote the library takes the rest of the file as a part of the value.
        let odd = places.iter().find(|place| has_odd_quotes(text, place));
        if let Some(place) = odd {
            let span = place.start + skipped..place.end + skipped;
            let message = "this value begins with a quote and does not end with it".to_owned();
            let help = "a quote inside of a value in quotes is written twice: \"a \"\"b\"\" c\""
                .to_owned();
            fail(span, Code::Table, message, Some(help));
            break;
        }
        if table.columns.is_empty() {
            if cells.len() > MAX_COLUMNS {
                let message = format!(
                    "this table has {} columns; at most {MAX_COLUMNS} are possible",
                    cells.len()
                );
                fail(cells[0].span.clone(), Code::TooLarge, message, None);
                break;
            }
            table.columns = cells;
            continue;
        }
        if cells.len() != table.columns.len() {
            let message = format!(
                "this row has {}; the first line has {}",
                count(cells.len(), "value"),
                count(table.columns.len(), "column"),
            );
            let help = "a value with a comma in it stands in quotes: \"a, b\"".to_owned();
            let first = cells.first().map_or(0, |cell| cell.span.start);
            let last = cells.last().map_or(0, |cell| cell.span.end);
            if fail(first..last, Code::Table, message, Some(help)) {
                break;
            }
            continue;
        }
        if table.rows.len() == MAX_CASES {
            let message = format!("this table has more than {MAX_CASES} rows");
            let help = "split it into several tables, each with its flow".to_owned();
            fail(cells[0].span.clone(), Code::TooLarge, message, Some(help));
            break;
        }
        table.rows.push(cells);
    }
    if wrong.is_empty() && table.rows.is_empty() {
        let message = "this table has no rows; its first line names the columns, each line after it is a case";
        wrong.push(error(&SourceRange::new(source, 0..0), Code::Table, message));
    }
    if wrong.is_empty() {
        Ok(table)
    } else {
        Err(wrong)
    }
}

/// Warns of the first value that begins with a blank and stands in no quotes, as in `anna, 3`: the blank is a part of it.
pub(super) fn blank_before(source: &Arc<Source>, table: &Table) -> Option<Diagnostic> {
    let is_quoted = |cell: &Cell| {
        let written = source.text.get(cell.span.clone());
        written.is_some_and(|written| written.starts_with('"'))
    };
    let mut cells = table.rows.iter().flatten();
    let cell = cells.find(|cell| cell.text.starts_with(' ') && !is_quoted(cell))?;
    let place = SourceRange::new(source, cell.span.clone());
    let message = "this value begins with a blank, which is a part of it";
    let mut doubt = error(&place, Code::Doubtful, message);
    let help =
        "write no blank behind a comma; a value that is to begin with one stands in quotes: \" a\"";
    doubt.help = Some(help.to_owned());
    Some(doubt)
}

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Returns true if the value at `place` begins with a quote but does not end with its closing one, or has a
/// single quote inside. Quotes in a value that does not begin with one do not count.
fn has_odd_quotes(text: &str, place: &Range<usize>) -> bool {
    let written = text.get(place.clone()).unwrap_or_default();
    let Some(inner) = written.strip_prefix('"') else {
        return false;
    };
    match inner.strip_suffix('"') {
        Some(inner) => inner.replace("\"\"", "").contains('"'),
        None => true,
    }
}

/// Returns the ranges of the values in the record at `start`, as they are written, quotes included. Skips
/// empty lines before it. The csv library returns only the start of a record.
fn places(text: &str, start: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    // The library counts empty lines before a record as part of it.
    let mut at = start;
    while bytes
        .get(at)
        .is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
    {
        at += 1;
    }
    let mut places = Vec::new();
    let mut from = at;
    let mut quoted = false;
    loop {
        match bytes.get(at) {
            // A doubled quote is a quote character; quotes have no meaning in a value that does not begin with one.
            Some(b'"') if quoted && bytes.get(at + 1) == Some(&b'"') => at += 1,
            Some(b'"') if quoted || at == from => quoted = !quoted,
            Some(b',') if !quoted => {
                places.push(from..at);
                from = at + 1;
            }
            None => break,
            Some(b'\r' | b'\n') if !quoted => break,
            Some(_) => {}
        }
        at += 1;
    }
    places.push(from..at);
    places
}
