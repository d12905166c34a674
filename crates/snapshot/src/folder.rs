//! The folder of goldens: where each file is, which there are, and the changes that are made to them.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::disk::{Disk, is_staged};
use super::golden::ABSENT;
use super::journal::{self, Change, Lock};
use super::{FileKind, GoldenKey, SnapshotError};

/// The folder of goldens below a root.
#[derive(Debug, Clone)]
pub(super) struct GoldenFolder {
    pub(super) disk: Disk,
    /// Below the root.
    folder: Utf8PathBuf,
}

impl GoldenFolder {
    pub(super) fn new(disk: Disk, folder: &Utf8Path) -> Self {
        Self {
            disk,
            folder: folder.to_owned(),
        }
    }

    /// The same, on another disk.
    #[cfg(any(test, debug_assertions))]
    pub(super) fn on(&self, disk: Disk) -> Self {
        Self::new(disk, &self.folder)
    }

    /// The same folder below another root.
    pub(super) fn at(&self, root: &Utf8Path) -> Self {
        Self::new(Disk::new(root), &self.folder)
    }

    /// The same, as if these files had been written: for reading alone.
    pub(super) fn as_if(&self, files: BTreeMap<Utf8PathBuf, Vec<u8>>) -> Self {
        Self::new(self.disk.as_if(files), &self.folder)
    }

    /// A path below the root.
    pub(super) fn join(&self, below: &Utf8Path) -> Utf8PathBuf {
        self.folder.join(below)
    }

    /// A golden's file below the root.
    pub(super) fn path(&self, key: &GoldenKey, kind: FileKind, pending: bool) -> Utf8PathBuf {
        self.folder.join(key.file(kind, pending))
    }

    /// What a file below the root is; `None` for one that is not a golden's.
    pub(super) fn file_at(&self, path: &Utf8Path) -> Option<(GoldenKey, FileKind, bool)> {
        GoldenKey::of_file(path.strip_prefix(&self.folder).ok()?)
    }

    /// The lock, with what an earlier process began brought to its end.
    pub(super) fn lock(&self) -> Result<Lock, SnapshotError> {
        let lock = journal::lock(&self.disk)?;
        journal::recover(&self.disk, &lock)?;
        Ok(lock)
    }

    /// Ends an accept that was cut short, and takes away what a process left that ended before it promised anything.
    /// Returns whether there was an accept to end. Costs a walk through the folder where there was nothing.
    pub(super) fn recover(&self) -> Result<bool, SnapshotError> {
        // Without the lock: most starts find nothing, and need not wait for a run that writes goldens.
        if !journal::is_unfinished(&self.disk) && self.left_over()?.is_empty() {
            return Ok(false);
        }
        let lock = journal::lock(&self.disk)?;
        let was_unfinished = journal::recover(&self.disk, &lock)?;
        // Only now: what was promised needs what was prepared.
        for path in self.left_over()? {
            self.disk.remove(&path)?;
        }
        Ok(was_unfinished)
    }

    /// Whether an accept was cut short.
    pub(super) fn is_unfinished(&self) -> bool {
        journal::is_unfinished(&self.disk)
    }

    /// All goldens and pending files below the folder, in order: key, kind, whether pending.
    pub(super) fn files(&self) -> Result<BTreeSet<(GoldenKey, FileKind, bool)>, SnapshotError> {
        let paths = self.walk()?;
        Ok(paths
            .iter()
            .filter_map(|path| GoldenKey::of_file(path))
            .collect())
    }

    /// New bytes that a process left which ended before it promised anything, below the root.
    pub(super) fn left_over(&self) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let mut paths = self.walk()?;
        paths.retain(|path| is_staged(path));
        Ok(paths.iter().map(|path| self.folder.join(path)).collect())
    }

    /// All files below the folder, by their path in it.
    fn walk(&self) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let folder = self.disk.root().join(&self.folder);
        let mut found = Vec::new();
        if !folder.as_std_path().exists() {
            return Ok(found);
        }
        for entry in walkdir::WalkDir::new(&folder) {
            let entry = match entry.map_err(std::io::Error::from) {
                Ok(entry) => entry,
                // Another process may take a file away while this one looks.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(SnapshotError::io(&folder)(error)),
            };
            let path = Utf8Path::from_path(entry.path());
            // No links: what is listed here may be removed.
            if entry.file_type().is_file()
                && let Some(below) = path.and_then(|path| path.strip_prefix(&folder).ok())
            {
                found.push(below.to_owned());
            }
        }
        Ok(found)
    }

    /// What takes a file away, where it is there.
    pub(super) fn removal(&self, path: &Utf8Path) -> Result<Option<Change>, SnapshotError> {
        let old = self.disk.hash(path)?;
        Ok((old != ABSENT).then(|| Change {
            path: path.to_owned(),
            old,
            new: None,
            after: None,
        }))
    }

    /// What writes a file.
    pub(super) fn put(&self, path: &Utf8Path, bytes: Vec<u8>) -> Result<Change, SnapshotError> {
        Ok(Change {
            path: path.to_owned(),
            old: self.disk.hash(path)?,
            new: Some(bytes),
            after: None,
        })
    }
}

/// The files a golden of this key consists of.
pub(super) fn files(key: &GoldenKey) -> Vec<(GoldenKey, FileKind)> {
    let mut files = vec![(key.shared(), FileKind::Rows)];
    if key.class().is_some() {
        let kinds = [FileKind::Rows, FileKind::Picture, FileKind::Annotated];
        files.extend(kinds.map(|kind| (key.clone(), kind)));
    }
    files
}
