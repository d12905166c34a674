//! The few things that are done to files, each a step at which a test can stop the world, and what makes them durable.

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

/// Maximum number of files that are synced at the same time.
const MAX_SYNCS_AT_ONCE: usize = 16;

/// Writes, renames and removes files below a root.
#[derive(Debug, Clone)]
pub(super) struct Disk {
    root: Utf8PathBuf,
    /// What reading finds instead of what is there.
    instead: Arc<BTreeMap<Utf8PathBuf, Vec<u8>>>,
    #[cfg(any(test, debug_assertions))]
    fault: Fault,
    #[cfg(test)]
    syncs: Arc<std::sync::atomic::AtomicUsize>,
}

impl Disk {
    pub(super) fn new(root: &Utf8Path) -> Self {
        Self {
            root: root.to_owned(),
            instead: Arc::default(),
            #[cfg(any(test, debug_assertions))]
            fault: Fault::default(),
            #[cfg(test)]
            syncs: Arc::default(),
        }
    }

    /// The same, as if these files had been written: for reading alone.
    pub(super) fn as_if(&self, files: BTreeMap<Utf8PathBuf, Vec<u8>>) -> Self {
        Self {
            instead: Arc::new(files),
            ..self.clone()
        }
    }

    /// The same, to fail or end after `steps`.
    #[cfg(any(test, debug_assertions))]
    pub(super) fn failing_after(root: &Utf8Path, steps: usize, then: FaultEffect) -> Self {
        Self {
            fault: Fault::after(steps, then),
            ..Self::new(root)
        }
    }

