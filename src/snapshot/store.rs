//! The folder of goldens: looking up, writing by update mode, pending files.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::check::{Check, Verdict};
use super::disk::{Disk, is_staged};
#[cfg(any(test, debug_assertions))]
use super::fault::Then;
use super::golden::{ABSENT, Golden};
use super::journal::{self, Change, Meaning};
use super::pending::{self, Mark};
use super::picture::{self, Compression};
use super::{FileKind, GoldenKey, RenderClass, SnapshotError, tsv};
use crate::device::Picture;

/// `--update`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum UpdateMode {
    /// What differs or is new goes beside the goldens, to be reviewed; the test fails.
    #[default]
    Pending,
    /// Nothing is written but artifacts; the test fails. The default where `CI` is set.
    None,
    /// Goldens that do not exist yet are written and pass.
    New,
    /// Goldens that differ are written and pass.
    Changed,
    /// Both.
    All,
}

/// What an update did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// Whether the step passes: the check passed, or its goldens were written.
    pub passes: bool,
    /// Goldens written, below the root.
    pub written: Vec<Utf8PathBuf>,
    /// Pending files written, below the root.
    pub pending: Vec<Utf8PathBuf>,
}

/// The folder of goldens. Cloning is cheap; processes and threads may share a folder.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) disk: Disk,
    pub(super) folder: Utf8PathBuf,
}

/// A golden's file and its new bytes.
struct NewFile {
    /// Below the folder of goldens.
    golden: Utf8PathBuf,
    pending: Utf8PathBuf,
    bytes: Vec<u8>,
}

impl Store {
    /// The store in `folder` (such as `snapshots`) below `root`. Call [`Store::recover`] once at every start.
    pub fn new(root: &Utf8Path, folder: &Utf8Path) -> Self {
        Self {
            disk: Disk::new(root),
            folder: folder.to_owned(),
        }
    }

    /// The same, and the process ends without a farewell after so many things done to files: for tests of the program.
    #[cfg(debug_assertions)]
    #[must_use]
    pub fn dying_after(&self, steps: usize) -> Self {
        self.failing_after(steps, Then::Abort)
    }

    /// The same, stopped after so many things done to files.
    #[cfg(test)]
    pub(super) fn stopping_after(&self, steps: usize) -> Self {
        self.failing_after(steps, Then::Stop)
    }

    #[cfg(any(test, debug_assertions))]
    pub(super) fn failing_after(&self, steps: usize, then: Then) -> Self {
        Self {
            disk: Disk::failing_after(self.disk.root(), steps, then),
            folder: self.folder.clone(),
        }
    }

    /// A golden's file below the root.
    pub fn path(&self, key: &GoldenKey, kind: FileKind, pending: bool) -> Utf8PathBuf {
        self.folder.join(key.file(kind, pending))
    }

    /// Ends an accept that was cut short. Returns whether there was one. Costs one look for a file where there was none.
    pub fn recover(&self) -> Result<bool, SnapshotError> {
        if !journal::is_unfinished(&self.disk) {
            return Ok(false);
        }
        let lock = journal::lock(&self.disk)?;
        journal::recover(&self.disk, &lock)
    }

    /// The golden for `key`, which should name a class. Of a variant its own files, else those without variant.
    pub fn load(&self, key: &GoldenKey) -> Result<Golden, SnapshotError> {
        let plain = key.without_variant();
        let first = |own: GoldenKey, fallback: GoldenKey, kind| -> Result<_, SnapshotError> {
            let path = self.path(&own, kind, false);
            if let Some(bytes) = self.disk.read(&path)? {
                return Ok((path, Some(bytes)));
            }
            let path = self.path(&fallback, kind, false);
            let bytes = self.disk.read(&path)?;
            Ok((path, bytes))
        };
        let (shared_path, shared) = first(key.shared(), plain.shared(), FileKind::Rows)?;
        let mut golden = Golden {
            key: key.clone(),
            shared: text(&shared_path, shared)?,
            rows: None,
            picture: None,
            found: [shared_path.clone(), shared_path],
            against: BTreeMap::new(),
        };
        if key.class().is_some() {
            let (path, rows) = first(key.clone(), plain.clone(), FileKind::Rows)?;
            golden.rows = text(&path, rows)?;
            golden.found[1] = path;
            let (_, picture) = first(key.clone(), plain, FileKind::Picture)?;
            golden.picture = picture.map(Picture::from_png);
        }
        for (key, kind) in files(key) {
            let hash = self.disk.hash(&self.path(&key, kind, false))?;
            golden.against.insert(key.file(kind, false), hash);
        }
        Ok(golden)
    }

