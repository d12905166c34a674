//! Walks through folders and follows links within the project.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::FileType;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use super::error::DiscoverError;
use super::flow_path::is_flow;
use super::limits::MAX_ENTRIES;

/// Number of entries that are searched behind a link out of the project. Chosen: enough to see whether it
/// holds flows.
const MAX_OUTSIDE_ENTRIES: usize = 10_000;

/// Set of found files, each once, even if several links lead to it.
pub(super) struct FoundFiles {
    root: Utf8PathBuf,
    real_root: Option<PathBuf>,
    /// Real paths of folders with listed files, by the paths under which they were listed.
    real_folders: HashMap<PathBuf, Option<PathBuf>>,
    /// Files by their real paths: true if reached by a link, and the path to display.
    files: BTreeMap<PathBuf, (bool, Utf8PathBuf)>,
    /// Number of files added, with duplicates.
    matches: usize,
}

impl FoundFiles {
    /// Creates an empty set for a project with this root. The root need not exist.
    pub(super) fn below(root: &Utf8Path) -> Self {
        Self {
            root: root.to_owned(),
            real_root: root.canonicalize().ok(),
            real_folders: HashMap::new(),
            files: BTreeMap::new(),
            matches: 0,
        }
    }

    /// Adds a file. Of several paths to one real file the first is kept, but a path without links replaces
    /// one with links. A dangling link is added too, so that its reader reports it. Each call counts in
    /// [`Self::matches`].
    pub(super) fn add(&mut self, displayed: Utf8PathBuf, path: &Path) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.add_real(displayed, real);
    }

    /// Same as [`Self::add`], for a path from the listing of a folder. Resolving each whole path would ask the system
    /// about every folder on the way, once a file.
    pub(super) fn add_listed(&mut self, displayed: Utf8PathBuf, path: &Path) {
        let is_link = path
            .symlink_metadata()
            .map_or(true, |about| about.is_symlink());
        let (Some(folder), Some(name), false) = (path.parent(), path.file_name(), is_link) else {
            return self.add(displayed, path);
        };
        let real = match self.real_folders.get(folder) {
            Some(real) => real,
            None => self
                .real_folders
                .entry(folder.to_owned())
                .or_insert_with(|| folder.canonicalize().ok()),
        };
        match real.as_ref().map(|folder| folder.join(name)) {
            Some(real) => self.add_real(displayed, real),
            None => self.add(displayed, path),
        }
    }

    /// Adds a file by its real path, as [`Self::add`] does.
    fn add_real(&mut self, displayed: Utf8PathBuf, real: PathBuf) {
        self.matches += 1;
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

    /// Returns the number of files added so far, duplicates included.
    pub(super) fn matches(&self) -> usize {
        self.matches
    }

    /// Returns the paths to display, sorted, each once.
    pub(super) fn sorted(self) -> Vec<Utf8PathBuf> {
        let mut files: Vec<Utf8PathBuf> = self.files.into_values().map(|(_, path)| path).collect();
        files.sort();
        files.dedup();
        files
    }
}

/// Selection of files by their paths.
pub(super) trait FileFilter {
    /// Returns true if the filter selects the file by its path. The walk asks only for files whose name is
    /// that of a flow.
    fn is_wanted(&self, file: &Utf8Path) -> bool;

    /// Returns true if files below the folder may be selected. The walk asks only for links that it does not follow;
    /// folders are walked in any case.
    fn leads_on(&self, folder: &Utf8Path) -> bool;
}

/// Filter that accepts all flows.
pub(super) struct AllFlows;

impl FileFilter for AllFlows {
    fn is_wanted(&self, _: &Utf8Path) -> bool {
        true
    }

    fn leads_on(&self, _: &Utf8Path) -> bool {
        true
    }
}

/// Walk through one folder.
pub(super) struct Walk<W> {
    base: PathBuf,
    wanted: W,
    /// True if the filter selects all below `base`, so that no folder needs a second visit by another link.
    each_once: bool,
    /// Folder that links must not leave.
    boundary: PathBuf,
    visited: HashSet<PathBuf>,
    entries: usize,
}

/// Folder to visit, with the real paths of its ancestors, to detect cycles of links.
struct Folder {
    path: PathBuf,
    ancestors: Vec<PathBuf>,
}

