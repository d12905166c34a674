//! Lists the pending goldens and selects from them. Nothing here writes.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use globset::{GlobBuilder, GlobMatcher};

use super::folder::GoldenFolder;
use super::golden::hash;
use super::parts::Parts;
use super::pending::{self, Mark};
use super::{Cause, FileKind, GoldenKey, RenderClass, SnapshotError};

/// Number of existing keys that an error lists. Chosen: enough to see a misspelling.
const MAX_REPORTED: usize = 10;

/// Pending golden: the proposal of one render class, with the shared rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingEntry {
    /// Key `flow/path/name[@VARIANT][~CLASS]`.
    pub key: GoldenKey,
    /// Pending files, at least one. For an obsolete golden the files that it has itself, perhaps none.
    pub files: Vec<PendingFile>,
    /// Hashes of all files that the run proposed together, [`FileKind::Shared`] for the shared rows. Empty if the
    /// run did not say.
    pub parts: BTreeMap<FileKind, String>,
    /// Cause; `None` if the run that proposed it did not say.
    pub cause: Option<Cause>,
    /// First of its files without a valid mark. It cannot be accepted then.
    pub unmarked: Option<Utf8PathBuf>,
    /// Text that changes with the proposal. A decision names the version that the person looked at.
    pub version: String,
}

