//! Folders walked through, links followed where they stay in the project.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::FileType;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use super::{DiscoverError, clean, is_flow};

/// Most files and folders that one walk looks at.
pub(crate) const MOST_ENTRIES: usize = 200_000;

/// Most of what a link leads to outside of the project that is looked at.
const MOST_OUTSIDE: usize = 10_000;

/// Files found, each once.
pub(super) struct FoundFiles {
    root: Utf8PathBuf,
    real_root: Option<PathBuf>,
    /// The path that counts, and whether links lead to it, by the real path.
    files: BTreeMap<PathBuf, (bool, Utf8PathBuf)>,
    /// How often a file was added, those that are known included.
    matches: usize,
}

impl FoundFiles {
    pub(super) fn below(root: &Utf8Path) -> Self {
        Self {
            root: root.to_owned(),
            real_root: root.canonicalize().ok(),
            files: BTreeMap::new(),
            matches: 0,
        }
    }

    /// Adds a file under the name it is shown by; one that leads nowhere too.
    pub(super) fn add(&mut self, displayed: Utf8PathBuf, path: &Path) {
        self.matches += 1;
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let direct = match (&self.real_root, displayed.strip_prefix(&self.root)) {
            (Some(root), Ok(below)) => root.join(below),
            _ => displayed.as_std_path().to_owned(),
        };
        let by_link = direct != real;
        let known = self.files.get(&real);
        if known.is_none_or(|(known_by_link, _)| *known_by_link && !by_link) {
            self.files.insert(real, (by_link, displayed));
        }
    }

    pub(super) fn matches(&self) -> usize {
        self.matches
    }

    pub(super) fn sorted(self) -> Vec<Utf8PathBuf> {
        let mut files: Vec<Utf8PathBuf> = self.files.into_values().map(|(_, path)| path).collect();
        files.sort();
        files.dedup();
        files
    }
}

/// What of a folder is asked for.
pub(super) trait FileFilter {
    /// Whether a file is.
    fn is_wanted(&self, file: &Utf8Path) -> bool;

    /// Whether a file below a folder may be.
    fn leads_on(&self, folder: &Utf8Path) -> bool;
}

/// One folder to walk through.
pub(super) struct Walk<W> {
    base: PathBuf,
    wanted: W,
    /// All below is wanted, so that a folder need not be seen twice.
    each_once: bool,
    /// Links lead no farther than this.
    boundary: PathBuf,
    visited: HashSet<PathBuf>,
    entries: usize,
}

/// A folder to look into, and the real folders around it.
struct Folder {
    path: PathBuf,
    around: Vec<PathBuf>,
}

impl<W: FileFilter> Walk<W> {
    pub(super) fn new(root: &Utf8Path, base: &Utf8Path, wanted: W, each_once: bool) -> Self {
        let real = |path: &Utf8Path| {
            path.canonicalize()
                .unwrap_or_else(|_| path.as_std_path().to_owned())
        };
        let (root, real_base) = (real(root), real(base));
        Self {
            base: base.as_std_path().to_owned(),
            wanted,
            each_once,
            // A folder outside of the project that somebody named is a boundary of its own.
            boundary: if real_base.starts_with(&root) {
                root
            } else {
                real_base
            },
            visited: HashSet::new(),
            entries: 0,
        }
    }

