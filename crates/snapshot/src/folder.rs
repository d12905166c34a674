//! The folder of goldens: the paths of files, their listing, and the changes to make.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::disk::{Disk, is_staged};
use super::golden::ABSENT;
use super::journal::{self, Change, Lock};
use super::name::check_below;
use super::{FileKind, GoldenKey, SnapshotError, tsv};

/// Folder of goldens below a root.
#[derive(Debug, Clone)]
pub(super) struct GoldenFolder {
    pub(super) disk: Disk,
    /// Path below the root.
    folder: Utf8PathBuf,
}

impl GoldenFolder {
    /// Creates a value that only stores both. `folder` is a path below the root; it need not exist, and nothing is
    /// created.
    pub(super) fn new(disk: Disk, folder: &Utf8Path) -> Self {
        Self {
            disk,
            folder: folder.to_owned(),
        }
    }

    /// Returns the same folder on another disk.
    #[cfg(any(test, debug_assertions))]
    pub(super) fn on(&self, disk: Disk) -> Self {
        Self::new(disk, &self.folder)
    }

    /// Returns the same folder below another root.
    pub(super) fn at(&self, root: &Utf8Path) -> Self {
        Self::new(Disk::new(root), &self.folder)
    }

    /// Returns the folder as if these files had been written. It is only for reading.
    pub(super) fn with_overlay(&self, files: BTreeMap<Utf8PathBuf, Vec<u8>>) -> Self {
        Self::new(self.disk.with_overlay(files), &self.folder)
    }

    /// Joins a path below this folder; the result is below the root.
    pub(super) fn join(&self, below: &Utf8Path) -> Utf8PathBuf {
        self.folder.join(below)
    }

    /// Returns the path below the root of a golden's file, which need not exist.
    pub(super) fn path(&self, key: &GoldenKey, kind: FileKind, pending: bool) -> Utf8PathBuf {
        self.folder.join(key.file(kind, pending))
    }

    /// Returns key, kind, and true if pending, of a file below the root; `None` for one that is not a
    /// golden's.
    pub(super) fn file_at(&self, path: &Utf8Path) -> Option<(GoldenKey, FileKind, bool)> {
        GoldenKey::from_file(path.strip_prefix(&self.folder).ok()?)
    }

    /// Takes the lock, for which it waits up to three minutes, and finishes what an interrupted process began. Fails
    /// with [`SnapshotError::Locked`] after that time.
    pub(super) fn lock(&self) -> Result<Lock, SnapshotError> {
        let lock = journal::lock(&self.disk)?;
        journal::recover(&self.disk, &lock)?;
        Ok(lock)
    }

    /// Finishes an interrupted change, and removes files of a process that ended before its journal was in place.
    /// Returns true if there was a change to finish; removed leftovers alone do not count. If there is nothing to do,
    /// it takes no lock and costs a walk through the folder; otherwise it waits up to three minutes for the lock. A
    /// journal that cannot be read is an error, and then nothing is removed.
    pub(super) fn recover(&self) -> Result<bool, SnapshotError> {
        // No lock yet: most starts find nothing, and need not wait for a run that writes goldens.
        if !journal::is_unfinished(&self.disk) && self.leftovers()?.is_empty() {
            return Ok(false);
        }
        let lock = journal::lock(&self.disk)?;
        let was_unfinished = journal::recover(&self.disk, &lock)?;
        // After the recovery, since the journal may need these files.
        for path in self.leftovers()? {
            self.disk.remove(&path)?;
        }
        Ok(was_unfinished)
    }

    /// Returns true if there is a journal: a change was interrupted, or another process makes one just now.
    pub(super) fn is_unfinished(&self) -> bool {
        journal::is_unfinished(&self.disk)
    }

    /// Lists all goldens and pending files in order of their keys: key, kind, and true if pending. Files with
    /// other names are left out, and so are tables that no program of ours wrote.
    pub(super) fn files(&self) -> Result<BTreeSet<(GoldenKey, FileKind, bool)>, SnapshotError> {
        Ok(self.goldens(&self.walk(Utf8Path::new(""), usize::MAX)?))
    }

    /// Lists the goldens and pending files of one flow like [`Self::files`], and reads no other folder. A path that
    /// leads out of the folder, and a folder that does not exist, give an empty set.
    pub(super) fn files_of(
        &self,
        flow: &Utf8Path,
    ) -> Result<BTreeSet<(GoldenKey, FileKind, bool)>, SnapshotError> {
        if check_below("flow", flow).is_err() {
            return Ok(BTreeSet::new());
        }
        Ok(self.goldens(&self.walk(flow, 1)?))
    }

