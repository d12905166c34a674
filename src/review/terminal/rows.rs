//! The rows of both sides as lines of text: marked, so that they are told apart without colours too.

use super::text::plain;
use crate::snapshot::{PendingDiff, Row, RowLine};

/// Unchanged rows shown before and after a changed one.
const CONTEXT: usize = 1;

/// One line of the rows' difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneLine {
    /// What it says.
    pub kind: LineKind,
    /// The text, harmless, uncut.
    pub text: String,
    /// The row it is about, as an index into the lines of the case.
    pub row: Option<usize>,
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// A remark about the whole.
    Note,
    /// The same on both sides.
    Same,
    /// Only in what was seen.
    Added,
    /// Only in the golden.
    Removed,
    /// Different.
    Changed,
    /// Rows left out.
    Gap,
}

impl LineKind {
    /// The sign before the line.
    pub fn mark(self) -> char {
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

/// The lines of a difference: of the changed rows and those beside them, or `all`.
pub fn pane(diff: &PendingDiff, all: bool) -> Vec<PaneLine> {
    let mut pane: Vec<PaneLine> = notes(diff).into_iter().map(note).collect();
    let lines = &diff.lines;
    let is_near = |at: usize| {
        let near = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(lines.len());
        all || lines[near].iter().any(|line| !line.is_same())
    };
    let mut left_out = 0;
    for (at, line) in lines.iter().enumerate() {
        if is_near(at) {
            gap(&mut pane, &mut left_out);
            pane.extend(of_row(line, at));
        } else {
            left_out += 1;
        }
    }
    gap(&mut pane, &mut left_out);
    pane
}

fn notes(diff: &PendingDiff) -> Vec<String> {
    let mut notes: Vec<String> = diff.pixels.iter().cloned().collect();
    notes.extend(diff.moved.iter().map(ToString::to_string));
    if diff.lines.iter().all(RowLine::is_same) && !diff.lines.is_empty() {
        notes.push("no row changed".to_owned());
    }
    notes
}

fn note(text: String) -> PaneLine {
    PaneLine {
        kind: LineKind::Note,
        text: plain(&text),
        row: None,
    }
}

fn gap(pane: &mut Vec<PaneLine>, left_out: &mut usize) {
    if *left_out > 0 {
        let rows = if *left_out == 1 { "row" } else { "rows" };
        pane.push(PaneLine {
            kind: LineKind::Gap,
            text: format!("{left_out} unchanged {rows}"),
            row: None,
        });
        *left_out = 0;
    }
}

fn of_row(line: &RowLine, at: usize) -> Vec<PaneLine> {
    let (kind, side) = match (&line.golden, &line.actual) {
        (Some(golden), None) => (LineKind::Removed, Some(golden)),
        (None, Some(actual)) => (LineKind::Added, Some(actual)),
        (_, Some(actual)) if line.is_same() => (LineKind::Same, Some(actual)),
        (_, actual) => (LineKind::Changed, actual.as_ref()),
    };
    let line_of = |text: String| PaneLine {
        kind,
        text: plain(&text),
        row: Some(at),
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