    /// Looks into real folders first, so that what is there is known by its real path.
    pub(super) fn run(mut self, found: &mut FoundFiles) -> Result<(), DiscoverError> {
        let mut links = std::collections::VecDeque::from([Folder {
            path: self.base.clone(),
            around: Vec::new(),
        }]);
        while let Some(first) = links.pop_front() {
            let mut folders = vec![first];
            while let Some(folder) = folders.pop() {
                let Ok(real) = folder.path.canonicalize() else {
                    continue;
                };
                let is_loop = folder.around.contains(&real);
                if is_loop || !self.visited.insert(real.clone()) && self.each_once {
                    continue;
                }
                let mut around = folder.around;
                around.push(real);
                for path in self.names(&folder.path)? {
                    let inner = || Folder {
                        path: path.clone(),
                        around: around.clone(),
                    };
                    match self.kind(&path)? {
                        // Whoever reads it refuses it, so that a flow that is a folder is not left out silently.
                        Kind::Folder if is_flow(&display_path(&path)) => self.file(&path, found),
                        Kind::Folder => folders.push(inner()),
                        Kind::Link => links.push_back(inner()),
                        Kind::File => self.file(&path, found),
                        // It is not walked through, but the one who reads it has to refuse it.
                        Kind::Outside if self.may_hold_flows(&path) => {
                            found.add(clean(&display_path(&path)), &path);
                        }
                        Kind::Nowhere if self.wanted.leads_on(&display_path(&path)) => {
                            found.add(clean(&display_path(&path)), &path);
                        }
                        Kind::Outside | Kind::Nowhere => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// What is in a folder and may be a flow or hold some, sorted.
    fn names(&mut self, folder: &Path) -> Result<Vec<PathBuf>, DiscoverError> {
        let mut paths = Vec::new();
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return Err(DiscoverError::TooMany(display_path(&self.base)));
            }
            if !is_left_out(&entry.file_name()) {
                paths.push(entry.path());
            }
        }
        paths.sort();
        Ok(paths)
    }

    fn kind(&self, path: &Path) -> Result<Kind, DiscoverError> {
        let own: FileType = fs_err::symlink_metadata(path)?.file_type();
        if own.is_dir() {
            return Ok(Kind::Folder);
        }
        // A FIFO too: whoever reads it refuses it, so that it is not left out silently.
        if !own.is_symlink() {
            return Ok(Kind::File);
        }
        // It may have been a folder, where its name does not say that it was a file.
        if path.extension().is_none() && !path.exists() {
            return Ok(Kind::Nowhere);
        }
        let leads_to_folder = path.is_dir();
        let inside = path
            .canonicalize()
            .is_ok_and(|real| real.starts_with(&self.boundary));
        Ok(match (leads_to_folder, inside) {
            (false, _) => Kind::File,
            (true, true) => Kind::Link,
            (true, false) => Kind::Outside,
        })
    }

    fn file(&self, path: &Path, found: &mut FoundFiles) {
        let name = display_path(path);
        if looks_like_a_flow(&name) && self.wanted.is_wanted(&name) {
            found.add(clean(&name), path);
        }
    }

    /// Whether wanted flows are in a folder elsewhere, or may be where it holds too much to look at.
    fn may_hold_flows(&self, folder: &Path) -> bool {
        let entries = walkdir::WalkDir::new(folder)
            .follow_links(true)
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || !is_left_out(entry.file_name()))
            .flatten();
        for (number, entry) in entries.enumerate() {
            if number >= MOST_OUTSIDE {
                return self.wanted.leads_on(&display_path(folder));
            }
            let path = display_path(entry.path());
            if is_flow(&path) && self.wanted.is_wanted(&path) {
                return true;
            }
        }
        false
    }
}

/// Also with white space behind it, which nobody sees: whoever reads it says so.
fn looks_like_a_flow(name: &Utf8Path) -> bool {
    is_flow(Utf8Path::new(name.as_str().trim_end()))
}

/// Files and folders of these names are for other flows to use.
fn is_left_out(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"_") || name.as_encoded_bytes().starts_with(b".")
}

enum Kind {
    File,
    Folder,
    /// To a folder in the project.
    Link,
    /// A link to a folder elsewhere.
    Outside,
    /// A link to nothing that has the name of a folder.
    Nowhere,
}

/// A path as text; what is not UTF-8 in it becomes `\u{FFFD}`.
fn display_path(path: &Path) -> Utf8PathBuf {
    Utf8PathBuf::from(path.to_string_lossy().into_owned())
}
