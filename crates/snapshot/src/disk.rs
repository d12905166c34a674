//! File operations of the store. Each is a step at which a test can stop everything, and each says when it is
//! durable.

#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "goldens and the store's own state are written so that a crash leaves no half"
    )
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read as _, Write as _};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use fs_err as fs;

#[cfg(any(test, debug_assertions))]
use super::fault::{Fault, FaultEffect};
use super::golden::{ABSENT, hash};
use super::{GoldenKey, SnapshotError};
use runner_text::input_file::{InputError, InputProblem, MAX_PICTURE, open_in_root, read_in_root};

/// Number of files that are synced at the same time. Chosen: enough to let the file system write its journal
/// once for many files, without a thread for each.
const MAX_SYNCS_AT_ONCE: usize = 16;

/// Writer, renamer and remover of files below a root.
#[derive(Debug, Clone)]
pub(super) struct Disk {
    root: Utf8PathBuf,
    /// Contents that reading returns in place of those on the disk.
    overlay: Arc<BTreeMap<Utf8PathBuf, Vec<u8>>>,
    #[cfg(any(test, debug_assertions))]
    fault: Fault,
    #[cfg(test)]
    syncs: Arc<std::sync::atomic::AtomicUsize>,
}

impl Disk {
    pub(super) fn new(root: &Utf8Path) -> Self {
        Self {
            root: root.to_owned(),
            overlay: Arc::default(),
            #[cfg(any(test, debug_assertions))]
            fault: Fault::default(),
            #[cfg(test)]
            syncs: Arc::default(),
        }
    }

    /// Returns a disk that reads as if these files had been written. It is only for reading.
    pub(super) fn with_overlay(&self, files: BTreeMap<Utf8PathBuf, Vec<u8>>) -> Self {
        Self {
            overlay: Arc::new(files),
            ..self.clone()
        }
    }

    /// Returns a disk that fails or ends the process after `steps` operations.
    #[cfg(any(test, debug_assertions))]
    pub(super) fn failing_after(root: &Utf8Path, steps: usize, then: FaultEffect) -> Self {
        Self {
            fault: Fault::after(steps, then),
            ..Self::new(root)
        }
    }

    /// Returns true if the planned failure has happened.
    #[cfg(test)]
    pub(super) fn has_failed(&self) -> bool {
        self.fault.has_happened()
    }

    #[cfg(any(test, debug_assertions))]
    fn step(&self) -> std::io::Result<()> {
        self.fault.step()
    }

