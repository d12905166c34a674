//! Finds goldens with conflicts after a git merge.
//!
//! All files of such a golden show one screen, so a person decides about all of them together, also about
//! those that git merged. Ours is the golden; theirs becomes a pending one, like a run's proposal. Git's
//! index is read and never written: writing it would lose both sides, and `runner undo` could not bring them
//! back. The person runs `git add` after the decision.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use runner_config::Config;
use runner_git::{GitError, IndexFile, Pointer, Repository};
use runner_snapshot::{FileKind, GoldenKey, MergeSides, SnapshotError, Store, is_conflict_marker};

use super::ReviewError;
use runner_text::input_file::{MAX_PICTURE, read_in_root};
use runner_text::shell::quote_to_copy;

/// Result of a merge in a project's goldens.
#[derive(Debug, Default)]
pub struct Merges {
    /// Messages about goldens that cannot be decided here, or are decided but not added in git.
    pub notes: Vec<String>,
    /// Undecided goldens, without their classes.
    pub conflicts: BTreeSet<GoldenKey>,
}

type Goldens = BTreeMap<GoldenKey, Golden>;

/// Golden that has conflicts in git's index.
#[derive(Default)]
struct Golden {
    files: Vec<File>,
}

/// File of a golden that both sides have.
struct File {
    key: GoldenKey,
    kind: FileKind,
    /// Path below the root.
    path: Utf8PathBuf,
    /// Git objects of both sides.
    index: IndexFile,
}

/// Finds the conflicts of a merge as [`merges`] does, but writes nothing. A golden for which another proposal is
/// pending counts as a conflict here. Runs git and waits for it.
pub fn unmerged(config: &Config) -> Merges {
    for_each_golden(config, |_, _| Ok(true))
}

/// Makes ours the golden and theirs the pending one, for each undecided golden with conflicts of which nothing else is
/// pending. The notes say why others were left alone. Runs git and waits for it, but never writes its index.
pub fn merges(config: &Config) -> Merges {
    for_each_golden(config, Store::propose_theirs)
}