    /// Does what the update mode says with what came of a check. A step that passes loses its stale pending files.
    pub fn apply(
        &self,
        mode: UpdateMode,
        golden: &Golden,
        check: &Check,
    ) -> Result<Applied, SnapshotError> {
        let is_missing = check.proposal.rewrite.only_missing;
        let (new, changed) = match check.verdict {
            Verdict::MaskTooLarge(_) => return Ok(Applied::default()),
            Verdict::New => (true, false),
            Verdict::Passed => (is_missing, false),
            Verdict::Differs | Verdict::MaskChanged => (false, true),
        };
        let write = match mode {
            UpdateMode::Pending | UpdateMode::None => false,
            UpdateMode::New => new,
            UpdateMode::Changed => changed,
            UpdateMode::All => new || changed,
        };
        let mut applied = Applied {
            passes: check.passed() || write,
            ..Applied::default()
        };
        if write {
            applied.written = self.write_goldens(golden, check)?;
        } else if applied.passes {
            self.remove_stale_pending(&golden.key)?;
        } else if mode == UpdateMode::Pending {
            applied.pending = self.write_pending(golden, check)?;
        }
        Ok(applied)
    }

    /// What an update would write, as pending files: path below the folder of goldens, and bytes. For artifacts of a run
    /// that writes nothing itself; [`Store::import_pending`] takes them back.
    pub fn proposal(
        golden: &Golden,
        check: &Check,
    ) -> Result<Vec<(Utf8PathBuf, Vec<u8>)>, SnapshotError> {
        let by = golden.key.class().map(ToString::to_string);
        let files = new_files(golden, check)?.into_iter().map(|file| {
            let mark = Mark {
                by: by.iter().cloned().collect(),
                against: against(golden, &file.golden),
                cause: check.cause.clone(),
            };
            (file.pending, pending::mark(&file.bytes, &mark))
        });
        Ok(files.collect())
    }