    #[cfg(not(any(test, debug_assertions)))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the version for tests can fail"
    )]
    fn step(&self) -> std::io::Result<()> {
        Ok(())
    }

    /// Returns the root of all paths.
    pub(super) fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// Returns true if a file or folder exists on the disk. Files of an overlay do not count.
    pub(super) fn exists(&self, path: &Utf8Path) -> bool {
        self.root.join(path).as_std_path().exists()
    }

    /// Reads a file; `None` if it does not exist.
    pub(super) fn read(&self, path: &Utf8Path) -> Result<Option<Vec<u8>>, SnapshotError> {
        match self.overlay.get(path) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => found(
                read_in_root(&self.root, self.root.join(path), MAX_PICTURE),
                path,
            ),
        }
    }

    /// Reads the first `limit` bytes of a file; `None` if it does not exist.
    pub(super) fn read_head(
        &self,
        path: &Utf8Path,
        limit: usize,
    ) -> Result<Option<Vec<u8>>, SnapshotError> {
        if let Some(bytes) = self.overlay.get(path) {
            return Ok(Some(bytes[..bytes.len().min(limit)].to_vec()));
        }
        let read = || {
            let mut bytes = Vec::new();
            let full = self.root.join(path);
            let file = open_in_root(&self.root, &full, MAX_PICTURE)?;
            let read = file.take(limit as u64).read_to_end(&mut bytes);
            read.map_err(|error| InputError {
                path: full.into(),
                problem: error.into(),
            })?;
            Ok(bytes)
        };
        found(read(), path)
    }

    /// Returns the hash of a file's bytes, [`ABSENT`] if it does not exist.
    pub(super) fn hash(&self, path: &Utf8Path) -> Result<String, SnapshotError> {
        Ok(self
            .read(path)?
            .map_or_else(|| ABSENT.to_owned(), |bytes| hash(&bytes)))
    }

    /// Creates a folder below the root, durably. Refuses one outside the root, also behind a link.
    pub(super) fn make_folder(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        // A folder's name is durable only after its parent folder is synced.
        let made = self.make_missing(path)?;
        self.sync_folders(made.iter().map(Utf8PathBuf::as_path))
    }

    /// Creates a folder as [`Disk::make_folder`] does, but not durably yet. Returns the folders that were
    /// missing.
    fn make_missing(&self, path: &Utf8Path) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        // First of all, so that not even an empty folder is created behind a link.
        self.ensure_inside(path)?;
        let missing: Vec<Utf8PathBuf> = path
            .ancestors()
            .take_while(|folder| !folder.as_str().is_empty() && !self.exists(folder))
            .map(Utf8Path::to_owned)
            .collect();
        if !missing.is_empty() {
            let make = || {
                self.step()?;
                fs::create_dir_all(self.root.join(path))
            };
            make().map_err(SnapshotError::io(path))?;
        }
        Ok(missing)
    }

    /// Refuses a path that links lead out of the root.
    fn ensure_inside(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        let real = |path: &Utf8Path| path.canonicalize_utf8().map_err(SnapshotError::io(path));
        let folder = self.root.join(path);
        let is_there = |path: &&Utf8Path| path.as_std_path().exists();
        if self.root.as_std_path().exists()
            // Only existing folders can be resolved. Those created below have no links yet.
            && let Some(begin) = folder.ancestors().find(is_there)
            && !real(begin)?.starts_with(real(&self.root)?)
        {
            return Err(SnapshotError::Outside(path.to_owned()));
        }
        Ok(())
    }

    fn ensure_folder_inside(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        path.parent()
            .map_or(Ok(()), |folder| self.ensure_inside(folder))
    }

    /// Writes and syncs a file that nobody reads yet. Its name is durable after [`Disk::sync_folders`].
    pub(super) fn write(&self, path: &Utf8Path, bytes: &[u8]) -> Result<(), SnapshotError> {
        let made = self.stage(path, bytes)?;
        self.sync_files(&[path.to_owned()])?;
        self.sync_folders(made.iter().map(Utf8PathBuf::as_path))
    }

    /// Writes a file that nobody reads yet, and returns the folders that were created for it. Its bytes are
    /// durable after [`Disk::sync_files`]; its name and those folders are after [`Disk::sync_folders`].
    pub(super) fn stage(
        &self,
        path: &Utf8Path,
        bytes: &[u8],
    ) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let made = self.make_missing(path.parent().unwrap_or(Utf8Path::new("")))?;
        let write = || {
            self.step()?;
            let absolute = self.root.join(path);
            // The leftover of a crash may have been replaced by a link, which must not be written through.
            ignore_missing(fs::remove_file(&absolute))?;
            let mut file = fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&absolute)?;
            // Two writes, so that a test can stop in between and leave half a file, as a crash does.
            let (half, rest) = bytes.split_at(bytes.len() / 2);
            file.write_all(half)?;
            self.step()?;
            file.write_all(rest)
        };
        write().map_err(SnapshotError::io(path))?;
        Ok(made)
    }

    /// Makes the bytes of these files durable.
    pub(super) fn sync_files(&self, paths: &[Utf8PathBuf]) -> Result<(), SnapshotError> {
        // Windows syncs only files that are open for writing.
        let mut options = fs::OpenOptions::new();
        options.read(true).write(cfg!(windows));
        self.sync_all(paths, |path| options.open(path))
    }

    /// Returns the file that a path below the root is written to, absolute: where links lead to a file inside the root
    /// with the same extension, that file, else the path itself.
    fn written_file(&self, path: &Utf8Path) -> Utf8PathBuf {
        let given = self.root.join(path);
        if !given.is_symlink() {
            return given;
        }
        let root = self.root.canonicalize_utf8();
        let real = given.canonicalize_utf8().ok().filter(|real| {
            // A repository may bring a link to a file that is no golden.
            let is_inside = root.as_ref().is_ok_and(|root| real.starts_with(root));
            is_inside && real.extension() == path.extension()
        });
        real.unwrap_or(given)
    }

    /// Renames a file, replacing another. If `to` is a link to a file inside the root, that file is replaced and the
    /// link stays. Durable after [`Disk::sync_folders`].
    pub(super) fn rename(&self, from: &Utf8Path, to: &Utf8Path) -> Result<(), SnapshotError> {
        self.ensure_folder_inside(to)?;
        let rename = || {
            self.step()?;
            fs::rename(self.root.join(from), self.written_file(to))
        };
        rename().map_err(SnapshotError::io(to))
    }

    /// Removes a file, if it exists; of a link, the link alone. Durable after [`Disk::sync_folders`].
    pub(super) fn remove(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        self.ensure_folder_inside(path)?;
        let remove = || {
            self.step()?;
            ignore_missing(fs::remove_file(self.root.join(path)))
        };
        remove().map_err(SnapshotError::io(path))
    }

    /// Removes one of the program's own folders with its contents, if it exists.
    pub(super) fn remove_folder(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        self.ensure_inside(path)?;
        let remove = || {
            self.step()?;
            ignore_missing(fs::remove_dir_all(self.root.join(path)))
        };
        remove().map_err(SnapshotError::io(path))
    }

    /// Gives a file a second name, so that its bytes outlive the first. If the file system cannot do that, or
    /// the file is a link, the bytes are copied.
    pub(super) fn keep(&self, path: &Utf8Path, stored: &Utf8Path) -> Result<(), SnapshotError> {
        self.ensure_folder_inside(path)?;
        let link = || {
            self.step()?;
            fs::hard_link(self.root.join(path), self.root.join(stored))
        };
        if !self.root.join(path).is_symlink() && link().is_ok() {
            return Ok(());
        }
        let bytes = self.read(path)?.unwrap_or_default();
        self.write(stored, &bytes)
    }

    /// Makes the names in the folders of these files durable, also of those that links lead to.
    pub(super) fn sync_folders<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Utf8Path>,
    ) -> Result<(), SnapshotError> {
        let mut folders: BTreeSet<Utf8PathBuf> = BTreeSet::new();
        for path in paths {
            folders.extend(path.parent().map(Utf8Path::to_owned));
            let written = self.written_file(path);
            if written != self.root.join(path) {
                folders.extend(written.parent().map(Utf8Path::to_owned));
            }
        }
        let is_there = |folder: &Utf8PathBuf| folder.as_str().is_empty() || self.exists(folder);
        let folders: Vec<Utf8PathBuf> = folders.into_iter().filter(is_there).collect();
        // Windows syncs no folders; its file system keeps a journal of names itself.
        if cfg!(unix) {
            self.sync_all(&folders, fs::File::open)?;
        }
        Ok(())
    }

    /// Syncs several files or folders at once, so that the file system writes its own journal once for many.
    fn sync_all(
        &self,
        paths: &[Utf8PathBuf],
        open: impl Fn(Utf8PathBuf) -> std::io::Result<fs::File> + Sync,
    ) -> Result<(), SnapshotError> {
        // Counted in order before the threads start, so that a test always stops at the same operation.
        for path in paths {
            self.step().map_err(SnapshotError::io(path))?;
        }
        self.count_syncs(paths.len());
        let sync = |path: &Utf8PathBuf| {
            let synced = open(self.root.join(path)).and_then(|file| file.sync_all());
            synced.map_err(SnapshotError::io(path))
        };
        let share = paths.len().div_ceil(MAX_SYNCS_AT_ONCE).max(1);
        std::thread::scope(|scope| {
            let (mine, others) = paths.split_at(share.min(paths.len()));
            let shares = others.chunks(share);
            let workers: Vec<_> = shares
                .map(|share| scope.spawn(|| share.iter().try_for_each(sync)))
                .collect();
            let synced = mine.iter().try_for_each(sync);
            let failed = workers.into_iter().map(|worker| {
                let ended = worker.join();
                ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            // All syncs end before an error is returned.
            failed.fold(synced, Result::and)
        })
    }

    #[cfg(test)]
    fn count_syncs(&self, count: usize) {
        self.syncs
            .fetch_add(count, std::sync::atomic::Ordering::SeqCst);
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "the version for tests counts")]
    fn count_syncs(&self, _: usize) {}

    /// Returns the number of syncs so far.
    #[cfg(test)]
    pub(super) fn syncs(&self) -> usize {
        self.syncs.load(std::sync::atomic::Ordering::SeqCst)
    }
}

