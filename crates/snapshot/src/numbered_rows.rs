//! Rows with the numbers that label them in the annotated picture. Goldens of schema 1 had them, and a run's
//! files for people have them.

use std::fmt::Write as _;

use super::row::Row;
use super::tsv::{self, CLASS_COLUMNS, Metadata, NUMBER_COLUMN, SCHEMA};

/// Writes a line of metadata, the line of column names and a line for each row with bounds, like [`tsv::write`], with
/// a first column of numbers `n1`, `n2` and so on. The result is not a golden.
pub(super) fn write(metadata: &Metadata, rows: &[Row]) -> String {
    let mut out = format!(
        "# {}\n{NUMBER_COLUMN}{CLASS_COLUMNS}\n",
        tsv::metadata_line(metadata)
    );
    for (at, row) in rows.iter().enumerate() {
        let _ = write!(out, "n{}\t", at + 1);
        tsv::push_row(&mut out, row, true);
    }
    out
}

/// Returns true if a golden's file is of schema 1, whose line of column names begins with the number. The metadata
/// does not matter.
pub(super) fn is_numbered(text: &str) -> bool {
    let mut lines = text.lines().skip_while(|line| line.starts_with('#'));
    lines
        .next()
        .is_some_and(|line| line.starts_with(NUMBER_COLUMN))
}

/// Rewrites a file of schema 1, whose rows have numbers, in the present format; `None` for any other file and
/// for one that cannot be parsed. Line ends stay.
pub(super) fn without_numbers(text: &str) -> Option<String> {
    let mut table = tsv::read(text).ok().filter(|_| is_numbered(text))?;
    let columns = |line: &str| line.strip_prefix(NUMBER_COLUMN) == Some(CLASS_COLUMNS);
    let has_bounds = text.lines().any(columns);
    table
        .metadata
        .insert("schema".to_owned(), SCHEMA.to_string());
    let written = tsv::write(&table.metadata, &table.rows, has_bounds);
    let has_carriage_returns = text.contains("\r\n");
    Some(if has_carriage_returns {
        written.replace('\n', "\r\n")
    } else {
        written
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tsv::tests::row;

    proptest! {
        #[test]
        fn a_file_of_schema_1_is_read_and_written_anew(rows in prop::collection::vec(row(), 0..8), bounds in any::<bool>(), windows in any::<bool>()) {
            let metadata = |schema: &str| Metadata::from([("schema".into(), schema.into())]);
            let end = if windows { "\r\n" } else { "\n" };
            let now = tsv::write(&metadata("2"), &rows, bounds).replace('\n', end);
            let mut old = String::new();
            for (at, line) in now.lines().enumerate() {
                old.push_str(&match at {
                    0 => format!("# schema=1{end}"),
                    1 => format!("id\t{line}{end}"),
                    _ => format!("n{}\t{line}{end}", at - 1),
                });
            }
            prop_assert_eq!(tsv::read(&old).unwrap().rows, tsv::read(&now).unwrap().rows);
            prop_assert_eq!(without_numbers(&old), Some(now.clone()));
            prop_assert_eq!(without_numbers(&now), None);
        }
    }
}
