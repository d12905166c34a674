//! Derives names of rows from a column `name` or `case`, or else from the first columns that distinguish
//! them.

use std::collections::HashMap;

use super::name::CaseName;

/// Columns that give rows their names.
const NAMING: [&str; 2] = ["name", "case"];

/// Table as input for naming its rows.
pub(super) struct NamedTable<'a> {
    pub columns: &'a [String],
    /// Flag for each column: true if its cells must not appear in names.
    pub is_hidden: Vec<bool>,
    /// Cells of each row, with secrets masked. `None`: an expression, which has a value only in a run.
    pub rows: Vec<Vec<Option<String>>>,
}

/// Reason why rows cannot be named.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RowNameError {
    /// The naming column is a secret.
    Secret { column: usize },
    /// The row's cell in the naming column is blank or an expression.
    Empty { row: usize, column: usize },
    /// Two rows have the same name.
    Repeated {
        row: usize,
        earlier: usize,
        column: usize,
        name: CaseName,
    },
    /// Two rows are equal in all columns.
    Same { row: usize, earlier: usize },
}

/// Returns a name for each row, in their order. The names come from the column `name`, else `case`, else from
/// the first columns that are no secrets.
///
/// # Errors
/// The naming column is a secret, a cell of it is empty or an expression, or two names are equal; without
/// such a column, two rows are equal in all cells.
pub(super) fn row_names(table: &NamedTable) -> Result<Vec<CaseName>, RowNameError> {
    let position = |name: &&str| {
        let mut columns = table.columns.iter();
        columns.position(|column| column == *name)
    };
    match NAMING.iter().find_map(position) {
        Some(column) => by_column(table, column),
        None => by_first_columns(table),
    }
}

/// Names each row by its cell in this column. The letters' case does not tell names apart.
///
/// # Errors
/// The column is secret, a cell is blank or an expression, or two names are equal.
fn by_column(table: &NamedTable, column: usize) -> Result<Vec<CaseName>, RowNameError> {
    if table.is_hidden.get(column) == Some(&true) {
        return Err(RowNameError::Secret { column });
    }
    let mut earlier: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::with_capacity(table.rows.len());
    for (row, cells) in table.rows.iter().enumerate() {
        let text = cells.get(column).and_then(Option::as_deref).unwrap_or("");
        if text.trim().is_empty() {
            return Err(RowNameError::Empty { row, column });
        }
        let name = CaseName::new(text);
        if let Some(earlier) = earlier.insert(name.folded(), row) {
            return Err(RowNameError::Repeated {
                row,
                earlier,
                column,
                name,
            });
        }
        names.push(name);
    }
    Ok(names)
}

/// Names rows by their first visible column, and adds the next columns with `-` to those names that still
/// occur several times. A row without text in visible cells is `row-` and its number from 1. Names that stay
/// equal get a hash of their visible cells, or else the row's number. Two such rows that are equal in all
/// cells, hidden ones too, are an error.
fn by_first_columns(table: &NamedTable) -> Result<Vec<CaseName>, RowNameError> {
    let displayed: Vec<usize> = (0..table.columns.len())
        .filter(|column| table.is_hidden.get(*column) != Some(&true))
        .collect();
    let text = |row: usize, columns: usize| {
        let cells = &table.rows[row];
        let parts = displayed.iter().take(columns.max(1));
        let parts: Vec<&str> = parts
            .filter_map(|column| cells.get(*column)?.as_deref())
            .filter(|part| !part.trim().is_empty())
            .collect();
        if parts.is_empty() {
            // No visible cell has text.
            format!("row-{}", row + 1)
        } else {
            parts.join("-")
        }
    };
    let mut texts: Vec<String> = (0..table.rows.len()).map(|row| text(row, 1)).collect();
    let name = |text: &String| CaseName::new(text);
    for columns in 2..=displayed.len() {
        let shared = shared(&texts, name);
        if shared.iter().all(|is_shared| !is_shared) {
            break;
        }
        for (row, _) in shared.iter().enumerate().filter(|(_, it)| **it) {
            texts[row] = text(row, columns);
        }
    }
    // Rows whose names would be equal get a hash of their visible cells, or else their number.
    let reported = |row: usize| -> Vec<Option<&str>> {
        let cells = displayed.iter().map(|column| table.rows[row].get(*column));
        cells.map(|cell| cell?.as_deref()).collect()
    };
    let shared = shared(&texts, name);
    let mut similar: HashMap<Vec<Option<&str>>, usize> = HashMap::new();
    for row in (0..texts.len()).filter(|row| shared[*row]) {
        *similar.entry(reported(row)).or_default() += 1;
    }
    let mut whole: HashMap<&[Option<String>], usize> = HashMap::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::with_capacity(texts.len());
    for (row, text) in texts.iter().enumerate() {
        let mut own = name(text);
        if shared[row] {
            // Values that are only known in a run may differ.
            let is_known = table.rows[row].iter().all(Option::is_some);
            if is_known && let Some(earlier) = whole.insert(&table.rows[row], row) {
                return Err(RowNameError::Same { row, earlier });
            }
            let cells = reported(row);
            let ending = if similar.get(&cells) == Some(&1) {
                let hash = runner_base::files::hash(format!("{cells:?}").as_bytes());
                hash.get(..8).unwrap_or_default().to_owned()
            } else {
                format!("row-{}", row + 1)
            };
            let ending = format!("-{ending}");
            let short: String = own.before(&ending).chars().take(50).collect();
            own = CaseName::new(&format!("{short}{ending}"));
        }
        if let Some(earlier) = known.insert(own.folded(), row) {
            return Err(RowNameError::Same { row, earlier });
        }
        names.push(own);
    }
    Ok(names)
}

/// Returns a flag for each text: true if several texts make the same name. The case of letters does not
/// count.
fn shared(texts: &[String], name: impl Fn(&String) -> CaseName) -> Vec<bool> {
    let folded: Vec<String> = texts.iter().map(|text| name(text).folded()).collect();
    let mut count: HashMap<&str, usize> = HashMap::new();
    for name in &folded {
        *count.entry(name).or_default() += 1;
    }
    folded.iter().map(|name| count[name.as_str()] > 1).collect()
}
