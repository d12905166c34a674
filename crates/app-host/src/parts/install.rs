//! Getting the parts: by the person's own build tool, or from a folder. What is there and right is not fetched again; each
//! file is checked before it has its name; one process does it at a time.

use std::fs::TryLockError;
use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::temporary_in;

use super::build_tool::BuildTool;
use super::stamp::{self, Stamp};
use super::{Checked, Part, Parts, PartsError, digest_of, outer, space};
use crate::jar::open;
use crate::places::Places;

/// A part of more bytes is fetched by itself, so that a cut costs one file.
const LARGE: u64 = 50_000_000;
/// How deep a folder that was named is searched, and how many files are looked at.
const DEEPEST: usize = 12;
const MAX_FILES: usize = 500_000;

/// Where the parts come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The person's own build tool.
    BuildTool,
    /// A folder that holds the files, at any depth.
    Folder(Utf8PathBuf),
}

/// What is told while it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Another process gets them; it is waited for.
    Waiting,
    /// What is there is read and compared.
    Checking,
    /// It begins.
    Begins {
        /// Files to get.
        files: usize,
        /// Their bytes.
        bytes: u64,
        /// Maven, Gradle or the folder.
        from: String,
    },
    /// So many bytes have come.
    Bytes {
        /// So far.
        done: u64,
        /// In all.
        total: u64,
    },
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Installed {
    /// Files that were fetched.
    pub fetched: usize,
    /// Files that were wrong before.
    pub mended: usize,
}

/// Which files `install` would get: those that are missing or wrong.
pub fn wanted(parts: &Parts) -> Vec<&'static Part> {
    let stamp = Stamp::read(parts.folder());
    parts
        .list()
        .iter()
        .filter(|part| stamp.check(part, &parts.file(part)) != Checked::Right)
        .collect()
}

/// Gets what is missing, and replaces what is wrong.
///
/// # Errors
/// [`PartsError`]; what came before stays.
pub fn install(
    parts: &Parts,
    source: &Source,
    places: &Places,
    tell: &mut dyn FnMut(Progress),
) -> Result<Installed, PartsError> {
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

/// Held as long as the file is open: a process that is killed leaves none.
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
    /// Files that have not been checked yet.
    incoming: Utf8PathBuf,
    tell: &'a mut dyn FnMut(Progress),
}

impl Installation<'_> {
    fn run(&mut self, source: &Source, places: &Places) -> Result<Installed, PartsError> {
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
            outer::make(&self.parts.file(android), &outer_jar).map_err(at(&outer_jar))?;
        }
        self.clear();
        Ok(Installed { fetched, mended })
    }

    /// Reads all that is there. What is wrong goes.
    fn check(&mut self) -> (Vec<&'static Part>, usize) {
        (self.tell)(Progress::Checking);
        let (mut missing, mut wrong) = (Vec::new(), 0);
        for part in self.parts.list() {
            let file = self.parts.file(part);
            match self.stamp.verify(part, &file) {
                Checked::Right => continue,
                Checked::Missing => {}
                Checked::Wrong => {
                    wrong += 1;
                    let _ = fs_err::remove_file(&file);
                }
            }
            missing.push(part);
        }
        (missing, wrong)
    }

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
        // The build tool has one file twice for a while.
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

    /// Takes the files that Maven's own repository has, and has the build tool bring the others.
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
            missing.iter().partition(|part| part.size > LARGE);
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
            missing: named(missing),
            words: "nothing, and ended well".to_owned(),
        })
    }

    /// Takes what came, and what Maven's own repository has: a link where that can be, so that it costs no room.
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
                // What is wrong there is no reason to fail, where the build tool brought the right one.
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

    fn take_from(
        &mut self,
        folder: &Utf8Path,
        missing: &mut Vec<&'static Part>,
    ) -> Result<(), PartsError> {
        let total: u64 = missing.iter().map(|part| part.size).sum();
        let mut done = 0;
        let walk = walkdir::WalkDir::new(folder)
            .max_depth(DEEPEST)
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
                missing: named(missing),
            }),
        }
    }

    /// Takes a file that should be a part, or an archive that holds it.
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
        if stamp::read(part, &staged) != Checked::Right {
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
        // A link that is renamed onto itself stays; what came is not needed any more.
        if file.starts_with(&self.incoming) {
            let _ = fs_err::remove_file(file);
        }
        let folder = self.parts.folder();
        self.stamp.write(folder).map_err(at(folder))
    }

    /// The `classes.jar` of an archive; of its bytes no more than the part has.
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

/// Bytes of `wanted` that have come: to the folder, or to Maven's own repository, where a download has another name until
/// it is whole.
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

/// The first file, and how many more.
pub(super) fn named(parts: &[&Part]) -> String {
    match parts {
        [] => "nothing".to_owned(),
        [only] => only.file.to_owned(),
        [first, others @ ..] => format!("{} and {} more", first.file, others.len()),
    }
}

fn at(path: &Utf8Path) -> impl Fn(std::io::Error) -> PartsError {
    let path = path.to_owned();
    move |source| PartsError::File {
        path: path.clone(),
        source,
    }
}
