//! The report's folder: what is written there is listed before it is written, so that a later report removes what this
//! one made and nothing else, also after a crash.

use std::collections::BTreeSet;
use std::io::Write as _;

use camino::{Utf8Path, Utf8PathBuf};

use crate::ReportError;
use runner_base::files::write_atomic;

/// The list of files; it marks a folder as a report.
const LIST: &str = "report-files.txt";

/// First line of the list.
const HEADER: &str =
    "Files of a report that `runner` made. The next report into this folder replaces them.";

/// Folders that a report has.
const FOLDERS: [&str; 3] = ["assets", "data", "files"];

/// A folder that a report is written into.
#[derive(Debug)]
pub(super) struct Folder {
    root: Utf8PathBuf,
    list: std::fs::File,
    /// What earlier reports left.
    earlier: BTreeSet<String>,
    written: BTreeSet<String>,
}

impl Folder {
    /// Takes `root` for a report, and makes it if need be.
    pub fn open(root: Utf8PathBuf) -> Result<Self, ReportError> {
        let fail = |source| ReportError::File {
            path: root.clone(),
            source,
        };
        fs_err::create_dir_all(&root).map_err(fail)?;
        let list = root.join(LIST);
        let earlier = match fs_err::read_to_string(&list) {
            Ok(text) if text.lines().next() == Some(HEADER) => names(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if fs_err::read_dir(&root).map_err(fail)?.next().is_some() {
                    return Err(ReportError::NotAReport(root));
                }
                write_atomic(&list, format!("{HEADER}\n").as_bytes()).map_err(fail)?;
                BTreeSet::new()
            }
            _ => return Err(ReportError::NotAReport(root)),
        };
        for folder in FOLDERS {
            let path = root.join(folder);
            // Through a link the report would write somewhere else.
            let is_link = std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_dir());
            if is_link {
                return Err(ReportError::NotAReport(root));
            }
            fs_err::create_dir_all(&path).map_err(fail)?;
        }
        let list = std::fs::File::options()
            .append(true)
            .open(&list)
            .map_err(fail)?;
        Ok(Self {
            root,
            list,
            earlier,
            written: BTreeSet::new(),
        })
    }

    /// Writes a file in one piece.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), ReportError> {
        self.announce(name)?;
        let path = self.root.join(name);
        write_atomic(&path, bytes).map_err(|source| ReportError::File { path, source })
    }

    /// Whether this report wrote the file.
    pub fn has_written(&self, name: &str) -> bool {
        self.written.contains(name)
    }

    /// Has a file of the artifacts under `name`, which holds its hash: linked where that can be, else copied.
    pub fn link(&mut self, name: &str, source: &Utf8Path) -> Result<(), ReportError> {
        if self.written.contains(name) {
            return Ok(());
        }
        self.announce(name)?;
        let path = self.root.join(name);
        // What stands there has the same hash in its name, so it is the same file.
        if path.is_file() || std::fs::hard_link(source, &path).is_ok() {
            return Ok(());
        }
        copy(source, &path).map_err(|source| ReportError::File { path, source })
    }

    /// Notes that a file is this report's; one that stands there and is nobody's is left alone.
    fn announce(&mut self, name: &str) -> Result<(), ReportError> {
        if !self.written.contains(name) && !self.earlier.contains(name) {
            if self.root.join(name).exists() {
                return Err(ReportError::NotAReport(self.root.clone()));
            }
            writeln!(self.list, "{name}").map_err(|source| ReportError::File {
                path: self.root.join(LIST),
                source,
            })?;
        }
        self.written.insert(name.to_owned());
        Ok(())
    }

    /// Removes what earlier reports left and this one did not write.
    pub fn remove_earlier(&mut self) -> Result<(), ReportError> {
        for name in self.earlier.difference(&self.written) {
            match std::fs::remove_file(self.root.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let path = self.root.join(name);
                    return Err(ReportError::File {
                        path,
                        source: error,
                    });
                }
                _ => {}
            }
        }
        let mut text = format!("{HEADER}\n");
        for name in &self.written {
            text.push_str(name);
            text.push('\n');
        }
        let path = self.root.join(LIST);
        write_atomic(&path, text.as_bytes())
            .and_then(|()| std::fs::File::options().append(true).open(&path))
            // The old handle would write into the list that was just replaced.
            .map(|list| {
                self.list = list;
                self.earlier.clear();
            })
            .map_err(|source| ReportError::File { path, source })
    }
}

/// Names in a list; a line that no report writes is not one.
fn names(list: &str) -> BTreeSet<String> {
    list.lines()
        .skip(1)
        .filter(|name| is_name(name))
        .map(str::to_owned)
        .collect()
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    match name.split_once('/') {
        Some((folder, file)) => {
            FOLDERS.contains(&folder)
                && !file.is_empty()
                && !file.starts_with('.')
                && file.chars().all(plain)
        }
        None => name == "index.html",
    }
}

fn copy(source: &Utf8Path, path: &Utf8Path) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let mut file = runner_base::files::temporary_in(folder)?;
    std::io::copy(&mut std::fs::File::open(source)?, &mut file)?;
    // As the file would have them through a hard link.
    std::fs::set_permissions(file.path(), std::fs::metadata(source)?.permissions())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut first = Folder::open(root.clone()).unwrap();
        first.write("data/aa.js", b"1").unwrap();
        first.write("data/bb.js", b"1").unwrap();
        first.remove_earlier().unwrap();
        first
            .write("data/late.js", b"written, then killed")
            .unwrap();
        std::fs::write(root.join("notes.txt"), "mine").unwrap();
        std::fs::write(root.join("data/mine.js"), "mine").unwrap();
        let mut second = Folder::open(root.clone()).unwrap();
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
                LIST
            ]
        );
    }

    #[test]
    fn a_folder_of_something_else_is_left_alone() {
        let (_guard, root) = folder();
        std::fs::write(root.join("index.html"), "mine").unwrap();
        let refused = Folder::open(root.clone()).unwrap_err();
        assert!(refused.to_string().contains("not a report"), "{refused}");
        assert_eq!(files(&root), ["index.html"]);
        // Neither does a list of no report make it one.
        std::fs::write(root.join(LIST), "index.html\n").unwrap();
        assert!(Folder::open(root).is_err());
    }

    #[test]
    fn a_file_that_no_report_made_is_not_overwritten() {
        let (_guard, root) = folder();
        let mut report = Folder::open(root.clone()).unwrap();
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
            "",
            LIST,
        ] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name("index.html") && is_name("files/00ff.png"));
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_folder_is_refused() {
        let (_guard, root) = folder();
        let (_other, other) = folder();
        drop(Folder::open(root.clone()).unwrap());
        std::fs::remove_dir(root.join("data")).unwrap();
        std::os::unix::fs::symlink(&other, root.join("data")).unwrap();
        assert!(Folder::open(root).is_err());
        assert!(files(&other).is_empty());
    }
}
