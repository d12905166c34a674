//! What goes when something else is written: pending files of earlier runs, and pictures drawn from what was.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::folder::{GoldenFolder, files};
use super::journal::{self, Change, DecisionKind};
use super::{FileKind, GoldenKey, SnapshotError, pending};

/// Removes what earlier runs left pending for `key`; of what devices share only what this class alone proposed.
pub(super) fn remove_stale_pending(
    folder: &GoldenFolder,
    key: &GoldenKey,
) -> Result<(), SnapshotError> {
    // Without the lock: most steps pass and leave nothing, and would wait for one another.
    let is_there = pending_files(key)
        .iter()
        .any(|(key, kind)| folder.disk.exists(&folder.path(key, *kind, true)));
    if !is_there {
        return Ok(());
    }
    let lock = folder.lock()?;
    let changes = stale(folder, key, &[])?;
    journal::commit(&folder.disk, &lock, &changes, DecisionKind::Run)
}

/// What takes away all that is pending for `key` but `keep`.
pub(super) fn stale(
    folder: &GoldenFolder,
    key: &GoldenKey,
    keep: &[Utf8PathBuf],
) -> Result<Vec<Change>, SnapshotError> {
    let by: BTreeSet<String> = key.class().iter().map(ToString::to_string).collect();
    let mut changes = Vec::new();
    for (of, kind) in pending_files(key) {
        let path = folder.path(&of, kind, true);
        if !keep.contains(&path) {
            changes.extend(without(folder, &path, &by)?);
        }
    }
    Ok(changes)
}

/// What takes the proposal of these classes out of a pending file. It stays for others that propose the same.
pub(super) fn without(
    folder: &GoldenFolder,
    path: &Utf8Path,
    classes: &BTreeSet<String>,
) -> Result<Option<Change>, SnapshotError> {
    let Some(bytes) = folder.disk.read(path)? else {
        return Ok(None);
    };
    let is_shared = folder
        .file_at(path)
        .is_some_and(|(key, ..)| key.class().is_none());
    if is_shared
        && !classes.is_empty()
        && let Some((mut mark, bytes)) = pending::unmark(&bytes)
        && !mark.by.is_subset(classes)
    {
        let before = mark.by.len();
        mark.by.retain(|by| !classes.contains(by));
        return if mark.by.len() == before {
            Ok(None)
        } else {
            folder.put(path, pending::mark(&bytes, &mark)).map(Some)
        };
    }
    folder.removal(path)
}

/// What takes the annotated picture of `key` away where one of the two it was drawn from becomes another and it is not
/// drawn anew: it would show what is not any more. `written` are the goldens that become others, below the root.
pub(super) fn outdated(
    folder: &GoldenFolder,
    key: &GoldenKey,
    written: &[Utf8PathBuf],
) -> Result<Option<Change>, SnapshotError> {
    let is_written = |kind| written.contains(&folder.path(key, kind, false));
    let is_drawn_from_others = is_written(FileKind::Rows) || is_written(FileKind::Picture);
    if key.class().is_none() || !is_drawn_from_others || is_written(FileKind::Annotated) {
        return Ok(None);
    }
    folder.removal(&folder.path(key, FileKind::Annotated, false))
}

/// The pending files that a golden of this key may have.
fn pending_files(key: &GoldenKey) -> Vec<(GoldenKey, FileKind)> {
    let mut files = files(key);
    if key.class().is_some() {
        files.push((key.clone(), FileKind::Shared));
    }
    files
}