impl PendingEntry {
    /// Creates an entry without pending files, for an obsolete golden that waits for a decision. It is never
    /// unmarked, and its version is empty.
    pub fn nothing(key: &GoldenKey) -> Self {
        Self {
            key: key.clone(),
            files: Vec::new(),
            parts: BTreeMap::new(),
            cause: None,
            unmarked: None,
            version: String::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingFile {
    pub kind: FileKind,
    /// True if all devices share it.
    pub shared: bool,
    /// Path of the pending file, below the root.
    pub pending: Utf8PathBuf,
    /// Path of the golden it would replace, below the root.
    pub golden: Utf8PathBuf,
}

impl PendingFile {
    /// Returns its kind among [`PendingEntry::parts`]: [`FileKind::Shared`] for a shared file, else its own kind.
    pub(super) fn part(&self) -> FileKind {
        if self.shared {
            FileKind::Shared
        } else {
            self.kind
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    All,
    /// Goldens whose key is given or matches a glob. A key without class stands for all classes.
    Keys(Vec<String>),
}

/// Returns all pending goldens in order of their keys, one for each class that proposes a file.
pub(super) fn all(folder: &GoldenFolder) -> Result<Vec<PendingEntry>, SnapshotError> {
    pending_among(folder, folder.files()?)
}

/// Returns the pending golden for exactly this key, with its class. Returns `None` if nothing is pending for it. The
/// whole folder is listed, but no file of another golden is read.
pub(super) fn pending_for(
    folder: &GoldenFolder,
    key: &GoldenKey,
) -> Result<Option<PendingEntry>, SnapshotError> {
    let mut files = folder.files()?;
    let golden = key.shared();
    files.retain(|(other, ..)| other.shared() == golden);
    let entries = pending_among(folder, files)?;
    Ok(entries.into_iter().find(|entry| entry.key == *key))
}

/// Groups the pending files among `files` by the class that proposes them, in order of the keys. A shared file is in
/// the entry of each class that its mark names. The cause in the class's own files is preferred to that in a shared
/// one. Goldens and files that are gone meanwhile are left out; of files without a mark the entry names the first.
pub(super) fn pending_among(
    folder: &GoldenFolder,
    files: BTreeSet<(GoldenKey, FileKind, bool)>,
) -> Result<Vec<PendingEntry>, SnapshotError> {
    let mut entries: BTreeMap<GoldenKey, PendingFiles> = BTreeMap::new();
    for (key, kind, is_pending) in files {
        if !is_pending {
            continue;
        }
        let is_own_of_shared = kind == FileKind::Shared;
        let file = PendingFile {
            kind: if is_own_of_shared {
                FileKind::Rows
            } else {
                kind
            },
            shared: is_own_of_shared || key.class().is_none(),
            pending: folder.path(&key, kind, true),
            golden: folder.path(&key, kind, false),
        };
        // Another process may have decided about it since the folder was listed.
        let Some(head) = folder.disk.read_head(&file.pending, pending::HEAD)? else {
            continue;
        };
        let mark = pending::read(&head);
        for key in proposers(&key, mark.as_ref()) {
            let parts = mark.as_ref().zip(key.class());
            let parts = parts.and_then(|(mark, class)| mark.parts.get(class.as_str()));
            let parts = parts.cloned().unwrap_or_default();
            let found = entries.entry(key).or_default();
            found.parts.extend(parts);
            // The class's own files have its own cause; that of a shared file may be another class's.
            let cause = mark.as_ref().and_then(|mark| mark.cause.clone());
            if !file.shared || found.cause.is_none() {
                found.cause = cause.or(found.cause.take());
            }
            if mark.is_none() && found.unmarked.is_none() {
                found.unmarked = Some(file.pending.clone());
            }
            found.versions.push_str(&pending::version(&head));
            found.files.push(file.clone());
        }
    }
    Ok(entries
        .into_iter()
        .map(|(key, found)| PendingEntry {
            key,
            files: found.files,
            parts: found.parts,
            cause: found.cause,
            unmarked: found.unmarked,
            version: hash(found.versions.as_bytes()),
        })
        .collect())
}

/// Returns the selected pending goldens in order of their keys, each once.
///
/// # Errors
/// A key matches none, also as a glob.
pub(super) fn selected(
    folder: &GoldenFolder,
    selection: &Selection,
) -> Result<Vec<PendingEntry>, SnapshotError> {
    select(all(folder)?, selection)
}

/// Pending golden while its files are gathered.
#[derive(Default)]
struct PendingFiles {
    files: Vec<PendingFile>,
    parts: Parts,
    cause: Option<Cause>,
    unmarked: Option<Utf8PathBuf>,
    /// Versions of its files, one after the other.
    versions: String,
}

/// Returns the keys of the entries to which a file belongs. A shared file belongs to every class that its
/// mark names as proposer; without a mark, or without a valid class in it, it belongs to the key without
/// class.
pub(super) fn proposers(key: &GoldenKey, mark: Option<&Mark>) -> Vec<GoldenKey> {
    if key.class().is_some() {
        return vec![key.clone()];
    }
    let classes: Vec<GoldenKey> = mark
        .into_iter()
        .flat_map(|mark| &mark.by)
        .filter_map(|class| RenderClass::try_from(class.clone()).ok())
        .map(|class| key.with_class(&class))
        .collect();
    if classes.is_empty() {
        vec![key.clone()]
    } else {
        classes
    }
}

/// Returns the selected entries in their order, each once; [`Selection::All`] takes all, also none. A key selects
/// exactly, else as a glob. A key without class takes all classes. Fails with [`SnapshotError::NoSuchPending`] for a
/// key that matches nothing, and says which there are, and with [`SnapshotError::Name`] for a text that is no glob.
fn select(
    entries: Vec<PendingEntry>,
    selection: &Selection,
) -> Result<Vec<PendingEntry>, SnapshotError> {
    let Selection::Keys(keys) = selection else {
        return Ok(entries);
    };
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    for given in keys {
        // A flow's name may contain characters of globs, so an exact key goes first.
        let mut matching = places(&entries, |key| key == given);
        if matching.is_empty() {
            let glob = glob(given)?;
            matching = places(&entries, |key| glob.is_match(key));
        }
        if matching.is_empty() {
            return Err(SnapshotError::NoSuchPending {
                given: given.clone(),
                there: list_keys(&entries),
            });
        }
        chosen.extend(matching);
    }
    Ok(entries
        .into_iter()
        .enumerate()
        .filter_map(|(at, entry)| chosen.contains(&at).then_some(entry))
        .collect())
}

/// Returns the indexes of the entries whose key is wanted, with or without its class. `is_wanted` is asked
/// with both texts.
fn places(entries: &[PendingEntry], is_wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    let all = entries.iter().enumerate();
    all.filter(|(_, PendingEntry { key, .. })| {
        is_wanted(&key.to_string()) || is_wanted(&key.shared().to_string())
    })
    .map(|(at, _)| at)
    .collect()
}

/// Lists existing keys for a message, separated by commas: up to [`MAX_REPORTED`], then the number of the
/// others. Without entries it is `none`.
fn list_keys(entries: &[PendingEntry]) -> String {
    if entries.is_empty() {
        return "none".to_owned();
    }
    let reported = entries.iter().take(MAX_REPORTED);
    let mut there: Vec<String> = reported.map(|entry| entry.key.to_string()).collect();
    let more = entries.len() - there.len();
    if more > 0 {
        there.push(format!("and {more} more, which `runner pending` lists"));
    }
    there.join(", ")
}

/// Compiles a glob in which `*` stays within a folder and `**` does not. A text that is no glob is
/// [`SnapshotError::Name`].
fn glob(given: &str) -> Result<GlobMatcher, SnapshotError> {
    GlobBuilder::new(given)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|_| SnapshotError::Name {
            what: "key",
            given: given.to_owned(),
            why: "it is neither a key nor a glob (`*`, `**`, `?`, `[a-z]`, `{a,b}`)",
        })
}

#[cfg(test)]
mod tests;
