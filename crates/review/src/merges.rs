//! What merges left: goldens whose files git waits for, and goldens that a merge wrote and nobody has looked at.
//!
//! Ours is the golden, theirs waits as a run's proposal does, all files of a golden together. Git's index is read and never
//! written: with it git forgets both sides, and `runner undo` could not bring them back. Who decided runs `git add`.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use runner_config::Config;
use runner_git::{GitError, Pointer, Repository, Unmerged};
use runner_snapshot::{FileKind, GoldenKey, SnapshotError, Store};

use super::ReviewError;
use runner_text::input_file::{MAX_PICTURE, read_in_root, read_text};

/// What merges left in a project.
#[derive(Debug, Default)]
pub struct Merges {
    /// What cannot be decided here, in words.
    pub notes: Vec<String>,
    /// Goldens of which the other side waits now, without their classes.
    pub conflicts: BTreeSet<GoldenKey>,
    /// Goldens that a merge wrote, which wait for a look.
    pub merged: BTreeSet<GoldenKey>,
}

type Goldens = BTreeMap<GoldenKey, Golden>;

/// The files of a golden that git waits for.
struct Golden {
    /// Their paths from the root.
    paths: Vec<Utf8PathBuf>,
    files: Vec<(GoldenKey, FileKind, Unmerged)>,
}

/// Files what merges left as pending goldens.
///
/// # Errors
/// Goldens that cannot be read or written.
pub fn merges(config: &Config) -> Result<Merges, ReviewError> {
    let store = config.store();
    let mut found = Merges::default();
    let waiting = waiting(&store)?;
    let (repository, goldens) = match unmerged(config) {
        Ok(Some((repository, goldens))) => (Some(repository), goldens),
        Ok(None) => (None, BTreeMap::new()),
        Err(error) => {
            found.notes.push(error.to_string());
            (None, BTreeMap::new())
        }
    };
    for (key, golden) in &goldens {
        let Some(repository) = &repository else {
            break;
        };
        match propose(&store, repository, golden, &config.root) {
            Ok(Proposed::Waits) => {
                found.conflicts.insert(key.clone());
            }
            Ok(Proposed::Decided) => found.notes.push(decided(key, golden)),
            Err(why) => found
                .notes
                .push(format!("{key} cannot be decided here: {why}")),
        }
    }
    for key in store.merged()? {
        // What waits is decided about first; the mark stays until somebody saw the file.
        if !goldens.contains_key(&key) && !waiting.contains(&key) {
            store.propose_merged(&key)?;
            found.merged.insert(key);
        }
    }
    Ok(found)
}

/// What to tell git, of those of these goldens that it waits for and that nothing is pending for any more; their annotated
/// pictures are drawn anew.
///
/// # Errors
/// Goldens that cannot be read or written.
pub fn after_decision<'a>(
    config: &Config,
    keys: impl IntoIterator<Item = &'a GoldenKey>,
) -> Result<Vec<String>, ReviewError> {
    let keys: BTreeSet<GoldenKey> = keys.into_iter().map(GoldenKey::shared).collect();
    // Most decisions are about no merge.
    let Ok(Some((_, goldens))) = unmerged(config) else {
        return Ok(Vec::new());
    };
    let store = config.store();
    let waiting = waiting(&store)?;
    let mut notes = Vec::new();
    for (key, golden) in &goldens {
        if !keys.contains(key) || waiting.contains(key) {
            continue;
        }
        for class in golden.classes() {
            store.draw_annotated(class)?;
        }
        notes.push(decided(key, golden));
    }
    Ok(notes)
}

/// What waits, without its classes.
fn waiting(store: &Store) -> Result<BTreeSet<GoldenKey>, ReviewError> {
    let pending = store.pending()?;
    Ok(pending.iter().map(|entry| entry.key.shared()).collect())
}

impl Golden {
    fn classes(&self) -> BTreeSet<&GoldenKey> {
        let keys = self.files.iter().map(|(key, ..)| key);
        keys.filter(|key| key.class().is_some()).collect()
    }
}

fn decided(key: &GoldenKey, golden: &Golden) -> String {
    let paths: Vec<String> = golden.paths.iter().map(|path| quoted(path)).collect();
    format!(
        "{key} is decided; tell git: `git add -- {}`",
        paths.join(" ")
    )
}

/// For a shell.
fn quoted(path: &Utf8Path) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-@~+".contains(c);
    if path.as_str().chars().all(is_plain) {
        path.to_string()
    } else {
        format!("'{}'", path.as_str().replace('\'', r"'\''"))
    }
}

