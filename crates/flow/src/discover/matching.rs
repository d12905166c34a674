//! Searches the flows that match a pattern.

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobMatcher;

use super::error::DiscoverError;
use super::pattern::matcher;
use super::walk::{FileFilter, FoundFiles, Walk};
use runner_base::named_path::PATTERN_SIGNS;

/// A pattern, apart from the folder in which it begins.
pub(super) struct PatternInFolder {
    /// Folder whose name is no pattern, whatever signs it has.
    folder: Utf8PathBuf,
    /// Pattern for paths below the folder, with `/`.
    pattern: String,
}

impl PatternInFolder {
    /// Splits a tidy absolute path before its first part that is a pattern. The parts of `root` are none, nor is a part
    /// that is there by this very name: a project and its folders may have any name. `None` if no part is a pattern.
    pub(super) fn new(path: &Utf8Path, root: &Utf8Path) -> Option<Self> {
        let mut folder = Utf8PathBuf::new();
        let mut parts = path.components();
        loop {
            let rest = parts.as_path();
            let part = parts.next()?;
            let next = folder.join(part);
            let is_pattern = part.as_str().contains(PATTERN_SIGNS)
                && !root.starts_with(&next)
                && next.symlink_metadata().is_err();
            if is_pattern {
                let end = if path.as_str().ends_with('/') {
                    "/"
                } else {
                    ""
                };
                return Some(Self {
                    folder,
                    pattern: rest.as_str().replace('\\', "/") + end,
                });
            }
            folder = next;
        }
    }

    /// Adds the flows that match, and no file outside of the folder but through links. Follows links, and leaves out
    /// names with `_` or `.` at their start. Adds none if the folder does not exist; the caller reports it.
    ///
    /// # Errors
    /// An invalid pattern, and those of [`Walk::run`].
    pub(super) fn find(self, root: &Utf8Path, found: &mut FoundFiles) -> Result<(), DiscoverError> {
        let glob = matcher(&self.pattern).map_err(|error| DiscoverError::Pattern {
            pattern: self.folder.join(&self.pattern).into_string(),
            reason: error.kind().to_string(),
        })?;
        if !self.folder.is_dir() {
            return Ok(());
        }
        let folder = self.folder.clone();
        let wanted = GlobFilter { glob, wanted: self };
        Walk::new(root, &folder, wanted, false).run(found)
    }
}

/// Filter that accepts the matches of a pattern.
struct GlobFilter {
    glob: GlobMatcher,
    wanted: PatternInFolder,
}

impl GlobFilter {
    /// Returns a path below the pattern's folder, with `/`; `None` for one outside.
    fn below(&self, path: &Utf8Path) -> Option<String> {
        let below = path.strip_prefix(&self.wanted.folder).ok()?;
        Some(below.as_str().replace('\\', "/"))
    }
}

impl FileFilter for GlobFilter {
    fn is_wanted(&self, file: &Utf8Path) -> bool {
        self.below(file)
            .is_some_and(|below| self.glob.is_match(below))
    }

    /// Returns true if a file below the folder may match the pattern, by comparing folder by folder. Where a part
    /// cannot be compared alone, such as `**` and braces around a `/`, it returns true.
    fn leads_on(&self, folder: &Utf8Path) -> bool {
        let Some(folder) = self.below(folder) else {
            return false;
        };
        let mut parts = self.wanted.pattern.split('/');
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            match parts.next() {
                None => return false,
                // A part such as `{a` of `{a,b/c}` is not a valid pattern.
                Some(part) if part.contains("**") || matcher(part).is_err() => return true,
                Some(part) if !matcher(part).is_ok_and(|glob| glob.is_match(name)) => return false,
                Some(_) => {}
            }
        }
        parts.next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::discover;
    use super::*;

    /// Returns the paths below `root` of the flows that a path finds, or the message without any.
    fn found(root: &Utf8Path, path: &str) -> Result<Vec<String>, String> {
        let files = discover(&[path.into()], root).map_err(|error| error.to_string())?;
        let below = files.iter().map(|file| file.strip_prefix(root).unwrap());
        Ok(below.map(|file| file.as_str().replace('\\', "/")).collect())
    }

    #[test]
    fn the_name_of_a_project_is_no_pattern() {
        let names = [
            "plain", "shop[1]", "shop1", "a{b}", "ab", "{shop", "!shop", "x]y", "[", "[a",
        ];
        let unix = ["a*b", "what?", "*", r"back\slash"];
        let names = names
            .into_iter()
            .chain(unix.into_iter().filter(|_| cfg!(unix)));
        let names: Vec<&str> = names.collect();
        let guard = tempfile::tempdir().unwrap();
        let above = Utf8Path::from_path(guard.path()).unwrap();
        for (number, name) in names.iter().enumerate() {
            let flows = above.join(name).join("flows/sub[x]");
            fs_err::create_dir_all(&flows).unwrap();
            // Flows of another project would be found by their names.
            for file in ["", "../"] {
                fs_err::write(flows.join(format!("{file}{number}.yaml")), "").unwrap();
            }
        }
        for (number, name) in names.iter().enumerate() {
            let root = above.join(name);
            let (flow, sub) = (
                format!("flows/{number}.yaml"),
                format!("flows/sub[x]/{number}.yaml"),
            );
            for (path, flows) in [
                ("flows/*.yaml", vec![&flow]),
                ("*/*.yaml", vec![&flow]),
                ("flows", vec![&flow, &sub]),
                ("**", vec![&flow, &sub]),
                ("flows/**/*.yaml", vec![&flow, &sub]),
                ("flows/sub[x]/*.yaml", vec![&sub]),
                ("flows/sub?x?/*.yaml", vec![&sub]),
            ] {
                // By each spelling, and as a path from the root of the file system.
                let dotted = path.replacen('/', "/./", 1);
                let twice = path.replacen('/', "//", 1);
                for spelt in [
                    path.to_owned(),
                    format!("./{path}"),
                    format!("flows/../{path}"),
                    format!("{root}/{path}"),
                    format!("{root}/./{path}"),
                    dotted,
                    twice,
                ] {
                    let expected: Vec<String> = flows.iter().copied().cloned().collect();
                    assert_eq!(found(&root, &spelt), Ok(expected), "{name}: {spelt}");
                }
            }
            // What is missing is missing, and no pattern without a match.
            let missing = found(&root, "flows/none.yaml").unwrap_err();
            assert!(missing.contains("no such file"), "{name}: {missing}");
        }
    }

    #[test]
    fn a_pattern_for_folders_takes_no_files() {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap();
        fs_err::create_dir_all(root.join("flows/sub")).unwrap();
        fs_err::write(root.join("flows/a.yaml"), "").unwrap();
        for path in ["flows/*/", "flows/*/../*.yaml", "flows/*.yaml/"] {
            let error = found(root, path).unwrap_err();
            assert!(error.contains("no flow found"), "{path}: {error}");
        }
    }
}
