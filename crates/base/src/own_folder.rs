//! Output folders that a command fills again and again, such as the folder of a report. A list in the folder
//! names each file before it is written, so the next run removes exactly the files of the earlier one, even
//! after a crash.

use std::collections::BTreeSet;
use std::io::Write as _;

use camino::{Utf8Path, Utf8PathBuf};

use crate::files::{append, temporary_in, write_atomic};
use runner_text::input_file::{MAX_SENT, open_regular, read_text};

/// Limit of the list, in bytes. Chosen: a report lists one file a line, so this is about a million files;
/// reading the list of a foreign folder stays bounded.
const MAX_LIST_BYTES: u64 = 64 * 1024 * 1024;

/// Description of a kind of folder: the names that its files may have.
#[derive(Debug, Clone, Copy)]
pub struct FolderKind {
    /// Name of the list of files; a folder with this file is one of this kind.
    pub list: &'static str,
    /// First line of the list. A list with another one belongs to another kind, or to another version.
    pub header: &'static str,
    /// Noun with its article for messages, as in "not a report".
    pub noun: &'static str,
    /// Names of files at the top level.
    pub files: &'static [&'static str],
    /// Substrings of other allowed names at the top level, such as `-result.json`.
    pub parts: &'static [&'static str],
    /// Subfolders. The names in them consist of ASCII letters, digits, `.`, `-` and `_`, and do not begin with `.`.
    pub folders: &'static [&'static str],
}

#[derive(Debug, thiserror::Error)]
pub enum OwnFolderError {
    /// The folder holds files that this program did not write.
    #[error(
        "{path} holds files that are not {noun} of this program, and is left as it is; name an empty folder, or a new one"
    )]
    NotOwn {
        path: Utf8PathBuf,
        /// Noun of the expected kind of folder.
        noun: &'static str,
    },
    /// A file of the folder cannot be read or written.
    #[error("{path} cannot be written: {source}; check that its folder may be written")]
    File {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
}

/// Output folder that is open for one command. It writes its files, and then removes those that only earlier commands
/// wrote.
#[derive(Debug)]
pub struct OwnFolder {
    root: Utf8PathBuf,
    kind: FolderKind,
    list: std::fs::File,
    /// Files that earlier commands wrote, by the list.
    earlier: BTreeSet<String>,
    written: BTreeSet<String>,
}

