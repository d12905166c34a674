//! The few things that are done to files, each durable, and each a step at which a test can stop the world.

use std::io::{Read as _, Write};

use camino::{Utf8Path, Utf8PathBuf};
use fs_err as fs;

use super::SnapshotError;
use super::golden::{ABSENT, hash};

/// Writes, renames and removes files below a root.
#[derive(Debug, Clone)]
pub(super) struct Disk {
    root: Utf8PathBuf,
    #[cfg(test)]
    steps_left: Option<std::sync::Arc<std::sync::atomic::AtomicUsize>>,
}

impl Disk {
    pub(super) fn new(root: &Utf8Path) -> Self {
        Self {
            root: root.to_owned(),
            #[cfg(test)]
            steps_left: None,
        }
    }

    /// Fails at every step after the first `steps`, as a process does that was killed.
    #[cfg(test)]
    pub(super) fn stopping_after(root: &Utf8Path, steps: usize) -> Self {
        Self {
            steps_left: Some(std::sync::Arc::new(steps.into())),
            ..Self::new(root)
        }
    }

    #[cfg(test)]
    fn step(&self) -> std::io::Result<()> {
        use std::sync::atomic::Ordering::SeqCst;
        let Some(left) = &self.steps_left else {
            return Ok(());
        };
        left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1))
            .map(|_| ())
            .map_err(|_| std::io::Error::other("stopped here by the test"))
    }

    #[cfg(not(test))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "its twin for tests can fail"
    )]
    fn step(&self) -> std::io::Result<()> {
        Ok(())
    }

    /// The root all paths are below.
    pub(super) fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The file's bytes, `None` where there is no file.
    pub(super) fn read(&self, path: &Utf8Path) -> Result<Option<Vec<u8>>, SnapshotError> {
        match fs::read(self.root.join(path)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SnapshotError::io(path)(error)),
        }
    }

    /// The file's first `limit` bytes, `None` where there is no file.
    pub(super) fn read_head(
        &self,
        path: &Utf8Path,
        limit: usize,
    ) -> Result<Option<Vec<u8>>, SnapshotError> {
        let read = || {
            let mut bytes = Vec::new();
            let file = fs::File::open(self.root.join(path))?;
            file.take(limit as u64).read_to_end(&mut bytes)?;
            std::io::Result::Ok(bytes)
        };
        match read() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SnapshotError::io(path)(error)),
        }
    }

    /// Hash of the file's bytes.
    pub(super) fn hash(&self, path: &Utf8Path) -> Result<String, SnapshotError> {
        Ok(self
            .read(path)?
            .map_or_else(|| ABSENT.to_owned(), |bytes| hash(&bytes)))
    }

    /// Makes a folder below the root, unless a link would lead out of it.
    pub(super) fn make_folder(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        let folder = self.root.join(path);
        let real = |path: &Utf8Path| path.canonicalize_utf8().map_err(SnapshotError::io(path));
        let is_there = |path: &&Utf8Path| path.as_std_path().exists();
        if self.root.as_std_path().exists()
            && let Some(begin) = folder.ancestors().find(is_there)
            && !real(begin)?.starts_with(real(&self.root)?)
        {
            return Err(SnapshotError::Outside(path.to_owned()));
        }
        fs::create_dir_all(&folder).map_err(SnapshotError::io(path))
    }

    /// Writes and syncs a file that nobody reads yet.
    pub(super) fn write(&self, path: &Utf8Path, bytes: &[u8]) -> Result<(), SnapshotError> {
        if let Some(folder) = path.parent() {
            self.make_folder(folder)?;
        }
        let fail = SnapshotError::io(path);
        let write = || {
            self.step()?;
            let mut file = fs::File::create(self.root.join(path))?;
            let (half, rest) = bytes.split_at(bytes.len() / 2);
            file.write_all(half)?;
            self.step()?;
            file.write_all(rest)?;
            file.sync_all()
        };
        write().map_err(fail)
    }

    /// Renames over what is there; the change is durable when this returns.
    pub(super) fn rename(&self, from: &Utf8Path, to: &Utf8Path) -> Result<(), SnapshotError> {
        let rename = || {
            self.step()?;
            fs::rename(self.root.join(from), self.root.join(to))?;
            self.step()?;
            self.sync_folder(to)
        };
        rename().map_err(SnapshotError::io(to))
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        let remove = || {
            self.step()?;
            match fs::remove_file(self.root.join(path)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
                _ => self.sync_folder(path),
            }
        };
        remove().map_err(SnapshotError::io(path))
    }

    /// Writes a file under another name, then renames it: it is never seen half written.
    pub(super) fn replace(&self, path: &Utf8Path, bytes: &[u8]) -> Result<(), SnapshotError> {
        let staged = staged(path);
        self.write(&staged, bytes)?;
        self.rename(&staged, path)
    }

    #[cfg(unix)]
    fn sync_folder(&self, path: &Utf8Path) -> std::io::Result<()> {
        let file = self.root.join(path);
        match file.parent() {
            Some(folder) if folder.as_std_path().exists() => fs::File::open(folder)?.sync_all(),
            _ => Ok(()),
        }
    }

    /// Windows syncs no folders; its file system keeps a journal of names itself.
    #[cfg(not(unix))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "its twin does work"
    )]
    fn sync_folder(&self, _: &Utf8Path) -> std::io::Result<()> {
        Ok(())
    }
}

/// Where a file's new bytes wait. No golden is ever named so, and version control ignores it as it does pending files.
pub(super) fn staged(path: &Utf8Path) -> Utf8PathBuf {
    let name = path.file_name().unwrap_or_default();
    let ending = path.extension().unwrap_or("tsv");
    path.with_file_name(format!("+{name}.new.{ending}"))
}
