//! What a merge left: goldens of which git waits for a file.
//!
//! All files of such a golden are of one screen, so a person decides about all of them together, also about those that git
//! merged. Ours is the golden, theirs waits as a run's proposal does. Git's index is read and never written: with it git
//! forgets both sides, and `runner undo` could not bring them back. Who decided runs `git add`.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use runner_config::Config;
use runner_git::{GitError, IndexFile, Pointer, Repository};
use runner_snapshot::{BothSides, FileKind, GoldenKey, SnapshotError, Store, is_conflict_marker};

use super::ReviewError;
use runner_text::input_file::{MAX_PICTURE, read_in_root};

/// What a merge left in a project.
#[derive(Debug, Default)]
pub struct Merges {
    /// What cannot be decided here, or is decided and git does not know, in words.
    pub notes: Vec<String>,
    /// Goldens that are undecided, without their classes.
    pub conflicts: BTreeSet<GoldenKey>,
}

type Goldens = BTreeMap<GoldenKey, Golden>;

/// A golden of which git waits for a file.
#[derive(Default)]
struct Golden {
    files: Vec<File>,
}

/// A file of it that both sides have.
struct File {
    key: GoldenKey,
    kind: FileKind,
    /// From the root.
    path: Utf8PathBuf,
    /// Its objects.
    index: IndexFile,
}

/// Looks for what a merge left, and writes nothing.
pub fn unmerged(config: &Config) -> Merges {
    each(config, |_, _| Ok(true))
}

/// Makes the goldens that a merge left ours, and files theirs as pending goldens.
pub fn merges(config: &Config) -> Merges {
    each(config, Store::propose_theirs)
}

/// Does something with each golden that is undecided: `false` where something else waits for it.
fn each(
    config: &Config,
    open: impl Fn(&Store, &[BothSides]) -> Result<bool, SnapshotError>,
) -> Merges {
    let mut found = Merges::default();
    let (repository, goldens) = match goldens(config) {
        Ok(Some(found)) => found,
        Ok(None) => return found,
        Err(error) => {
            found.notes.push(error.to_string());
            return found;
        }
    };
    let store = config.store();
    for (key, golden) in &goldens {
        let opened = golden.state(&repository, &config.root).and_then(|state| {
            let State::Open(sides) = state else {
                return Ok(false);
            };
            match open(&store, &sides) {
                Ok(true) => Ok(true),
                Ok(false) => Err(Undecidable::OtherWaits),
                Err(SnapshotError::LfsPointer(path)) => {
                    let command = repository.download_both_sides()?;
                    Err(Undecidable::NotDownloaded(path, command))
                }
                Err(error) => Err(error.into()),
            }
        });
        match opened {
            Ok(true) => {
                found.conflicts.insert(key.clone());
            }
            Ok(false) => found.notes.push(golden.decided(key)),
            Err(why) => found
                .notes
                .push(format!("{key} cannot be decided here: {why}")),
        }
    }
    found
}

/// What to tell git, of those of these goldens that it waits for and that nothing is pending for any more.
///
/// # Errors
/// Goldens that cannot be read.
pub fn after_decision<'a>(
    config: &Config,
    keys: impl IntoIterator<Item = &'a GoldenKey>,
) -> Result<Vec<String>, ReviewError> {
    let keys: BTreeSet<GoldenKey> = keys.into_iter().map(GoldenKey::shared).collect();
    // Most decisions are about no merge.
    let Ok(Some((_, goldens))) = goldens(config) else {
        return Ok(Vec::new());
    };
    let pending = config.store().pending()?;
    let waiting: BTreeSet<GoldenKey> = pending.iter().map(|entry| entry.key.shared()).collect();
    let decided = goldens
        .iter()
        .filter(|(key, _)| keys.contains(key) && !waiting.contains(key));
    Ok(decided.map(|(key, golden)| golden.decided(key)).collect())
}

/// The goldens of which git waits for a file; `None` outside a repository.
fn goldens(config: &Config) -> Result<Option<(Repository, Goldens)>, GitError> {
    let repository = match Repository::around(&config.root) {
        Ok(repository) => repository,
        Err(GitError::NoRepository(_) | GitError::NoGit) => return Ok(None),
        Err(error) => return Err(error),
    };
    let root = repository.path_of(&config.root)?;
    let folder = root.join(&config.snapshots.value);
    let known = |file: &IndexFile| {
        let (key, kind, is_pending) = GoldenKey::from_file(file.path.strip_prefix(&folder).ok()?)?;
        (!is_pending).then_some((key, kind))
    };
    let index = repository.index(&folder)?;
    let waits = index.iter().filter(|file| file.merged.is_none());
    let keys: BTreeSet<GoldenKey> = waits
        .filter_map(|file| Some(known(file)?.0.shared()))
        .collect();
    let mut goldens = Goldens::new();
    if keys.is_empty() {
        return Ok(Some((repository, goldens)));
    }
    let ours = repository.objects("HEAD", &folder)?;
    let theirs = match repository.incoming()? {
        Some((_, commit)) => repository.objects(&commit, &folder)?,
        // What git merged stays so: the other side is not known.
        None => BTreeMap::new(),
    };
    for mut file in index {
        let Some((key, kind)) = known(&file).filter(|(key, _)| keys.contains(&key.shared())) else {
            continue;
        };
        if file.merged.is_some() {
            file.ours = ours.get(&file.path).cloned();
            file.theirs = theirs.get(&file.path).cloned();
            // A class that only one side has stays.
            if file.ours.is_none() || file.theirs.is_none() || file.ours == file.theirs {
                continue;
            }
        }
        let path = file.path.strip_prefix(&root).unwrap_or(&file.path);
        goldens.entry(key.shared()).or_default().files.push(File {
            key,
            kind,
            path: path.to_owned(),
            index: file,
        });
    }
    Ok(Some((repository, goldens)))
}