/// The goldens that git waits for; `None` outside a repository.
fn unmerged(config: &Config) -> Result<Option<(Repository, Goldens)>, GitError> {
    let repository = match Repository::around(&config.root) {
        Ok(repository) => repository,
        Err(GitError::NoRepository(_) | GitError::NoGit) => return Ok(None),
        Err(error) => return Err(error),
    };
    let root = repository.path_of(&config.root)?;
    let folder = root.join(&config.snapshots.value);
    let mut goldens: BTreeMap<GoldenKey, Golden> = BTreeMap::new();
    for file in repository.unmerged(&folder)? {
        let known = file.path.strip_prefix(&folder).ok();
        let Some((key, kind, false)) = known.and_then(GoldenKey::of_file) else {
            continue;
        };
        let golden = goldens.entry(key.shared()).or_insert_with(|| Golden {
            paths: Vec::new(),
            files: Vec::new(),
        });
        let from_root = file.path.strip_prefix(&root).unwrap_or(&file.path);
        golden.paths.push(from_root.to_owned());
        golden.files.push((key, kind, file));
    }
    Ok(Some((repository, goldens)))
}

enum Proposed {
    Waits,
    Decided,
}

/// Why the other side of a golden cannot wait for a decision.
#[derive(Debug, thiserror::Error)]
enum NotProposed {
    #[error(
        "one side removed {0}; keep it with `git add -- {0}`, or remove it with `git rm -- {0}`"
    )]
    Removed(Utf8PathBuf),
    #[error(
        "{error}; git wrote both sides into one file, for the driver is not registered in this clone: run `runner init --git`, take one side with `git checkout --ours -- {path}`, then `runner review` again"
    )]
    Markers {
        path: Utf8PathBuf,
        error: SnapshotError,
    },
    #[error(
        "another proposal waits for it, such as a run's; decide about that one with `runner accept` or `runner reject`. After a reject `runner review` offers the other side"
    )]
    OtherWaits,
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error("{0}: {1}")]
    File(Utf8PathBuf, std::io::Error),
}

fn propose(
    store: &Store,
    repository: &Repository,
    golden: &Golden,
    root: &Utf8Path,
) -> Result<Proposed, NotProposed> {
    let mut theirs = Vec::new();
    let (mut is_theirs, mut is_neither) = (true, false);
    for ((key, kind, file), path) in golden.files.iter().zip(&golden.paths) {
        let (Some(ours), Some(object)) = (&file.ours, &file.theirs) else {
            return Err(NotProposed::Removed(path.clone()));
        };
        // It is drawn from the others.
        if *kind == FileKind::Annotated {
            continue;
        }
        let bytes = content(repository, object, &file.path)?;
        let there = read_in_root(root, root.join(path), MAX_PICTURE)
            .map_err(|error| NotProposed::File(path.clone(), error.into()))?;
        is_theirs &= there == bytes;
        if there != bytes {
            is_neither |= is_another(&there, &content(repository, ours, &file.path)?);
        }
        theirs.push((key.clone(), *kind, bytes));
    }
    // What is neither side's somebody accepted, such as what a run on the merged app proposed, unless git wrote it.
    let mut paths = golden.paths.iter().map(|path| root.join(path));
    let is_accepted = is_neither && !paths.any(|path| has_markers(&path));
    if is_theirs || is_accepted {
        // Also where only what is drawn was left.
        for key in golden.classes() {
            store.draw_annotated(key)?;
        }
        return Ok(Proposed::Decided);
    }
    match store.propose_theirs(&theirs) {
        Ok(true) => Ok(Proposed::Waits),
        Ok(false) => Err(NotProposed::OtherWaits),
        Err(error) => Err(match &error {
            SnapshotError::BrokenGolden { path, .. } if has_markers(&root.join(path)) => {
                NotProposed::Markers {
                    path: path.clone(),
                    error,
                }
            }
            _ => error.into(),
        }),
    }
}

/// Not where it is not known: nobody accepts a pointer of Git LFS, and ours is one where this clone does not have the file.
fn is_another(there: &[u8], ours: &[u8]) -> bool {
    there != ours && Pointer::read(there).is_none() && Pointer::read(ours).is_none()
}

fn has_markers(path: &Utf8Path) -> bool {
    let text = read_text(path, MAX_PICTURE).unwrap_or_default();
    text.lines().any(|line| line.starts_with("<<<<<<< "))
}

/// An object as the working tree would have it; of one of Git LFS the file itself, where this clone has it.
fn content(repository: &Repository, object: &str, path: &Utf8Path) -> Result<Vec<u8>, NotProposed> {
    let bytes = repository.content(object, path)?;
    let Some(pointer) = Pointer::read(&bytes) else {
        return Ok(bytes);
    };
    Ok(repository.large_file(&pointer)?.unwrap_or(bytes))
}
