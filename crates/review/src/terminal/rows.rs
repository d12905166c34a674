//! Formats the rows of both sides as marked lines, so that they differ without colours too.

use super::text::{pieces, sanitize, width};
use runner_snapshot::{Cause, ChangeKind, PendingDiff, Row, RowLine};

/// Indent of continuation lines: the width of a row's number.
const INDENT: &str = "    ";

/// Line of the rows' difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneLine {
    pub kind: LineKind,
    /// Harmless text, uncut.
    pub text: String,
    /// Row, as an index into the lines of the case.
    pub row: Option<usize>,
    /// True if it continues the line before.
    pub is_continuation: bool,
}

impl PaneLine {
    /// Returns the mark before the line, such as `+` for an added row. A continued line has a space.
    pub fn mark(&self) -> char {
        if self.is_continuation {
            ' '
        } else {
            self.kind.mark()
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// Remark about the whole.
    Note,
    /// Same on both sides.
    Same,
    /// Row of the actual side only.
    Added,
    /// Row of the golden only.
    Removed,
    /// Different on both sides.
    Changed,
    /// Place of rows that are left out.
    Gap,
}

impl LineKind {
    /// Returns the mark before the line: `=` for a note, `+`, `-` and `~` for changes, `…` for a gap, a space for
    /// equal rows.
    fn mark(self) -> char {
        match self {
            Self::Note => '=',
            Self::Same => ' ',
            Self::Added => '+',
            Self::Removed => '-',
            Self::Changed => '~',
            Self::Gap => '…',
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFilter {
    /// Changed rows, with this many before and after each.
    Changed(usize),
    All,
}

/// Returns lines for a decision about a whole group: a head with the number of `snapshots`, then all changes that
/// they have in common, each wrapped to `cells` with its mark. A long list is not cut. The text is harmless.
pub fn group_lines(cause: &Cause, snapshots: usize, cells: usize) -> Vec<PaneLine> {
    let changes = match cause.count() {
        1 => "one way".to_owned(),
        several => format!("{several} ways"),
    };
    let head = note(format!(
        "all {snapshots} of this group changed in {changes}:"
    ));
    let each = cause.changes.iter().map(|change| PaneLine {
        kind: LineKind::Changed,
        ..note(change.clone())
    });
    std::iter::once(head)
        .chain(each)
        .flat_map(|line| wrapped(line, cells.saturating_sub(2)))
        .collect()
}

/// Returns the lines of a difference: notes, then the rows that `which` selects, with a line for each gap. Notes and
/// changed rows are wrapped so that they take at most `cells` cells with their mark. Unchanged rows are returned
/// whole, for the caller to cut. Empty if there is neither a note nor a row.
pub fn pane(diff: &PendingDiff, which: RowFilter, cells: usize) -> Vec<PaneLine> {
    let lines = lines(diff, which);
    lines
        .into_iter()
        .flat_map(|line| wrapped(line, cells.saturating_sub(2)))
        .collect()
}

/// Breaks a line that takes more than `cells` cells into pieces, indented from the second on, all with the kind and the
/// row of the line. Unchanged rows and gaps are returned whole; with fewer than 8 cells, every line is.
fn wrapped(line: PaneLine, cells: usize) -> Vec<PaneLine> {
    let room = cells.saturating_sub(INDENT.len());
    let is_cut = matches!(line.kind, LineKind::Same | LineKind::Gap) || room < INDENT.len();
    if is_cut || width(&line.text) <= cells {
        return vec![line];
    }
    let mut wrapped = Vec::new();
    for piece in pieces(&line.text, room) {
        let is_continuation = !wrapped.is_empty();
        let text = if is_continuation {
            format!("{INDENT}{piece}")
        } else {
            piece
        };
        wrapped.push(PaneLine {
            text,
            is_continuation,
            ..line.clone()
        });
    }
    wrapped
}

/// Returns notes and rows as the pane shows them. Each run of rows that are left out, also at both ends, is counted
/// in one line. Nothing is wrapped.
fn lines(diff: &PendingDiff, which: RowFilter) -> Vec<PaneLine> {
    let mut pane: Vec<PaneLine> = notes(diff).into_iter().map(note).collect();
    let lines = &diff.lines;
    let is_near = |at: usize| {
        let RowFilter::Changed(context) = which else {
            return true;
        };
        let near = at.saturating_sub(context)..(at + context + 1).min(lines.len());
        lines[near].iter().any(|line| !line.is_same())
    };
    let mut left_out = 0;
    for (at, line) in lines.iter().enumerate() {
        if is_near(at) {
            gap(&mut pane, &mut left_out);
            pane.extend(row_lines(line, at));
        } else {
            left_out += 1;
        }
    }
    gap(&mut pane, &mut left_out);
    pane
}

/// Returns the notes above the rows, in this order: what a decision does with a new or obsolete golden or the edits
/// of a selector, then changed pixels, moved elements, and that no row changed. Empty if there is nothing to say.
fn notes(diff: &PendingDiff) -> Vec<String> {
    let mut notes = Vec::new();
    match diff.cause.kind {
        ChangeKind::Obsolete => {
            notes.push("accept removes this golden, reject keeps it".to_owned());
        }
        ChangeKind::Selector => notes.extend(diff.rows.iter().cloned()),
        ChangeKind::New => notes.push("there is no golden yet: accept makes this one".to_owned()),
        _ => {}
    }
    notes.extend(diff.pixels.clone());
    notes.extend(diff.moved.iter().map(ToString::to_string));
    if diff.lines.iter().all(RowLine::is_same) && !diff.lines.is_empty() {
        notes.push("no row changed".to_owned());
    }
    notes
}

/// Returns a line with a note, made harmless for the terminal, not wrapped. It belongs to no row.
fn note(text: String) -> PaneLine {
    PaneLine {
        kind: LineKind::Note,
        text: sanitize(&text),
        row: None,
        is_continuation: false,
    }
}

/// Adds a line that counts the rows left out, if any, and sets the count to 0. Adds nothing for 0.
fn gap(pane: &mut Vec<PaneLine>, left_out: &mut usize) {
    if *left_out > 0 {
        let rows = if *left_out == 1 { "row" } else { "rows" };
        pane.push(PaneLine {
            kind: LineKind::Gap,
            text: format!("{left_out} unchanged {rows}"),
            row: None,
            is_continuation: false,
        });
        *left_out = 0;
    }
}

/// Returns the lines of a row with its number: one for each change of a changed row, otherwise a single one. `at` is
/// its index in the case. Empty for a row of neither side, and for a changed one whose changes are not known.
fn row_lines(line: &RowLine, at: usize) -> Vec<PaneLine> {
    let (kind, side) = match (&line.golden, &line.actual) {
        (Some(golden), None) => (LineKind::Removed, Some(golden)),
        (None, Some(actual)) => (LineKind::Added, Some(actual)),
        (_, Some(actual)) if line.is_same() => (LineKind::Same, Some(actual)),
        (_, actual) => (LineKind::Changed, actual.as_ref()),
    };
    let line_of = |text: String| PaneLine {
        kind,
        text: sanitize(&text),
        row: Some(at),
        is_continuation: false,
    };
    let Some((number, row)) = side else {
        return Vec::new();
    };
    if kind == LineKind::Changed {
        return line
            .changes
            .iter()
            .map(|change| line_of(format!("{number:>3} {change}")))
            .collect();
    }
    vec![line_of(format!("{number:>3} {}", describe(row, *number)))]
}

/// Describes the row by its name, and its text and description in quotes if the name lacks them. A window has only
/// its name. The text is not made harmless.
fn describe(row: &Row, number: usize) -> String {
    let mut text = row.name(number);
    for part in [&row.text, &row.desc] {
        let quoted = format!("\"{part}\"");
        if !part.is_empty() && !row.is_window() && !text.contains(&quoted) {
            text = format!("{text} {quoted}");
        }
    }
    text
}