impl OwnFolder {
    /// Opens `root` for writing, and creates it and the kind's subfolders if they are missing. Reads the list
    /// of files that earlier commands wrote there, or begins a list in an empty folder.
    ///
    /// # Errors
    /// Returns [`OwnFolderError::NotOwn`] if it is not empty and has no readable list of this kind, or if a
    /// subfolder is a file or a link. Other errors of the file system are [`OwnFolderError::File`].
    pub fn open(root: Utf8PathBuf, kind: FolderKind) -> Result<Self, OwnFolderError> {
        let fail = |source| OwnFolderError::File {
            path: root.clone(),
            source,
        };
        let not_own = || OwnFolderError::NotOwn {
            path: root.clone(),
            noun: kind.noun,
        };
        fs_err::create_dir_all(&root).map_err(fail)?;
        let list = root.join(kind.list);
        let earlier = match read_text(&list, MAX_LIST_BYTES).map_err(std::io::Error::from) {
            Ok(text) if text.lines().next() == Some(kind.header) => kind.names(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if fs_err::read_dir(&root).map_err(fail)?.next().is_some() {
                    return Err(not_own());
                }
                write_atomic(&list, format!("{}\n", kind.header).as_bytes()).map_err(fail)?;
                BTreeSet::new()
            }
            _ => return Err(not_own()),
        };
        for folder in kind.folders {
            let path = root.join(folder);
            // A link would lead to files outside.
            let is_link = std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_dir());
            if is_link {
                return Err(not_own());
            }
            fs_err::create_dir_all(&path).map_err(fail)?;
        }
        let list = append(&list).map_err(fail)?;
        Ok(Self {
            root,
            kind,
            list,
            earlier,
            written: BTreeSet::new(),
        })
    }

    /// Writes or replaces a file in one step, and adds it to the list. `name` must be one of the kind: later commands
    /// skip any other in the list, and so never remove it.
    ///
    /// # Errors
    /// Returns [`OwnFolderError::NotOwn`] if a file that the list does not name stands there, and
    /// [`OwnFolderError::File`] for errors of the file system.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), OwnFolderError> {
        self.announce(name)?;
        let path = self.root.join(name);
        write_atomic(&path, bytes).map_err(|source| OwnFolderError::File { path, source })
    }

    /// Returns true if this command wrote or linked the file, or tried to.
    pub fn has_written(&self, name: &str) -> bool {
        self.written.contains(name)
    }

    /// Adds a file of the artifacts as `name`, by a hard link or else by a copy, which may have at most `MAX_SENT`
    /// bytes. Does nothing for a name that this command wrote already. `name` contains the hash of the content, so
    /// an existing file that this folder's list names stays as it is.
    ///
    /// # Errors
    /// Returns [`OwnFolderError::NotOwn`] if a file that the list does not name stands there, and
    /// [`OwnFolderError::File`] for errors of the file system.
    pub fn link(&mut self, name: &str, source: &Utf8Path) -> Result<(), OwnFolderError> {
        if self.written.contains(name) {
            return Ok(());
        }
        self.announce(name)?;
        let path = self.root.join(name);
        // The name contains the hash, so an existing file is the same.
        if path.is_file() || std::fs::hard_link(source, &path).is_ok() {
            return Ok(());
        }
        copy(source, &path).map_err(|source| OwnFolderError::File { path, source })
    }

    /// Adds the name to the list before the file is written, so that an interrupted command leaves no unknown file,
    /// and counts the file as written. A name that is listed already is not added to the list again.
    ///
    /// # Errors
    /// Returns [`OwnFolderError::NotOwn`] if a file that the list does not name stands there, and
    /// [`OwnFolderError::File`] if the list cannot be written.
    fn announce(&mut self, name: &str) -> Result<(), OwnFolderError> {
        if !self.written.contains(name) && !self.earlier.contains(name) {
            if self.root.join(name).exists() {
                return Err(OwnFolderError::NotOwn {
                    path: self.root.clone(),
                    noun: self.kind.noun,
                });
            }
            writeln!(self.list, "{name}").map_err(|source| OwnFolderError::File {
                path: self.root.join(self.kind.list),
                source,
            })?;
        }
        self.written.insert(name.to_owned());
        Ok(())
    }

    /// Removes the files of earlier commands that this command did not write, and rewrites the list with
    /// those it wrote. Files that are not listed stay, and so do empty folders. A missing file is no error.
    ///
    /// # Errors
    /// Returns [`OwnFolderError::File`] at the first file that cannot be removed; the list stays as it was then.
    pub fn remove_earlier(&mut self) -> Result<(), OwnFolderError> {
        for name in self.earlier.difference(&self.written) {
            match std::fs::remove_file(self.root.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let path = self.root.join(name);
                    return Err(OwnFolderError::File {
                        path,
                        source: error,
                    });
                }
                _ => {}
            }
        }
        let mut text = format!("{}\n", self.kind.header);
        for name in &self.written {
            text.push_str(name);
            text.push('\n');
        }
        let path = self.root.join(self.kind.list);
        write_atomic(&path, text.as_bytes())
            .and_then(|()| append(&path))
            // The old handle would write into the list that was just replaced.
            .map(|list| {
                self.list = list;
                self.earlier.clear();
            })
            .map_err(|source| OwnFolderError::File { path, source })
    }
}

impl FolderKind {
    /// Returns true if files of this kind may have this path, relative to the folder. The list itself counts.
    pub fn holds(&self, name: &str) -> bool {
        name == self.list || self.is_name(name)
    }

    /// Parses the names of a list after its header. Lines that are no names of this kind are skipped.
    fn names(&self, list: &str) -> BTreeSet<String> {
        list.lines()
            .skip(1)
            .filter(|name| self.is_name(name))
            .map(str::to_owned)
            .collect()
    }

    /// Returns true if a file of this name may be ours: a plain name in one of our folders, a known name, or a
    /// plain name that contains one of our parts. False for hidden files and deeper folders.
    fn is_name(&self, name: &str) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        match name.split_once('/') {
            Some((folder, file)) => {
                self.folders.contains(&folder)
                    && !file.is_empty()
                    && !file.starts_with('.')
                    && file.chars().all(plain)
            }
            None => {
                let has = |part: &&str| name.contains(part);
                self.files.contains(&name)
                    || (!name.starts_with(['.', '-'])
                        && name.chars().all(plain)
                        && self.parts.iter().any(has))
            }
        }
    }
}

