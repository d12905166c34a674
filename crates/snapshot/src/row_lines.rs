//! Shows two tables beside each other, row by row, for people.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::row::Row;
use super::rows_diff::{align, bounds_changes, shared_changes};
use super::tsv;

/// Row on one or both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct RowLine {
    /// Number from 1 and row in the golden.
    pub golden: Option<(usize, Row)>,
    /// Number from 1 and row on the screen.
    pub actual: Option<(usize, Row)>,
    /// Changes in words; empty if nothing changed, or if the row is on one side only.
    pub changes: Vec<String>,
}

impl RowLine {
    /// Returns true if both sides have the row unchanged.
    pub fn is_same(&self) -> bool {
        self.golden.is_some() && self.actual.is_some() && self.changes.is_empty()
    }
}

/// Merges the rows of both sides in one order, as pairs; each side numbers its rows from 1. A row that one side lacks
/// stands alone at its place and has no changes. A row that only changed its place in the order is such a row on each
/// side. A pair has its changes as texts, in shared cells first, then in bounds and visibility.
pub fn row_lines(golden: &[Row], actual: &[Row]) -> Vec<RowLine> {
    let mut changes: HashMap<(usize, usize), Vec<String>> = HashMap::new();
    for change in shared_changes(golden, actual)
        .iter()
        .chain(&bounds_changes(golden, actual))
    {
        if let (Some(old), Some(new)) = (change.golden, change.actual) {
            let words = changes.entry((old, new)).or_default();
            words.push(change.to_string());
        }
    }
    let numbered = |rows: &[Row], at: usize| (at + 1, rows[at].clone());
    align(golden, actual)
        .into_iter()
        .map(|(old, new)| RowLine {
            golden: old.map(|at| numbered(golden, at)),
            actual: new.map(|at| numbered(actual, at)),
            changes: old
                .zip(new)
                .and_then(|pair| changes.remove(&pair))
                .unwrap_or_default(),
        })
        .collect()
}

/// Writes the lines as TSV, with a line of column names. The first column is `same`, `added`, `removed`, or for a
/// changed row `before` and `after` on two lines. The second is the row's number on its side, such as `n3`, as in the
/// annotated picture. Then come the columns of a class, of an unchanged row those of the screen.
pub(super) fn write(lines: &[RowLine]) -> String {
    let mut out = format!("change\tid\t{}\n", tsv::CLASS_COLUMNS);
    let mut push = |word: &str, (number, row): &(usize, Row)| {
        let _ = write!(out, "{word}\tn{number}\t");
        tsv::push_row(&mut out, row, true);
    };
    for line in lines {
        match (&line.golden, &line.actual) {
            (Some(_), Some(actual)) if line.is_same() => push("same", actual),
            (Some(golden), Some(actual)) => {
                push("before", golden);
                push("after", actual);
            }
            (Some(golden), None) => push("removed", golden),
            (None, Some(actual)) => push("added", actual),
            (None, None) => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_screen::Rect;

    fn row(text: &str, top: i32) -> Row {
        Row {
            class: "TextView".into(),
            text: text.into(),
            on: Some(true),
            bounds: Some(Rect::new(0, top, 10, top + 10)),
            ..Row::default()
        }
    }

    #[test]
    fn each_side_of_a_change_has_its_line() {
        let golden = [row("same", 0), row("gone", 10), row("moved", 20)];
        let actual = [row("same", 0), row("moved", 10), row("new", 20)];
        assert_eq!(
            write(&row_lines(&golden, &actual)),
            "change\tid\tclass\ttext\tdesc\tres_id\thint\tbounds\tflags\n\
             same\tn1\tTextView\tsame\t-\t-\t-\t0,0,10,10\ton\n\
             removed\tn2\tTextView\tgone\t-\t-\t-\t0,10,10,20\ton\n\
             before\tn3\tTextView\tmoved\t-\t-\t-\t0,20,10,30\ton\n\
             after\tn2\tTextView\tmoved\t-\t-\t-\t0,10,10,20\ton\n\
             added\tn3\tTextView\tnew\t-\t-\t-\t0,20,10,30\ton\n"
        );
    }
}