    /// Files the pending files of one golden that another run made, by their paths below the folder of goldens: all of
    /// them as one step. What waited for the same classes goes, for files of two runs do not belong together.
    ///
    /// # Errors
    /// [`SnapshotError::NotPending`] where one of them is none; nothing is written then.
    pub fn import_pending<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a Utf8Path, &'a [u8])>,
    ) -> Result<(), SnapshotError> {
        let lock = self.lock()?;
        let mut changes: BTreeMap<Utf8PathBuf, Change> = BTreeMap::new();
        let mut classes: BTreeSet<GoldenKey> = BTreeSet::new();
        for (path, bytes) in files {
            let file = GoldenKey::of_file(path).filter(|(.., is_pending)| *is_pending);
            let (Some((key, kind, _)), Some((mark, bytes))) = (file, pending::unmark(bytes)) else {
                return Err(SnapshotError::NotPending(path.to_owned()));
            };
            let class = mark.by.first().cloned();
            let class = class.and_then(|class| RenderClass::try_from(class).ok());
            let (path, mark) = match class {
                Some(class) if key.class().is_none() => {
                    self.place_of_shared(&key.with_class(&class), &bytes, mark)?
                }
                _ => (self.path(&key, kind, true), mark),
            };
            classes.extend(key.class().is_some().then_some(key));
            let change = self.put(&path, pending::mark(&bytes, &mark))?;
            changes.insert(path, change);
        }
        let written: Vec<Utf8PathBuf> = changes.keys().cloned().collect();
        for key in &classes {
            for change in self.stale(key, &written)? {
                changes.insert(change.path.clone(), change);
            }
        }
        let changes: Vec<Change> = changes.into_values().collect();
        journal::commit(&self.disk, &lock, &changes, Meaning::Run)
    }

    fn write_goldens(
        &self,
        golden: &Golden,
        check: &Check,
    ) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let files = new_files(golden, check)?;
        let lock = self.lock()?;
        let mut changes: Vec<Change> = files
            .into_iter()
            .map(|file| Change {
                old: against(golden, &file.golden),
                path: self.folder.join(&file.golden),
                new: Some(file.bytes),
                after: None,
            })
            .collect();
        let written = changes.iter().map(|change| change.path.clone()).collect();
        changes.extend(self.stale(&golden.key, &[])?);
        journal::commit(&self.disk, &lock, &changes, Meaning::Run)?;
        Ok(written)
    }

    fn write_pending(
        &self,
        golden: &Golden,
        check: &Check,
    ) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
        let files = new_files(golden, check)?;
        let key = &golden.key;
        let lock = self.lock()?;
        let mut changes = Vec::new();
        for file in files {
            let mut path = self.folder.join(&file.pending);
            let mut mark = Mark {
                by: key.class().iter().map(ToString::to_string).collect(),
                against: against(golden, &file.golden),
                cause: check.cause.clone(),
            };
            if file.pending == key.shared().file(FileKind::Rows, true) {
                (path, mark) = self.place_of_shared(key, &file.bytes, mark)?;
            }
            changes.push(self.put(&path, pending::mark(&file.bytes, &mark))?);
        }
        let written: Vec<Utf8PathBuf> = changes.iter().map(|change| change.path.clone()).collect();
        changes.extend(self.stale(key, &written)?);
        journal::commit(&self.disk, &lock, &changes, Meaning::Run)?;
        Ok(written)
    }

    /// Where the class of `key` proposes rows for all devices: with the others where they propose the same, beside them
    /// where they propose something else for the same golden.
    fn place_of_shared(
        &self,
        key: &GoldenKey,
        bytes: &[u8],
        mut mark: Mark,
    ) -> Result<(Utf8PathBuf, Mark), SnapshotError> {
        let path = self.path(&key.shared(), FileKind::Rows, true);
        let there = self.disk.read(&path)?.as_deref().and_then(pending::unmark);
        let (Some((theirs, there)), Some(class)) = (there, key.class()) else {
            return Ok((path, mark));
        };
        if theirs.against != mark.against {
            return Ok((path, mark));
        }
        if there == bytes {
            mark.by.extend(theirs.by);
            return Ok((path, mark));
        }
        if theirs.by.iter().any(|by| by != class.as_str()) {
            return Ok((self.path(key, FileKind::Shared, true), mark));
        }
        Ok((path, mark))
    }

    /// Removes what earlier runs left pending for `key`; of what devices share only what this class alone proposed.
    pub fn remove_stale_pending(&self, key: &GoldenKey) -> Result<(), SnapshotError> {
        let is_there = pending_files(key)
            .iter()
            .any(|(key, kind)| self.disk.exists(&self.path(key, *kind, true)));
        if !is_there {
            return Ok(());
        }
        let lock = self.lock()?;
        let changes = self.stale(key, &[])?;
        journal::commit(&self.disk, &lock, &changes, Meaning::Run)
    }

    /// What takes away all that is pending for `key` but `keep`.
    fn stale(&self, key: &GoldenKey, keep: &[Utf8PathBuf]) -> Result<Vec<Change>, SnapshotError> {
        let by: BTreeSet<String> = key.class().iter().map(ToString::to_string).collect();
        let mut changes = Vec::new();
        for (of, kind) in pending_files(key) {
            let path = self.path(&of, kind, true);
            if !keep.contains(&path) {
                changes.extend(self.without(&path, &by)?);
            }
        }
        Ok(changes)
    }

    /// What takes the proposal of these classes out of a pending file. It stays for others that propose the same.
    pub(super) fn without(
        &self,
        path: &Utf8Path,
        classes: &BTreeSet<String>,
    ) -> Result<Option<Change>, SnapshotError> {
        let Some(bytes) = self.disk.read(path)? else {
            return Ok(None);
        };
        let of = path
            .strip_prefix(&self.folder)
            .ok()
            .and_then(GoldenKey::of_file);
        let is_shared = of.is_some_and(|(key, ..)| key.class().is_none());
        if is_shared
            && !classes.is_empty()
            && let Some((mut mark, bytes)) = pending::unmark(&bytes)
            && !mark.by.is_subset(classes)
        {
            let before = mark.by.len();
            mark.by.retain(|by| !classes.contains(by));
            return if mark.by.len() == before {
                Ok(None)
            } else {
                self.put(path, pending::mark(&bytes, &mark)).map(Some)
            };
        }
        self.taken(path)
    }

    /// What takes a file away, where it is there.
    pub(super) fn taken(&self, path: &Utf8Path) -> Result<Option<Change>, SnapshotError> {
        let old = self.disk.hash(path)?;
        Ok((old != ABSENT).then(|| Change {
            path: path.to_owned(),
            old,
            new: None,
            after: None,
        }))
    }

    fn put(&self, path: &Utf8Path, bytes: Vec<u8>) -> Result<Change, SnapshotError> {
        Ok(Change {
            path: path.to_owned(),
            old: self.disk.hash(path)?,
            new: Some(bytes),
            after: None,
        })
    }

    /// All goldens and pending files below the folder, in order: key, kind, whether pending.
    pub fn files(&self) -> Result<BTreeSet<(GoldenKey, FileKind, bool)>, SnapshotError> {
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
            if entry.file_type().is_file()
                && let Some(below) = path.and_then(|path| path.strip_prefix(&folder).ok())
            {
                found.push(below.to_owned());
            }
        }
        Ok(found)
    }
}

