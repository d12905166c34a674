//! Installs the parts with the person's own build tool, or from a folder. Correct files are not fetched
//! again; each file is checked before it gets its final name; only one process installs at a time.

use std::fs::TryLockError;
use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::temporary_in;

use super::build_tool::BuildTool;
use super::part_list::describe_missing;
use super::stamp::{self, FileCheck, Stamp};
use super::{Part, Parts, PartsError, digest_of, outer_jar, space};
use crate::jar::open;
use crate::places::Places;

/// Size in bytes above which a part is fetched alone. Chosen: an interruption then costs one large file only.
const MIN_LARGE_BYTES: u64 = 50_000_000;
/// Limits for depth and number of files when a folder is searched. Chosen: covers any repository's layout,
/// yet ends for a whole disk.
const MAX_DEPTH: usize = 12;
const MAX_FILES: usize = 500_000;

/// Source of the parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    BuildTool,
    /// A folder that contains the files, possibly in subfolders.
    Folder(Utf8PathBuf),
}

/// Progress of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Waits for another process that installs.
    Waiting,
    /// Reads and compares existing files.
    Checking,
    /// Begins to fetch. Sent once before the first [`Self::Bytes`], and not at all if no file is wanted.
    Begins {
        /// Number of files to fetch.
        files: usize,
        /// Sum of their bytes.
        bytes: u64,
        /// Maven, Gradle or the folder.
        from: String,
    },
    /// More bytes have arrived.
    Bytes {
        /// Bytes so far.
        done: u64,
        /// Bytes in total.
        total: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstallResult {
    /// Number of fetched files.
    pub fetched: usize,
    /// Number of files that were wrong before.
    pub mended: usize,
}

/// Returns the files that `install` would fetch: missing and wrong ones. Nothing is changed. Files that
/// changed since they were last checked are read in full.
pub fn wanted(parts: &Parts) -> Vec<&'static Part> {
    let stamp = Stamp::read(parts.folder());
    parts
        .list()
        .iter()
        .filter(|part| stamp.check(part, &parts.file(part)) != FileCheck::Right)
        .collect()
}

/// Fetches missing files, and replaces wrong ones. All existing files are read in full first, and wrong ones are
/// removed at once. Builds the jar that is made from the parts if it is missing or a file was fetched. Another
/// process that installs is waited for without limit.
///
/// # Errors
///
/// Returns a [`PartsError`], also if the disk has too little space; files that arrived before are kept.
pub fn install(
    parts: &Parts,
    source: &Source,
    places: &Places,
    tell: &mut dyn FnMut(Progress),
) -> Result<InstallResult, PartsError> {
    let jars = parts.jars();
    fs_err::create_dir_all(&jars).map_err(at(&jars))?;
    let _lock = lock(parts, tell)?;
    let mut installation = Installation {
        parts,
        stamp: Stamp::default(),
        incoming: parts.folder().join("incoming"),
        tell,
    };
    installation.run(source, places)
}

/// Locks the folder as long as the returned file is open. If another process has the lock, says so by `tell`
/// and waits without limit. A killed process leaves no lock.
#[expect(clippy::disallowed_methods, reason = "a lock of this program's own")]
fn lock(parts: &Parts, tell: &mut dyn FnMut(Progress)) -> Result<std::fs::File, PartsError> {
    let path = parts.folder().join(".lock");
    let file = std::fs::File::create(&path).map_err(at(&path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            tell(Progress::Waiting);
            file.lock().map_err(at(&path))?;
        }
        Err(TryLockError::Error(error)) => return Err(at(&path)(error)),
    }
    Ok(file)
}

struct Installation<'a> {
    parts: &'a Parts,
    stamp: Stamp,
    /// Folder of unchecked files.
    incoming: Utf8PathBuf,
    tell: &'a mut dyn FnMut(Progress),
}

