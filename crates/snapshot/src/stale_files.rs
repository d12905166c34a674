//! Removes files that a new golden makes outdated: pending files of earlier runs, and annotated pictures of
//! older contents.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::folder::{GoldenFolder, files};
use super::journal::{self, Change, DecisionKind};
use super::{FileKind, GoldenKey, SnapshotError, pending};

/// Removes the pending files of earlier runs for `key`, annotated pictures too, as one step. A shared one is removed
/// only if no other class proposed it; otherwise it stays, and its mark no longer names the class. Without pending
/// files it takes no lock.
pub(super) fn remove_stale_pending(
    folder: &GoldenFolder,
    key: &GoldenKey,
) -> Result<(), SnapshotError> {
    // No lock yet: most steps pass and have no pending files, and would wait for one another.
    let is_there = pending_files(key)
        .iter()
        .any(|(key, kind)| folder.disk.exists(&folder.path(key, *kind, true)));
    if !is_there {
        return Ok(());
    }
    let lock = folder.lock()?;
    let changes = stale_changes(folder, key, &[])?;
    journal::commit(&folder.disk, &lock, &changes, DecisionKind::Run)
}

/// Returns the changes that remove everything pending for `key` except the paths in `keep`, below the root. A shared
/// file that other classes propose too only loses this class. A key without class takes the shared file whoever
/// proposes it, and no file of a class. Writes nothing.
pub(super) fn stale_changes(
    folder: &GoldenFolder,
    key: &GoldenKey,
    keep: &[Utf8PathBuf],
) -> Result<Vec<Change>, SnapshotError> {
    let by: BTreeSet<String> = key.class().iter().map(ToString::to_string).collect();
    let mut changes = Vec::new();
    for (of, kind) in pending_files(key) {
        let path = folder.path(&of, kind, true);
        if !keep.contains(&path) {
            changes.extend(withdraw(folder, &path, &by)?);
        }
    }
    Ok(changes)
}

/// Returns the change that removes the proposal of these classes from a pending file, and writes nothing. A shared file
/// that other classes propose too stays, and its mark no longer names these classes. If no class is given, or if the
/// file is not shared or has no valid mark, the change removes the file. Returns `None` if the file does not exist or
/// these classes do not propose it.
pub(super) fn withdraw(
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
        mark.parts.retain(|class, _| !classes.contains(class));
        return if mark.by.len() == before {
            Ok(None)
        } else {
            folder.put(path, pending::mark(&bytes, &mark)).map(Some)
        };
    }
    folder.removal(path)
}

/// Returns the change that removes the annotated picture of `key`, if its rows or its picture are replaced and it is
/// not drawn anew. `written` are the replaced goldens, below the root. Returns `None` without a class or if the
/// picture does not exist. Writes nothing.
pub(super) fn outdated_picture(
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

/// Returns the pending files that a golden of this key may have: the shared rows, and with a class its rows, pictures
/// and own shared rows. None is checked for existence.
fn pending_files(key: &GoldenKey) -> Vec<(GoldenKey, FileKind)> {
    let mut files = files(key);
    if key.class().is_some() {
        files.push((key.clone(), FileKind::Shared));
    }
    files
}
