//! Goldens that a merge wrote: rows that neither side had, and that nobody has looked at.
//!
//! The mark is a key of the header, so it goes from clone to clone with the golden. Nothing is compared with it.

use super::folder::{GoldenFolder, files};
use super::tsv::{self, Metadata};
use super::{FileKind, GoldenKey, SnapshotError};
use camino::Utf8PathBuf;

/// The header's key.
pub(super) const KEY: &str = "merged";

/// A header is a line of a few settings.
const HEAD: usize = 16 * 1024;

/// Marks a header.
pub(super) fn mark(metadata: &mut Metadata) {
    metadata.insert(KEY.to_owned(), "yes".to_owned());
}

fn is_marked(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    std::str::from_utf8(line)
        .ok()
        .and_then(|line| line.strip_prefix('#'))
        .is_some_and(|line| tsv::read_metadata(line).contains_key(KEY))
}

/// The file without the mark; `None` where it has none. All other bytes stay as they are.
pub(super) fn unmarked(bytes: &[u8]) -> Option<Vec<u8>> {
    if !is_marked(bytes) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let end = if line.ends_with('\r') { "\r\n" } else { "\n" };
    let mut metadata = tsv::read_metadata(line.trim_start_matches('#'));
    metadata.remove(KEY);
    let line = tsv::metadata_line(&metadata);
    Some(format!("# {line}{end}{rest}").into_bytes())
}

/// The goldens of which a file is marked, without their classes, in order.
pub(super) fn goldens(folder: &GoldenFolder) -> Result<Vec<GoldenKey>, SnapshotError> {
    let mut found = Vec::new();
    for (key, kind, is_pending) in folder.files()? {
        if is_pending || kind != FileKind::Rows {
            continue;
        }
        let head = folder
            .disk
            .read_head(&folder.path(&key, kind, false), HEAD)?;
        let shared = key.shared();
        if head.as_deref().is_some_and(is_marked) && !found.contains(&shared) {
            found.push(shared);
        }
    }
    found.sort();
    Ok(found)
}

/// A marked file: its path below the root, its bytes with the mark and without.
pub(super) type Marked = (Utf8PathBuf, [Vec<u8>; 2]);

/// Marked files that `key` stands for, those of its class and those that all devices share.
pub(super) fn without_marks(
    folder: &GoldenFolder,
    key: &GoldenKey,
) -> Result<Vec<Marked>, SnapshotError> {
    let mut changes = Vec::new();
    for (of, kind) in files(key) {
        if kind != FileKind::Rows {
            continue;
        }
        let path = folder.path(&of, kind, false);
        if let Some(before) = folder.disk.read(&path)?
            && let Some(after) = unmarked(&before)
        {
            changes.push((path, [before, after]));
        }
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_comes_off_and_nothing_else() {
        for text in ["# app=a schema=1\nid\n", "# app=a schema=1\r\nid\r\n"] {
            let marked = text.replace(" schema", " merged=yes schema");
            assert_eq!(unmarked(marked.as_bytes()).unwrap(), text.as_bytes());
            assert_eq!(unmarked(text.as_bytes()), None);
        }
        // In a row it is a text.
        assert_eq!(unmarked(b"# app=a\n# merged=yes\n"), None);
    }
}
