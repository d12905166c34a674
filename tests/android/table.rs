//! Answers to the rows, in `table.tsv`: a line for each observation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::rows::{Row, Source};

/// Allowed difference of lengths, in dp or in whole pixels: pixels are whole, and so are the times of a
/// finger.
const NEAR: f64 = 1.0;
const NEAR_PART: f64 = 0.01;

/// Observations after a row's act: name and text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer(pub Vec<(String, String)>);

impl Answer {
    /// Makes the answer that a document gives.
    pub fn given(left: &BTreeMap<String, String>) -> Self {
        Self(left.clone().into_iter().collect())
    }

    /// Returns a line for each observation that differs in `other`.
    pub fn differences(&self, other: &Self) -> String {
        let mut differences = String::new();
        for (see, expected) in &self.0 {
            let found = other.0.iter().find(|(name, _)| name == see);
            let found = found.map_or("?", |(_, value)| value.as_str());
            if !is_near(see, expected, found) {
                let _ = writeln!(differences, "    {see}: {expected:?}, not {found:?}");
            }
        }
        differences
    }
}

fn is_near(see: &str, one: &str, other: &str) -> bool {
    let is_length = [".position", ".width", ".height"]
        .iter()
        .any(|end| see.ends_with(end));
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) if is_length => (one - other).abs() <= NEAR.max(one.abs() * NEAR_PART),
        _ => one == other,
    }
}

/// Answers of Android.
#[derive(Debug, Default)]
pub struct Table {
    /// Versions of what answered.
    pub versions: String,
    rows: BTreeMap<String, (String, Answer)>,
}

fn path() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/android/table.tsv"
    ))
}

fn source(row: &Row) -> &str {
    match &row.source {
        Source::Framework => "framework",
        Source::Host => "host",
        Source::Document { name, .. } => name,
    }
}

impl Table {
    /// Reads the stored table. Empty if there is none.
    pub fn read() -> Self {
        let text = std::fs::read_to_string(path()).unwrap_or_default();
        let mut table = Self::default();
        for line in text.lines() {
            if let Some(versions) = line.strip_prefix("# ") {
                versions.clone_into(&mut table.versions);
                continue;
            }
            let cells: Vec<&str> = line.split('\t').collect();
            let [name, source, see, left] = cells.as_slice() else {
                panic!("table.tsv: {line}");
            };
            let left = serde_json::from_str(left).unwrap_or_else(|error| panic!("{line}: {error}"));
            let row = table.rows.entry((*name).to_owned()).or_default();
            (*source).clone_into(&mut row.0);
            row.1.0.push(((*see).to_owned(), left));
        }
        table
    }

    pub fn answer(&self, row: &Row) -> Option<&Answer> {
        self.rows.get(&row.name).map(|(_, answer)| answer)
    }

    pub fn put(&mut self, row: &Row, answer: Answer) {
        let value = (source(row).to_owned(), answer);
        self.rows.insert(row.name.clone(), value);
    }

    /// Drops answers to rows that do not exist any more.
    pub fn keep(&mut self, rows: &[Row]) {
        self.rows
            .retain(|name, _| rows.iter().any(|row| row.name == *name));
    }

    pub fn differences(&self, other: &Self) -> String {
        let mut differences = String::new();
        for (name, (_, answer)) in &self.rows {
            let empty = Answer::default();
            let found = other.rows.get(name).map_or(&empty, |(_, answer)| answer);
            let lines = answer.differences(found);
            if !lines.is_empty() {
                let _ = writeln!(differences, "{name}\n{lines}");
            }
        }
        differences
    }

    pub fn write(&self) {
        let mut text = format!("# {}\n", self.versions);
        for (name, (source, answer)) in &self.rows {
            for (see, left) in &answer.0 {
                let left = serde_json::Value::from(left.as_str());
                let _ = writeln!(text, "{name}\t{source}\t{see}\t{left}");
            }
        }
        write("table.tsv", &text);
    }
}

/// Writes a file beside the rows, first under another name.
pub fn write(name: &str, text: &str) {
    let path = path().with_file_name(name);
    let new = path.with_extension("new");
    std::fs::write(&new, text).expect("a file");
    std::fs::rename(new, path).expect("a file");
}