impl<W: FileFilter> Walk<W> {
    /// Prepares a walk from `base`. Links may lead anywhere below the root, or below `base` if that is outside of it.
    /// With `each_once` a folder is visited only by the first way that leads to it; that is right only if the filter
    /// selects by no part of the path.
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
            // A folder outside of the project that a person named is its own boundary.
            boundary: if real_base.starts_with(&root) {
                root
            } else {
                real_base
            },
            visited: HashSet::new(),
            entries: 0,
        }
    }

    /// Adds wanted flow files to `found`, real folders before those behind links, so that files are found by their real
    /// paths. Loops of links, and a `base` that does not exist, add nothing. A folder with the name of a flow is added
    /// and not walked through. A link to a folder outside of the project is not followed, but added itself if it may
    /// hold flows, so that its reader reports it.
    ///
    /// # Errors
    /// A folder that cannot be read, and more than [`MAX_ENTRIES`] entries in all.
    pub(super) fn run(mut self, found: &mut FoundFiles) -> Result<(), DiscoverError> {
        let mut links = std::collections::VecDeque::from([Folder {
            path: self.base.clone(),
            ancestors: Vec::new(),
        }]);
        while let Some(first) = links.pop_front() {
            let mut folders = vec![first];
            while let Some(folder) = folders.pop() {
                let Ok(real) = folder.path.canonicalize() else {
                    continue;
                };
                let is_loop = folder.ancestors.contains(&real);
                if is_loop || !self.visited.insert(real.clone()) && self.each_once {
                    continue;
                }
                let mut ancestors = folder.ancestors;
                ancestors.push(real);
                for path in self.names(&folder.path)? {
                    let inner = || Folder {
                        path: path.clone(),
                        ancestors: ancestors.clone(),
                    };
                    match self.kind(&path)? {
                        // Added all the same: its reader reports a folder with the name of a flow.
                        EntryKind::Folder if is_flow(&display_path(&path)) => {
                            self.file(&path, found);
                        }
                        EntryKind::Folder => folders.push(inner()),
                        EntryKind::Link => links.push_back(inner()),
                        EntryKind::File => self.file(&path, found),
                        // Not walked through, but added, so that its reader reports it.
                        EntryKind::Outside if self.may_hold_flows(&path) => {
                            found.add(display_path(&path), &path);
                        }
                        EntryKind::Nowhere if self.wanted.leads_on(&display_path(&path)) => {
                            found.add(display_path(&path), &path);
                        }
                        EntryKind::Outside | EntryKind::Nowhere => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the paths of files and folders in a folder, sorted. Leaves out names that begin with `_` or
    /// `.`, but counts them for the limit.
    ///
    /// # Errors
    /// A folder that cannot be read, and more than [`MAX_ENTRIES`] entries in the whole walk.
    fn names(&mut self, folder: &Path) -> Result<Vec<PathBuf>, DiscoverError> {
        let mut paths = Vec::new();
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(DiscoverError::TooMany(display_path(&self.base)));
            }
            if !is_left_out(&entry.file_name()) {
                paths.push(entry.path());
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// Returns what is at a path, also behind a link. A dangling link is a file if its name has an extension.
    fn kind(&self, path: &Path) -> Result<EntryKind, DiscoverError> {
        let own: FileType = fs_err::symlink_metadata(path)?.file_type();
        if own.is_dir() {
            return Ok(EntryKind::Folder);
        }
        // Also a FIFO: its reader reports it.
        if !own.is_symlink() {
            return Ok(EntryKind::File);
        }
        // Without an extension it was probably a link to a folder.
        if path.extension().is_none() && !path.exists() {
            return Ok(EntryKind::Nowhere);
        }
        let leads_to_folder = path.is_dir();
        let inside = path
            .canonicalize()
            .is_ok_and(|real| real.starts_with(&self.boundary));
        Ok(match (leads_to_folder, inside) {
            (false, _) => EntryKind::File,
            (true, true) => EntryKind::Link,
            (true, false) => EntryKind::Outside,
        })
    }

    /// Adds the file if it is wanted and has the name of a flow, white space at its end aside.
    fn file(&self, path: &Path, found: &mut FoundFiles) {
        let name = display_path(path);
        if looks_like_a_flow(&name) && self.wanted.is_wanted(&name) {
            found.add_listed(name, path);
        }
    }

    /// Returns true if a folder outside of the project has wanted flows at any depth, names with `_` or `.`
    /// at their start left out. Above `MAX_OUTSIDE_ENTRIES` entries it only tells if a wanted path could be
    /// inside. Entries that cannot be read are skipped.
    fn may_hold_flows(&self, folder: &Path) -> bool {
        let entries = walkdir::WalkDir::new(folder)
            .follow_links(true)
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || !is_left_out(entry.file_name()))
            .flatten();
        for (number, entry) in entries.enumerate() {
            if number >= MAX_OUTSIDE_ENTRIES {
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

/// Returns true for the extension of a flow, also with white space after it. Nobody sees such a space; the
/// reader reports it.
fn looks_like_a_flow(name: &Utf8Path) -> bool {
    is_flow(Utf8Path::new(name.as_str().trim_end()))
}

/// Returns true for names that begin with `_` (sub-flows, run by other flows) or `.` (hidden).
fn is_left_out(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"_") || name.as_encoded_bytes().starts_with(b".")
}

enum EntryKind {
    File,
    Folder,
    /// Link to a folder in the project.
    Link,
    /// Link to a folder outside of the project.
    Outside,
    /// Dangling link without an extension, which probably led to a folder.
    Nowhere,
}

/// Converts a path to text. Invalid UTF-8 becomes `\u{FFFD}`.
fn display_path(path: &Path) -> Utf8PathBuf {
    Utf8PathBuf::from(path.to_string_lossy().into_owned())
}