/// Calls `open` for each golden that git could not merge and nobody has decided yet, with the files to decide about.
/// `open` returns false if another proposal is pending for it. Opened goldens are returned as conflicts; for all
/// others, decided ones too, there is a note with the reason or the next command. Errors of git are notes too.
/// Nothing is found outside a repository.
fn for_each_golden(
    config: &Config,
    open: impl Fn(&Store, &[MergeSides]) -> Result<bool, SnapshotError>,
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
        let opened = golden
            .decision_state(&repository, &config.root)
            .and_then(|state| {
                let GoldenState::Undecided(sides) = state else {
                    return Ok(false);
                };
                match open(&store, &sides) {
                    Ok(true) => Ok(true),
                    Ok(false) => Err(UndecidableReason::OtherWaits),
                    Err(SnapshotError::LfsPointer(path)) => {
                        let command = repository.download_both_sides()?;
                        Err(UndecidableReason::NotDownloaded(path, command))
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

/// Returns a message with the `git add` command for each golden among `keys`, in any class, that has conflicts in the
/// index and is not pending any more. Nothing is run here. Empty outside a repository or if git fails.
///
/// # Errors
/// Returns an error if the pending goldens cannot be read.
pub fn after_decision<'a>(
    config: &Config,
    keys: impl IntoIterator<Item = &'a GoldenKey>,
) -> Result<Vec<String>, ReviewError> {
    let keys: BTreeSet<GoldenKey> = keys.into_iter().map(GoldenKey::shared).collect();
    // Errors of git are ignored, as most decisions are not about a merge.
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

/// Finds the goldens with conflicts in the index, with all their files; `None` outside a repository or without git,
/// an empty list without conflicts. A file that git merged by itself is listed too if both sides have it and differ.
/// Pending files do not count.
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
        // Without the other commit, files that git merged stay as they are.
        None => BTreeMap::new(),
    };
    for mut file in index {
        let Some((key, kind)) = known(&file).filter(|(key, _)| keys.contains(&key.shared())) else {
            continue;
        };
        if file.merged.is_some() {
            file.ours = ours.get(&file.path).cloned();
            file.theirs = theirs.get(&file.path).cloned();
            // A file of a class that only one side has stays.
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

/// State of the decision about a golden with conflicts.
enum GoldenState {
    Decided,
    /// Files to decide about.
    Undecided(Vec<MergeSides>),
}

/// Reason why a golden cannot be decided.
#[derive(Debug, thiserror::Error)]
enum UndecidableReason {
    /// Files of the golden that one side removed; never empty.
    #[error(
        "one side removed {names}; keep {it} with `git add -- {words}`, or remove {it} with `git rm -- {words}`",
        names = listed(.0),
        it = pronoun(.0),
        words = quoted(.0)
    )]
    Removed(Vec<Utf8PathBuf>),
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

/// Version of a file in the working tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkingVersion {
    Ours,
    Theirs,
    /// Result of git's merge.
    Merged,
    /// Both sides between git's markers.
    Markers,
    /// Any other, such as an accepted proposal of a run on the merged app.
    Another,
}

impl Golden {
    /// Returns the files that are still to be decided, by those in the working tree. Decided are: all of theirs, or
    /// another content in one file and no conflict markers in any. Once theirs were taken for a file with a conflict,
    /// files of theirs and those that git merged, unless they are ours, are left out. Fails if one side removed a
    /// file, or one cannot be read.
    fn decision_state(
        &self,
        repository: &Repository,
        root: &Utf8Path,
    ) -> Result<GoldenState, UndecidableReason> {
        let removed = self.files.iter().filter(|file| file.is_removed());
        let removed: Vec<Utf8PathBuf> = removed.map(|file| file.path.clone()).collect();
        if !removed.is_empty() {
            return Err(UndecidableReason::Removed(removed));
        }
        let mut files = Vec::new();
        for file in &self.files {
            let sides = file.sides(repository)?;
            let working_version = file.working_version(repository, root, &sides)?;
            files.push((file.index.merged.is_none(), working_version, sides));
        }
        let has = |wanted: WorkingVersion| {
            files
                .iter()
                .any(|(_, working_version, _)| *working_version == wanted)
        };
        let is_accepted = has(WorkingVersion::Another) && !has(WorkingVersion::Markers);
        if is_accepted
            || files
                .iter()
                .all(|(_, working_version, _)| *working_version == WorkingVersion::Theirs)
        {
            return Ok(GoldenState::Decided);
        }
        // Once a class was accepted, files that git merged may belong to it.
        let mut conflicts = files.iter().filter(|(is_conflict, ..)| *is_conflict);
        let is_begun =
            conflicts.any(|(_, working_version, _)| *working_version == WorkingVersion::Theirs);
        let open = files
            .into_iter()
            .filter(|(is_conflict, working_version, _)| match working_version {
                WorkingVersion::Ours => true,
                WorkingVersion::Theirs => !is_begun,
                WorkingVersion::Merged | WorkingVersion::Markers | WorkingVersion::Another => {
                    !is_begun || *is_conflict
                }
            });
        Ok(GoldenState::Undecided(
            open.map(|(.., sides)| sides).collect(),
        ))
    }

    /// Returns the message that the golden is decided, with the `git add` command for all its files. It does not
    /// check that it is decided.
    fn decided(&self, key: &GoldenKey) -> String {
        let paths = quoted(self.files.iter().map(|file| &file.path));
        format!("{key} is decided; tell git: `git add -- {paths}`")
    }
}

/// Returns the paths for a sentence, with "and" between them.
fn listed(paths: &[Utf8PathBuf]) -> String {
    let paths: Vec<&str> = paths.iter().map(|path| path.as_str()).collect();
    paths.join(" and ")
}

/// Returns the word for the paths: "it" for one, else "them".
fn pronoun(paths: &[Utf8PathBuf]) -> &'static str {
    if paths.len() == 1 { "it" } else { "them" }
}

/// Returns the paths as words of a command.
fn quoted<'a>(paths: impl IntoIterator<Item = &'a Utf8PathBuf>) -> String {
    let words = paths.into_iter().map(|path| quote_to_copy(path.as_str()));
    words.collect::<Vec<_>>().join(" ")
}

impl File {
    /// Returns true if a side does not have the file.
    fn is_removed(&self) -> bool {
        self.index.ours.is_none() || self.index.theirs.is_none()
    }

    /// Reads both sides of the file from git. Fails if one of them removed it or git does.
    fn sides(&self, repository: &Repository) -> Result<MergeSides, UndecidableReason> {
        let (Some(ours), Some(theirs)) = (&self.index.ours, &self.index.theirs) else {
            return Err(UndecidableReason::Removed(vec![self.path.clone()]));
        };
        Ok(MergeSides {
            key: self.key.clone(),
            kind: self.kind,
            ours: self.content(repository, ours)?,
            theirs: self.content(repository, theirs)?,
        })
    }

    /// Compares the file in the working tree with the versions git has, ours first. A pointer of Git LFS, there or as
    /// our side, counts as ours. Fails if the file is missing or cannot be read.
    fn working_version(
        &self,
        repository: &Repository,
        root: &Utf8Path,
        sides: &MergeSides,
    ) -> Result<WorkingVersion, UndecidableReason> {
        let bytes = read_in_root(root, root.join(&self.path), MAX_PICTURE)
            .map_err(|error| UndecidableReason::File(self.path.clone(), error.into()))?;
        // A pointer of Git LFS is never an accepted version. Ours is one if this clone lacks the file.
        let is_pointer = |content: &[u8]| Pointer::read(content).is_some();
        if bytes == sides.ours || is_pointer(&bytes) || is_pointer(&sides.ours) {
            return Ok(WorkingVersion::Ours);
        }
        if bytes == sides.theirs {
            return Ok(WorkingVersion::Theirs);
        }
        let text = String::from_utf8_lossy(&bytes);
        if self.kind == FileKind::Rows && text.lines().any(is_conflict_marker) {
            return Ok(WorkingVersion::Markers);
        }
        Ok(match &self.index.merged {
            Some(merged) if bytes == self.content(repository, merged)? => WorkingVersion::Merged,
            _ => WorkingVersion::Another,
        })
    }

    /// Reads an object as the working tree would have it. For a pointer of Git LFS that is the file itself if this
    /// clone has it, else the pointer. Downloads nothing. Fails if git does not have the object.
    fn content(&self, repository: &Repository, object: &str) -> Result<Vec<u8>, UndecidableReason> {
        let bytes = repository.content(object, &self.index.path)?;
        let Some(pointer) = Pointer::read(&bytes) else {
            return Ok(bytes);
        };
        Ok(repository.large_file(&pointer)?.unwrap_or(bytes))
    }
}