impl Installation<'_> {
    /// Checks all files, fetches those that are missing, saves the record and builds the jar that is made from them.
    /// Nothing is fetched if nothing is missing. Incoming files are removed at the end, and stay after an error.
    fn run(&mut self, source: &Source, places: &Places) -> Result<InstallResult, PartsError> {
        let (mut missing, mended) = self.check();
        let fetched = missing.len();
        let local = places.home.as_ref().map(|home| home.join(".m2/repository"));
        if !missing.is_empty() {
            self.begin(&missing, source, places)?;
            match source {
                Source::Folder(folder) => self.take_from(folder, &mut missing)?,
                Source::BuildTool => self.fetch(&mut missing, places, local.as_deref())?,
            }
        }
        let folder = self.parts.folder();
        self.stamp.write(folder).map_err(at(folder))?;
        let outer_jar = self.parts.outer_jar();
        if let Some(android) = self.parts.android()
            && (fetched > 0 || !outer_jar.is_file())
        {
            outer_jar::make(&self.parts.file(android), &outer_jar).map_err(at(&outer_jar))?;
        }
        self.clear();
        Ok(InstallResult { fetched, mended })
    }

    /// Reads all existing files in full and removes wrong ones. Returns missing parts, including those
    /// removed, and the number of wrong files.
    fn check(&mut self) -> (Vec<&'static Part>, usize) {
        (self.tell)(Progress::Checking);
        let (mut missing, mut wrong) = (Vec::new(), 0);
        for part in self.parts.list() {
            let file = self.parts.file(part);
            match self.stamp.verify(part, &file) {
                FileCheck::Right => continue,
                FileCheck::Missing => {}
                FileCheck::Wrong => {
                    wrong += 1;
                    let _ = fs_err::remove_file(&file);
                }
            }
            missing.push(part);
        }
        (missing, wrong)
    }

    /// Empties the folder of incoming files and announces the fetch. Fails without a build tool, or if the disk has no
    /// space for all missing parts and the largest one once more.
    fn begin(
        &mut self,
        missing: &[&Part],
        source: &Source,
        places: &Places,
    ) -> Result<(), PartsError> {
        let bytes = missing.iter().map(|part| part.size).sum();
        let from = match source {
            Source::Folder(folder) => folder.to_string(),
            Source::BuildTool => {
                let tool = BuildTool::find(places).ok_or(PartsError::NoBuildTool)?;
                format!("{}, {}", tool.name(), tool.program())
            }
        };
        self.clear();
        fs_err::create_dir_all(&self.incoming).map_err(at(&self.incoming))?;
        // The build tool temporarily stores a file twice.
        let largest = missing
            .iter()
            .map(|part| part.size)
            .max()
            .unwrap_or_default();
        let needed = bytes + largest;
        match space::free(self.parts.folder()) {
            Some(free) if free < needed => {
                return Err(PartsError::Space {
                    folder: self.parts.folder().to_owned(),
                    free,
                    needed,
                });
            }
            _ => {}
        }
        (self.tell)(Progress::Begins {
            files: missing.len(),
            bytes,
            from,
        });
        Ok(())
    }

    /// Takes files from Maven's local repository, and fetches the others with the build tool: the small ones
    /// together, then each of more than 50 MB alone. `missing` keeps those that did not arrive, which is an error.
    /// Without a build tool it fails at once, even if the repository has all.
    fn fetch(
        &mut self,
        missing: &mut Vec<&'static Part>,
        places: &Places,
        local: Option<&Utf8Path>,
    ) -> Result<(), PartsError> {
        let tool = BuildTool::find(places).ok_or(PartsError::NoBuildTool)?;
        let total: u64 = missing.iter().map(|part| part.size).sum();
        self.take_known(missing, local)?;
        let (large, small): (Vec<&Part>, Vec<&Part>) =
            missing.iter().partition(|part| part.size > MIN_LARGE_BYTES);
        let batches = std::iter::once(small).chain(large.into_iter().map(|part| vec![part]));
        for batch in batches.filter(|batch| !batch.is_empty()) {
            let left: u64 = missing.iter().map(|part| part.size).sum();
            let tell = &mut self.tell;
            let incoming = &self.incoming;
            tool.fetch(&batch, incoming, || {
                let arrived = arrived(&batch, incoming, local);
                let done = (total - left).saturating_add(arrived).min(total);
                tell(Progress::Bytes { done, total });
                arrived
            })?;
            self.take_known(missing, local)?;
        }
        if missing.is_empty() {
            return Ok(());
        }
        Err(PartsError::Failed {
            tool: tool.name(),
            missing: describe_missing(missing),
            words: "nothing, and ended well".to_owned(),
        })
    }

    /// Takes files that were fetched, or that are in Maven's local repository, which come first. Uses hard
    /// links if possible, which take no space. `missing` keeps those that are in neither. A wrong file is an
    /// error only if it was fetched.
    fn take_known(
        &mut self,
        missing: &mut Vec<&'static Part>,
        local: Option<&Utf8Path>,
    ) -> Result<(), PartsError> {
        for part in std::mem::take(missing) {
            let came = self.incoming.join(part.artifact_file());
            let known = local.map(|local| {
                let folder = local.join(part.repository_folder());
                folder.join(part.artifact_file())
            });
            let known = known.filter(|file| file.is_file());
            let taken = match known {
                // A wrong file in the local repository does not matter if the build tool fetched the right one.
                Some(known) => self.take(part, &known).is_ok(),
                None => false,
            };
            if taken {
                continue;
            }
            if came.is_file() {
                self.take(part, &came)?;
            } else {
                missing.push(part);
            }
        }
        Ok(())
    }

    /// Takes missing parts out of a folder and its subfolders, 12 deep, by their own names or those in a Maven
    /// repository. Links are followed. Files with the right name and wrong contents are passed over.
    ///
    /// Fails if a part is still missing then: with the last wrong file if there was any.
    fn take_from(
        &mut self,
        folder: &Utf8Path,
        missing: &mut Vec<&'static Part>,
    ) -> Result<(), PartsError> {
        let total: u64 = missing.iter().map(|part| part.size).sum();
        let mut done = 0;
        let walk = walkdir::WalkDir::new(folder)
            .max_depth(MAX_DEPTH)
            .follow_links(true);
        let mut wrong = None;
        for entry in walk.into_iter().flatten().take(MAX_FILES) {
            let Some(name) = entry.file_name().to_str() else {
                continue;
            };
            let place = missing
                .iter()
                .position(|part| part.file == name || part.artifact_file() == name);
            let (Some(place), Some(path)) = (place, Utf8Path::from_path(entry.path())) else {
                continue;
            };
            let part = missing[place];
            // Another file of that name may be the right one.
            match self.take(part, path) {
                Ok(()) => {
                    missing.remove(place);
                    done += part.size;
                    (self.tell)(Progress::Bytes { done, total });
                }
                Err(error) => wrong = Some(error),
            }
        }
        match (missing.is_empty(), wrong) {
            (true, _) => Ok(()),
            (false, Some(wrong)) => Err(wrong),
            (false, None) => Err(PartsError::NotInFolder {
                folder: folder.to_owned(),
                missing: describe_missing(missing),
            }),
        }
    }

    /// Takes a file that should be a part, or an archive that contains it, by a link or a copy. The part's file is
    /// replaced only if size and hash are right, and is then recorded as checked, on disk too; else the error is
    /// [`PartsError::Checksum`]. The source is removed only if it was fetched for this.
    fn take(&mut self, part: &'static Part, file: &Utf8Path) -> Result<(), PartsError> {
        let path = self.parts.file(part);
        let staged = if part.kind == "aar" && file.extension() == Some("aar") {
            self.unpack(part, file)?
        } else {
            let staged = self.incoming.join(format!("{}.new", part.file));
            let _ = fs_err::remove_file(&staged);
            if std::fs::hard_link(file, &staged).is_err() {
                let mut source = open(file).map_err(at(file))?;
                let mut copy = std::fs::File::create_new(&staged).map_err(at(&staged))?;
                std::io::copy(&mut source, &mut copy).map_err(at(&staged))?;
            }
            staged
        };
        if stamp::read(part, &staged) != FileCheck::Right {
            let found = open(&staged).and_then(digest_of);
            let _ = fs_err::remove_file(&staged);
            return Err(PartsError::Checksum {
                file: file.to_string(),
                expected: part.sha256,
                found: found.map_err(at(file))?,
            });
        }
        fs_err::rename(&staged, &path).map_err(at(&path))?;
        self.stamp.verify(part, &path);
        // Renaming a hard link onto itself does nothing, so the source is removed explicitly.
        if file.starts_with(&self.incoming) {
            let _ = fs_err::remove_file(file);
        }
        let folder = self.parts.folder();
        self.stamp.write(folder).map_err(at(folder))
    }

    /// Extracts `classes.jar` from an archive into the folder of incoming files, reading at most one byte more than
    /// the part has. The contents are not checked. Fails if the archive is damaged or lacks the file.
    fn unpack(&self, part: &Part, file: &Utf8Path) -> Result<Utf8PathBuf, PartsError> {
        let open = open(file).map_err(at(file))?;
        let damaged = |error: zip::result::ZipError| at(file)(std::io::Error::other(error));
        let mut archive = zip::ZipArchive::new(open).map_err(damaged)?;
        let mut classes = archive
            .by_name("classes.jar")
            .map_err(damaged)?
            .take(part.size + 1);
        let mut staged = temporary_in(&self.incoming).map_err(at(&self.incoming))?;
        std::io::copy(&mut classes, &mut staged).map_err(at(file))?;
        let path = self.incoming.join(format!("{}.new", part.file));
        staged
            .persist(&path)
            .map_err(|error| at(&path)(error.error))?;
        Ok(path)
    }

    fn clear(&self) {
        let _ = fs_err::remove_dir_all(&self.incoming);
    }
}

/// Returns the bytes of `wanted` that have arrived, in the folder or in Maven's local repository, where
/// unfinished downloads have another name. Each part counts its own size at most.
fn arrived(wanted: &[&Part], incoming: &Utf8Path, local: Option<&Utf8Path>) -> u64 {
    let in_local = |part: &&Part| {
        let folder = local.map(|local| local.join(part.repository_folder()));
        let files = folder.and_then(|folder| folder.read_dir_utf8().ok());
        let sizes = files.into_iter().flatten().flatten();
        sizes
            .filter_map(|file| file.metadata().ok())
            .map(|about| about.len())
            .sum::<u64>()
    };
    let in_folder = |part: &&Part| {
        let file = incoming.join(part.artifact_file());
        fs_err::metadata(file).map_or(0, |about| about.len())
    };
    wanted
        .iter()
        .map(|part| in_local(part).max(in_folder(part)).min(part.size))
        .sum()
}

/// Returns a function that adds the path to an error of the file system.
fn at(path: &Utf8Path) -> impl Fn(std::io::Error) -> PartsError {
    let path = path.to_owned();
    move |source| PartsError::File {
        path: path.clone(),
        source,
    }
}