    /// Parses paths in the folder, and leaves out those that are not a golden's: other names, and tables without files
    /// of a class beside them that are none of a golden. A table that cannot be read counts as one.
    fn goldens(&self, paths: &[Utf8PathBuf]) -> BTreeSet<(GoldenKey, FileKind, bool)> {
        let found = paths.iter().filter_map(|path| GoldenKey::from_file(path));
        let mut found: BTreeSet<_> = found.collect();
        let of_classes = found.iter().filter(|(key, ..)| key.class().is_some());
        let whole: BTreeSet<GoldenKey> = of_classes.map(|(key, ..)| key.shared()).collect();
        found.retain(|(key, kind, is_pending)| {
            let is_table = || {
                let path = self.path(key, *kind, *is_pending);
                let head = self.disk.read_head(&path, tsv::HEAD).ok().flatten();
                head.is_none_or(|head| tsv::may_be_golden(&head))
            };
            key.class().is_some() || whole.contains(key) || is_table()
        });
        found
    }

    /// Returns the paths below the root of new bytes from a process that ended before its journal was in
    /// place.
    pub(super) fn leftovers(&self) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let mut paths = self.walk(Utf8Path::new(""), usize::MAX)?;
        paths.retain(|path| is_staged(path));
        Ok(paths.iter().map(|path| self.folder.join(path)).collect())
    }

    /// Lists all files in `begin`, a path in the folder, and in `max_depth - 1` levels of folders in it, by
    /// their path in the folder, in no particular order. A link to a file or a folder inside the root is followed,
    /// unless it leads into the folder of goldens or around it, where goldens have a name of their own. Other links are
    /// skipped. A folder that does not exist has no files.
    fn walk(&self, begin: &Utf8Path, max_depth: usize) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let folder = self.disk.root().join(&self.folder);
        let begin = folder.join(begin);
        let mut found = Vec::new();
        if !begin.as_std_path().exists() {
            return Ok(found);
        }
        let real = |path: &Utf8Path| path.as_std_path().canonicalize();
        let root = real(self.disk.root()).map_err(SnapshotError::io(self.disk.root()))?;
        let goldens = real(&folder).map_err(SnapshotError::io(&folder))?;
        let is_followed = |entry: &walkdir::DirEntry| {
            entry.path().canonicalize().is_ok_and(|real| {
                let has_goldens = real.starts_with(&goldens) || goldens.starts_with(&real);
                real.starts_with(&root) && !has_goldens
            })
        };
        let entries = walkdir::WalkDir::new(&begin)
            .max_depth(max_depth)
            .follow_links(true)
            .into_iter()
            .filter_entry(|entry| {
                entry.depth() == 0 || !entry.path_is_symlink() || is_followed(entry)
            });
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                // A link to a folder around it.
                Err(error) if error.loop_ancestor().is_some() => continue,
                Err(error) => match std::io::Error::from(error) {
                    // Another process may remove a file meanwhile, and a link may lead nowhere.
                    error if error.kind() == std::io::ErrorKind::NotFound => continue,
                    error => return Err(SnapshotError::io(&folder)(error)),
                },
            };
            let path = Utf8Path::from_path(entry.path());
            if entry.file_type().is_file()
                && let Some(below) = path.and_then(|path| path.strip_prefix(&folder).ok())
            {
                found.push(below.to_owned());
            }
        }
        Ok(found)
    }

    /// Returns the change that removes a file, by its path below the root. Nothing is changed yet. The file must have
    /// its present content until then. Returns `None` if it does not exist.
    pub(super) fn removal(&self, path: &Utf8Path) -> Result<Option<Change>, SnapshotError> {
        let old = self.disk.hash(path)?;
        Ok((old != ABSENT).then(|| Change {
            path: path.to_owned(),
            old,
            new: None,
            after: None,
        }))
    }

    /// Returns the change that writes a file, by its path below the root. Nothing is written yet. The file must have
    /// its present content until then, or not exist if it does not now.
    pub(super) fn put(&self, path: &Utf8Path, bytes: Vec<u8>) -> Result<Change, SnapshotError> {
        Ok(Change {
            path: path.to_owned(),
            old: self.disk.hash(path)?,
            new: Some(bytes),
            after: None,
        })
    }
}

/// Returns the files of which a golden of this key may consist: the shared rows, and with a class its rows,
/// picture and annotated picture. None is checked for existence.
pub(super) fn files(key: &GoldenKey) -> Vec<(GoldenKey, FileKind)> {
    let mut files = vec![(key.shared(), FileKind::Rows)];
    if key.class().is_some() {
        let kinds = [FileKind::Rows, FileKind::Picture, FileKind::Annotated];
        files.extend(kinds.map(|kind| (key.clone(), kind)));
    }
    files
}