    /// Whether the failure that a test planned happened.
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
        reason = "its twin for tests can fail"
    )]
    fn step(&self) -> std::io::Result<()> {
        Ok(())
    }

    /// The root all paths are below.
    pub(super) fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// Whether anything is there.
    pub(super) fn exists(&self, path: &Utf8Path) -> bool {
        self.root.join(path).as_std_path().exists()
    }

    /// The file's bytes, `None` where there is no file.
    pub(super) fn read(&self, path: &Utf8Path) -> Result<Option<Vec<u8>>, SnapshotError> {
        match self.instead.get(path) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => found(
                read_in_root(&self.root, self.root.join(path), MAX_PICTURE),
                path,
            ),
        }
    }

    /// The file's first `limit` bytes, `None` where there is no file.
    pub(super) fn read_head(
        &self,
        path: &Utf8Path,
        limit: usize,
    ) -> Result<Option<Vec<u8>>, SnapshotError> {
        if let Some(bytes) = self.instead.get(path) {
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

    /// Hash of the file's bytes.
    pub(super) fn hash(&self, path: &Utf8Path) -> Result<String, SnapshotError> {
        Ok(self
            .read(path)?
            .map_or_else(|| ABSENT.to_owned(), |bytes| hash(&bytes)))
    }

    /// Makes a folder below the root, durably, unless a link would lead out of it.
    pub(super) fn make_folder(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        // The name of a folder is durable only once the folder above it is.
        let made = self.make_missing(path)?;
        self.sync_folders(made.iter().map(Utf8PathBuf::as_path))
    }

    /// As [`Disk::make_folder`], not yet durable. Returns the folders that were missing.
    fn make_missing(&self, path: &Utf8Path) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        // Before anything is made: behind a link not even an empty folder is.
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
            // Only what is there can be resolved. What is made below it has no links yet.
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

    /// Writes a file that nobody reads yet. Its bytes are durable after [`Disk::sync_files`], its name and those of the
    /// folders that it returns, which were made for it, after [`Disk::sync_folders`].
    pub(super) fn stage(
        &self,
        path: &Utf8Path,
        bytes: &[u8],
    ) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let made = self.make_missing(path.parent().unwrap_or(Utf8Path::new("")))?;
        let write = || {
            self.step()?;
            let absolute = self.root.join(path);
            // What a crash left there may be a link to something else by now: it is never written through.
            gone(fs::remove_file(&absolute))?;
            let mut file = fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&absolute)?;
            // In two steps, so that a test can stop in between and leave half a file, as a crash does.
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
        // Windows syncs only what is open to be written.
        let mut options = fs::OpenOptions::new();
        options.read(true).write(cfg!(windows));
        self.sync_all(paths, |path| options.open(path))
    }

    /// Renames over what is there. Durable after [`Disk::sync_folders`].
    pub(super) fn rename(&self, from: &Utf8Path, to: &Utf8Path) -> Result<(), SnapshotError> {
        self.ensure_folder_inside(to)?;
        let rename = || {
            self.step()?;
            fs::rename(self.root.join(from), self.root.join(to))
        };
        rename().map_err(SnapshotError::io(to))
    }

    /// Removes a file, if it is there. Durable after [`Disk::sync_folders`].
    pub(super) fn remove(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        self.ensure_folder_inside(path)?;
        let remove = || {
            self.step()?;
            gone(fs::remove_file(self.root.join(path)))
        };
        remove().map_err(SnapshotError::io(path))
    }

    /// Removes a folder of the program's own with all that is in it, if it is there.
    pub(super) fn remove_folder(&self, path: &Utf8Path) -> Result<(), SnapshotError> {
        self.ensure_inside(path)?;
        let remove = || {
            self.step()?;
            gone(fs::remove_dir_all(self.root.join(path)))
        };
        remove().map_err(SnapshotError::io(path))
    }

    /// Gives a file a second name, so that its bytes outlive the first. Where the file system cannot, they are copied; so
    /// are those that a link leads to, for elsewhere it would lead elsewhere.
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

    /// Makes the names in the folders of these files durable.
    pub(super) fn sync_folders<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Utf8Path>,
    ) -> Result<(), SnapshotError> {
        let folders: BTreeSet<&Utf8Path> = paths.into_iter().filter_map(Utf8Path::parent).collect();
        let is_there = |folder: &Utf8Path| folder.as_str().is_empty() || self.exists(folder);
        let there = folders.into_iter().filter(|folder| is_there(folder));
        let folders: Vec<Utf8PathBuf> = there.map(Utf8Path::to_owned).collect();
        // Windows syncs no folders; its file system keeps a journal of names itself.
        if cfg!(unix) {
            self.sync_all(&folders, fs::File::open)?;
        }
        Ok(())
    }

    /// Syncs several files or folders at once: the file system then writes its own journal once for many.
    fn sync_all(
        &self,
        paths: &[Utf8PathBuf],
        open: impl Fn(Utf8PathBuf) -> std::io::Result<fs::File> + Sync,
    ) -> Result<(), SnapshotError> {
        // Counted before, in order: a test stops at the same thing each time.
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
            // All end before anything is done about one that failed.
            failed.fold(synced, Result::and)
        })
    }

    #[cfg(test)]
    fn count_syncs(&self, count: usize) {
        self.syncs
            .fetch_add(count, std::sync::atomic::Ordering::SeqCst);
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "its twin for tests counts")]
    fn count_syncs(&self, _: usize) {}

    /// How often something was synced.
    #[cfg(test)]
    pub(super) fn syncs(&self) -> usize {
        self.syncs.load(std::sync::atomic::Ordering::SeqCst)
    }
}

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

/// What is not there need not be removed.
fn gone(removed: std::io::Result<()>) -> std::io::Result<()> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Where a file's new bytes wait. No golden is ever named so, and version control ignores it as it does pending files.
pub(super) fn staged(path: &Utf8Path) -> Utf8PathBuf {
    let name = path.file_name().unwrap_or_default();
    let ending = path.extension().unwrap_or("tsv");
    path.with_file_name(format!("+{name}.new.{ending}"))
}

/// Whether a file of this name, below the folder of goldens, is one that a crash left before anything was promised: the
/// new bytes of a golden or of a pending file. No other file is ever taken for one.
pub(super) fn is_staged(path: &Utf8Path) -> bool {
    let of = || {
        let name = path.file_name()?.strip_prefix('+')?;
        let ending = path.extension()?;
        let name = name.strip_suffix(ending)?.strip_suffix(".new.")?;
        let of = path.with_file_name(name);
        (of.extension() == Some(ending)).then_some(of)
    };
    of().is_some_and(|of| GoldenKey::of_file(&of).is_some())
}