/// The pending files that a golden of this key may have.
fn pending_files(key: &GoldenKey) -> Vec<(GoldenKey, FileKind)> {
    let mut files = files(key);
    if key.class().is_some() {
        files.push((key.clone(), FileKind::Shared));
    }
    files
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

fn text(path: &Utf8Path, bytes: Option<Vec<u8>>) -> Result<Option<String>, SnapshotError> {
    bytes
        .map(|bytes| {
            String::from_utf8(bytes).map_err(|_| SnapshotError::BrokenGolden {
                path: path.to_owned(),
                line: 1,
                why: "it is no UTF-8 text".to_owned(),
            })
        })
        .transpose()
}

fn against(golden: &Golden, file: &Utf8Path) -> String {
    golden
        .against
        .get(file)
        .cloned()
        .unwrap_or_else(|| ABSENT.to_owned())
}

/// The files an update would write, in their final encoding.
fn new_files(golden: &Golden, check: &Check) -> Result<Vec<NewFile>, SnapshotError> {
    let proposal = &check.proposal;
    let key = &golden.key;
    let mut out = Vec::new();
    let mut push = |key: &GoldenKey, kind, bytes| {
        out.push(NewFile {
            golden: key.file(kind, false),
            pending: key.file(kind, true),
            bytes,
        });
    };
    if proposal.rewrite.shared {
        push(
            &key.shared(),
            FileKind::Rows,
            check.actual_tsv().into_bytes(),
        );
    }
    if key.class().is_none() {
        return Ok(out);
    }
    if proposal.rewrite.rows {
        push(key, FileKind::Rows, check.actual_class_tsv().into_bytes());
    }
    if let Some(picture) = &proposal.picture {
        let pixels = &picture
            .pixels()
            .map_err(|error| SnapshotError::Picture(error.to_string()))?;
        if proposal.rewrite.picture {
            let png = picture::encode(pixels, Compression::Small)?;
            let line = tsv::metadata_line(&proposal.metadata);
            let png = picture::add_text(&png, "runner", &line).unwrap_or(png);
            push(key, FileKind::Picture, png);
        }
        if proposal.annotated && (proposal.rewrite.picture || proposal.rewrite.rows) {
            let drawn = super::annotated::draw(pixels, &proposal.rows);
            push(
                key,
                FileKind::Annotated,
                picture::encode(&drawn, Compression::Small)?,
            );
        }
    }
    Ok(out)
}