/// Whether somebody decided about a golden.
enum State {
    Decided,
    /// What is to be decided.
    Open(Vec<BothSides>),
}

/// Why a golden cannot be decided about.
#[derive(Debug, thiserror::Error)]
enum Undecidable {
    #[error(
        "one side removed {0}; keep it with `git add -- {0}`, or remove it with `git rm -- {0}`"
    )]
    Removed(Utf8PathBuf),
    #[error(
        "another proposal waits for it, such as a run's; decide about that one with `runner accept` or `runner reject`. After a reject `runner review` offers the other side"
    )]
    OtherWaits,
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error("{0} is a pointer of Git LFS, and a side of it was not downloaded; run `{1}`")]
    NotDownloaded(Utf8PathBuf, String),
    #[error("{0}: {1}")]
    File(Utf8PathBuf, std::io::Error),
}

/// Which version of a file is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum There {
    Ours,
    Theirs,
    /// What git merged.
    Merged,
    /// Both sides, between git's markers.
    Markers,
    /// What somebody accepted, such as what a run on the merged app proposed.
    Another,
}

impl Golden {
    fn state(&self, repository: &Repository, root: &Utf8Path) -> Result<State, Undecidable> {
        let mut files = Vec::new();
        for file in &self.files {
            let sides = file.sides(repository)?;
            let there = file.there(repository, root, &sides)?;
            files.push((file.index.merged.is_none(), there, sides));
        }
        let has = |wanted: There| files.iter().any(|(_, there, _)| *there == wanted);
        let is_accepted = has(There::Another) && !has(There::Markers);
        if is_accepted || files.iter().all(|(_, there, _)| *there == There::Theirs) {
            return Ok(State::Decided);
        }
        // Once somebody accepted a class, what git merged may belong to it.
        let mut conflicts = files.iter().filter(|(is_conflict, ..)| *is_conflict);
        let is_begun = conflicts.any(|(_, there, _)| *there == There::Theirs);
        let open = files
            .into_iter()
            .filter(|(is_conflict, there, _)| match there {
                There::Ours => true,
                There::Theirs => !is_begun,
                There::Merged | There::Markers | There::Another => !is_begun || *is_conflict,
            });
        Ok(State::Open(open.map(|(.., sides)| sides).collect()))
    }

    fn decided(&self, key: &GoldenKey) -> String {
        let paths: Vec<String> = self.files.iter().map(|file| quoted(&file.path)).collect();
        format!(
            "{key} is decided; tell git: `git add -- {}`",
            paths.join(" ")
        )
    }
}

impl File {
    fn sides(&self, repository: &Repository) -> Result<BothSides, Undecidable> {
        let (Some(ours), Some(theirs)) = (&self.index.ours, &self.index.theirs) else {
            return Err(Undecidable::Removed(self.path.clone()));
        };
        Ok(BothSides {
            key: self.key.clone(),
            kind: self.kind,
            ours: self.content(repository, ours)?,
            theirs: self.content(repository, theirs)?,
        })
    }

    fn there(
        &self,
        repository: &Repository,
        root: &Utf8Path,
        sides: &BothSides,
    ) -> Result<There, Undecidable> {
        let there = read_in_root(root, root.join(&self.path), MAX_PICTURE)
            .map_err(|error| Undecidable::File(self.path.clone(), error.into()))?;
        // Nobody accepts a pointer of Git LFS, and ours is one where this clone does not have the file.
        let is_pointer = |bytes: &[u8]| Pointer::read(bytes).is_some();
        if there == sides.ours || is_pointer(&there) || is_pointer(&sides.ours) {
            return Ok(There::Ours);
        }
        if there == sides.theirs {
            return Ok(There::Theirs);
        }
        let text = String::from_utf8_lossy(&there);
        if self.kind == FileKind::Rows && text.lines().any(is_conflict_marker) {
            return Ok(There::Markers);
        }
        Ok(match &self.index.merged {
            Some(merged) if there == self.content(repository, merged)? => There::Merged,
            _ => There::Another,
        })
    }

    /// An object as the working tree would have it; of one of Git LFS the file itself, where this clone has it.
    fn content(&self, repository: &Repository, object: &str) -> Result<Vec<u8>, Undecidable> {
        let bytes = repository.content(object, &self.index.path)?;
        let Some(pointer) = Pointer::read(&bytes) else {
            return Ok(bytes);
        };
        Ok(repository.large_file(&pointer)?.unwrap_or(bytes))
    }
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
