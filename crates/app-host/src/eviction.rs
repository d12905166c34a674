//! Eviction from caches that keep only their newest entries.

use camino::{Utf8Path, Utf8PathBuf};

/// Returns all entries of `folder` that `is_entry` accepts except the newest `keep`, by their time of change, the
/// oldest first. Entries are files and folders. Empty if the folder cannot be read. Removes nothing.
pub(crate) fn oldest(
    folder: &Utf8Path,
    keep: usize,
    is_entry: impl Fn(&Utf8Path) -> bool,
) -> Vec<Utf8PathBuf> {
    let Ok(entries) = folder.read_dir_utf8() else {
        return Vec::new();
    };
    let mut dated: Vec<_> = entries
        .flatten()
        .filter(|entry| is_entry(entry.path()))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.into_path())))
        .collect();
    dated.sort();
    dated.truncate(dated.len().saturating_sub(keep));
    dated.into_iter().map(|(_, path)| path).collect()
}
