//! What waits for review: the list of pending goldens, and choosing from it. Nothing here writes.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use globset::{GlobBuilder, GlobMatcher};

use super::folder::GoldenFolder;
use super::golden::hash;
use super::pending::{self, Mark};
use super::{Cause, FileKind, GoldenKey, RenderClass, SnapshotError};

/// Maximum number of keys that are listed where none of them was meant.
const MAX_REPORTED: usize = 10;

/// A pending golden: what one render class proposes, with what all devices share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingEntry {
    /// `flow/path/name[@VARIANT][~CLASS]`.
    pub key: GoldenKey,
    /// Its files; at least one.
    pub files: Vec<PendingFile>,
    /// Why it is pending; `None` where the run that proposed it did not say.
    pub cause: Option<Cause>,
    /// Its first file that does not say what it was compared with: it cannot be accepted.
    pub unmarked: Option<Utf8PathBuf>,
    /// Another one as soon as what it proposes is another: what was looked at is what is decided about.
    pub version: String,
}

impl PendingEntry {
    /// Nothing is pending for `key`: an obsolete golden waits without a file of its own.
    pub fn nothing(key: &GoldenKey) -> Self {
        Self {
            key: key.clone(),
            files: Vec::new(),
            cause: None,
            unmarked: None,
            version: String::new(),
        }
    }
}

/// One pending file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingFile {
    /// What it is.
    pub kind: FileKind,
    /// Whether all devices share it.
    pub shared: bool,
    /// The pending file, below the root.
    pub pending: Utf8PathBuf,
    /// The golden it would replace, below the root.
    pub golden: Utf8PathBuf,
}

/// Which pending goldens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All.
    All,
    /// Those whose key is given or matches a glob. A key without class stands for every class.
    Keys(Vec<String>),
}

/// All pending goldens, in order of their keys.
pub(super) fn all(folder: &GoldenFolder) -> Result<Vec<PendingEntry>, SnapshotError> {
    pending_among(folder, folder.files()?)
}

/// What is pending for one key; reads no file of another golden.
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
        // Somebody else may have decided about it since the folder was read.
        let Some(head) = folder.disk.read_head(&file.pending, pending::HEAD)? else {
            continue;
        };
        let mark = pending::read(&head);
        for key in proposers(&key, mark.as_ref()) {
            let found = entries.entry(key).or_default();
            // The class's own files know its own cause; what is shared may be another class's.
            let cause = mark.as_ref().and_then(|mark| mark.cause.clone());
            if !file.shared || found.cause.is_none() {
                found.cause = cause.or(found.cause.take());
            }
            if mark.is_none() && found.unmarked.is_none() {
                found.unmarked = Some(file.pending.clone());
            }
            found.is.push_str(&pending::version(&head));
            found.files.push(file.clone());
        }
    }
    Ok(entries
        .into_iter()
        .map(|(key, found)| PendingEntry {
            key,
            files: found.files,
            cause: found.cause,
            unmarked: found.unmarked,
            version: hash(found.is.as_bytes()),
        })
        .collect())
}

/// The pending goldens that are selected.
///
/// # Errors
/// A key that matches none.
pub(super) fn selected(
    folder: &GoldenFolder,
    selection: &Selection,
) -> Result<Vec<PendingEntry>, SnapshotError> {
    select(all(folder)?, selection)
}

/// A pending golden while its files are gathered.
#[derive(Default)]
struct PendingFiles {
    files: Vec<PendingFile>,
    cause: Option<Cause>,
    unmarked: Option<Utf8PathBuf>,
    /// What its files are, one after the other.
    is: String,
}

/// The entries a file belongs to: a shared one to every class that proposed it.
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

fn select(
    entries: Vec<PendingEntry>,
    selection: &Selection,
) -> Result<Vec<PendingEntry>, SnapshotError> {
    let Selection::Keys(keys) = selection else {
        return Ok(entries);
    };
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    for given in keys {
        // A flow's name may hold what a glob takes for its own: a key as it is listed is that key.
        let mut matching = places(&entries, |key| key == given);
        if matching.is_empty() {
            let glob = glob(given)?;
            matching = places(&entries, |key| glob.is_match(key));
        }
        if matching.is_empty() {
            return Err(SnapshotError::NoSuchPending {
                given: given.clone(),
                there: few(&entries),
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

/// Where the entries stand whose key, with or without its class, is wanted.
fn places(entries: &[PendingEntry], is_wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    let all = entries.iter().enumerate();
    all.filter(|(_, PendingEntry { key, .. })| {
        is_wanted(&key.to_string()) || is_wanted(&key.shared().to_string())
    })
    .map(|(at, _)| at)
    .collect()
}

/// The keys there are, as far as a message has room for them.
fn few(entries: &[PendingEntry]) -> String {
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

/// `*` stays within a folder, `**` does not.
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