/// Copies a regular file of at most `MAX_SENT` bytes, with its permissions, over `path`. The path has the old file
/// or the whole new one at any time.
fn copy(source: &Utf8Path, path: &Utf8Path) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let mut file = temporary_in(folder)?;
    std::io::copy(&mut open_regular(source, MAX_SENT)?, &mut file)?;
    // With the permissions that a hard link would have.
    std::fs::set_permissions(file.path(), std::fs::metadata(source)?.permissions())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: FolderKind = FolderKind {
        list: "report-files.txt",
        header: "Files of a report.",
        noun: "a report",
        files: &["index.html"],
        parts: &["-part."],
        folders: &["data", "files"],
    };

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().to_owned();
        (folder, path)
    }

    fn files(root: &Utf8Path) -> Vec<String> {
        let mut names: Vec<String> = walkdir::WalkDir::new(root)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                entry
                    .path()
                    .strip_prefix(root)
                    .unwrap()
                    .display()
                    .to_string()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_later_report_removes_what_the_earlier_made_and_nothing_else() {
        let (_guard, root) = folder();
        let mut first = OwnFolder::open(root.clone(), REPORT).unwrap();
        first.write("data/aa.js", b"1").unwrap();
        first.write("data/bb.js", b"1").unwrap();
        first.remove_earlier().unwrap();
        first
            .write("data/late.js", b"written, then killed")
            .unwrap();
        std::fs::write(root.join("notes.txt"), "mine").unwrap();
        std::fs::write(root.join("data/mine.js"), "mine").unwrap();
        let mut second = OwnFolder::open(root.clone(), REPORT).unwrap();
        second.write("data/bb.js", b"1").unwrap();
        second.write("index.html", b"2").unwrap();
        second.remove_earlier().unwrap();
        assert_eq!(
            files(&root),
            [
                "data/bb.js",
                "data/mine.js",
                "index.html",
                "notes.txt",
                REPORT.list
            ]
        );
    }

    #[test]
    fn a_folder_of_something_else_is_left_alone() {
        let (_guard, root) = folder();
        std::fs::write(root.join("index.html"), "mine").unwrap();
        let refused = OwnFolder::open(root.clone(), REPORT).unwrap_err();
        assert!(refused.to_string().contains("not a report"), "{refused}");
        assert_eq!(files(&root), ["index.html"]);
        // A damaged list does not make it a report either.
        std::fs::write(root.join(REPORT.list), "index.html\n").unwrap();
        assert!(OwnFolder::open(root, REPORT).is_err());
    }

    #[test]
    fn a_file_that_no_report_made_is_not_overwritten() {
        let (_guard, root) = folder();
        let mut report = OwnFolder::open(root.clone(), REPORT).unwrap();
        std::fs::write(root.join("index.html"), "mine").unwrap();
        assert!(report.write("index.html", b"report").is_err());
        assert_eq!(std::fs::read(root.join("index.html")).unwrap(), b"mine");
    }

    #[test]
    fn a_forged_list_reaches_no_other_file() {
        for name in [
            "../a",
            "/etc/passwd",
            "data/../../a",
            "data/",
            "data/.a",
            "data/a/b",
            "other/a",
            "-part.txt",
            "../a-part.txt",
            "a-other.txt",
            "",
            REPORT.list,
        ] {
            assert!(!REPORT.is_name(name), "{name}");
        }
        assert!(REPORT.is_name("a-part.txt"));
        assert!(REPORT.is_name("index.html") && REPORT.is_name("files/00ff.png"));
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_folder_is_refused() {
        let (_guard, root) = folder();
        let (_other, other) = folder();
        drop(OwnFolder::open(root.clone(), REPORT).unwrap());
        std::fs::remove_dir(root.join("data")).unwrap();
        std::os::unix::fs::symlink(&other, root.join("data")).unwrap();
        assert!(OwnFolder::open(root, REPORT).is_err());
        assert!(files(&other).is_empty());
    }
}