/// Turns the error of a missing file into `None`; every other one stays an error of `path`.
fn found(
    read: Result<Vec<u8>, InputError>,
    path: &Utf8Path,
) -> Result<Option<Vec<u8>>, SnapshotError> {
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => match error.problem {
            InputProblem::Missing => Ok(None),
            problem => Err(SnapshotError::Unread {
                path: path.to_owned(),
                problem,
            }),
        },
    }
}

/// Treats a missing file as removed.
fn ignore_missing(removed: std::io::Result<()>) -> std::io::Result<()> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the path of a file's new bytes before they are renamed. No golden has such a name, and version
/// control ignores it as it does pending files.
pub(super) fn staged(path: &Utf8Path) -> Utf8PathBuf {
    let name = path.file_name().unwrap_or_default();
    let ending = path.extension().unwrap_or("tsv");
    path.with_file_name(format!("+{name}.new.{ending}"))
}

/// Returns true for a file that a crash left before its journal was in place: the new bytes of a golden or of
/// a pending file. The path must be below the folder of goldens. No other file matches.
pub(super) fn is_staged(path: &Utf8Path) -> bool {
    let of = || {
        let name = path.file_name()?.strip_prefix('+')?;
        let ending = path.extension()?;
        let name = name.strip_suffix(ending)?.strip_suffix(".new.")?;
        let of = path.with_file_name(name);
        (of.extension() == Some(ending)).then_some(of)
    };
    of().is_some_and(|of| GoldenKey::from_file(&of).is_some())
}
