//! Finds goldens whose rows of a class differ from the shared ones in more than bounds and visibility.
//!
//! A run writes both together. A merge that knows nothing of rows, such as a server's, may mix versions.

use camino::Utf8PathBuf;

use super::difference::Tables;
use super::folder::GoldenFolder;
use super::golden::Golden;
use super::{FileKind, Row, SnapshotError, tsv};

/// First row of a class that differs from the shared one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// Path of the class's file, below the root.
    pub path: Utf8PathBuf,
    /// Text of that file.
    pub text: String,
    /// Line of the row, from 1; the last line where rows are missing.
    pub line: usize,
    /// Path of the shared file, below the root.
    pub shared: Utf8PathBuf,
    /// Difference in words.
    pub what: String,
}

/// Returns a warning that names the first row in which a golden's rows of a class differ from the shared ones
/// in more than bounds and visibility. Returns `None` if they agree or one of them is missing.
pub(super) fn warning(tables: &Tables, golden: &Golden) -> Option<String> {
    let (shared, class) = (tables.shared.as_ref()?, tables.class.as_ref()?);
    let at = Row::first_difference(&class.rows, &shared.rows)?;
    let row = class.rows.get(at).or_else(|| shared.rows.get(at))?;
    let [shared, class] = &golden.found;
    Some(format!(
        "{class} says something else than {shared}, from {} on: a merge may have joined two screens; `--update changed` writes it anew",
        row.name(at + 1)
    ))
}

/// Returns the disagreements between the rows of a class and the shared rows, in order of the keys, each with
/// its first different row. Pending files are not compared. Goldens with a missing side are skipped, and so
/// are files that cannot be parsed, since a run reports them better.
pub(super) fn all(folder: &GoldenFolder) -> Result<Vec<Disagreement>, SnapshotError> {
    let mut found = Vec::new();
    for (key, kind, is_pending) in folder.files()? {
        if is_pending || kind != FileKind::Rows || key.class().is_none() {
            continue;
        }
        let path = folder.path(&key, FileKind::Rows, false);
        // A variant without rows of its own shares those of the golden without variant.
        let own = folder.path(&key.shared(), FileKind::Rows, false);
        let plain = folder.path(&key.shared().without_variant(), FileKind::Rows, false);
        let read = |path| -> Result<_, SnapshotError> {
            let bytes = folder.disk.read(path)?;
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            Ok(text.and_then(|text| tsv::read(&text).ok().map(|table| (text, table))))
        };
        let shared_path = if folder.disk.exists(&own) { own } else { plain };
        let (Some((text, class)), Some((_, shared))) = (read(&path)?, read(&shared_path)?) else {
            continue;
        };
        let Some(at) = Row::first_difference(&class.rows, &shared.rows) else {
            continue;
        };
        let name =
            |row: Option<&Row>| row.map_or_else(|| "no row".to_owned(), |row| row.name(at + 1));
        let (here, there) = (class.rows.get(at), shared.rows.get(at));
        let what = if name(here) == name(there) {
            format!("{} says something else in {shared_path}", name(here))
        } else {
            format!(
                "{} stands where {shared_path} has {}",
                name(here),
                name(there)
            )
        };
        let lines: Vec<&str> = text.lines().collect();
        let columns = lines.iter().position(|line| !line.starts_with('#'));
        let line = columns.unwrap_or_default() + 2 + at;
        found.push(Disagreement {
            line: line.min(lines.len()),
            path,
            shared: shared_path,
            what,
            text,
        });
    }
    Ok(found)
}
