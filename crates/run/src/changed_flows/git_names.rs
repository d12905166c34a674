//! Names that git has for a file which is reached by links: git lists a link and its target, and no file behind it.

use std::collections::{BTreeSet, HashMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::relative_to;
use runner_base::named_path::tidy;

/// Links that are followed one after the other, as Linux does; more are a loop.
const MAX_LINKS: usize = 40;

/// Lookup of the names that git has for files of a project.
pub(super) struct GitNames {
    /// Real path of the root; `None` if it is not there.
    root: Option<Utf8PathBuf>,
    /// Folders, relative to the root, that no link leads to, with the names of the links in them. Listed once, as a
    /// table may have thousands of words that are no paths.
    plain: HashMap<Utf8PathBuf, HashSet<String>>,
}

impl GitNames {
    /// Creates a lookup for the project with this root. Looks at no file yet.
    pub fn new(root: &Utf8Path) -> Self {
        Self {
            root: root.canonicalize_utf8().ok(),
            plain: HashMap::new(),
        }
    }

    /// Returns a file or folder, each link on the way to it, and the real path, all relative to the root; outside of it
    /// they begin with `../`. What is missing is named all the same, behind the links that are there.
    pub fn find(&mut self, file: &Utf8Path) -> BTreeSet<Utf8PathBuf> {
        let mut names = BTreeSet::from([file.to_owned()]);
        let Some(root) = &self.root else {
            return names;
        };
        let folder = file.parent().unwrap_or(Utf8Path::new(""));
        if let (Some(links), Some(name)) = (self.plain.get(folder), file.file_name())
            && !links.contains(name)
        {
            return names;
        }
        let mut path = root.join(file);
        for _ in 0..MAX_LINKS {
            let Some((link, next)) = follow(&path, root) else {
                break;
            };
            names.insert(relative_to(root, &link));
            names.insert(relative_to(root, &next));
            path = next;
        }
        if names.len() == 1 {
            let links = || links_in(&root.join(folder));
            self.plain.entry(folder.to_owned()).or_insert_with(links);
        }
        // A link to the root names no file.
        names.remove(Utf8Path::new(""));
        names
    }

    /// Returns the names of several files, as [`Self::find`] does.
    pub fn find_all(
        &mut self,
        files: impl IntoIterator<Item = Utf8PathBuf>,
    ) -> BTreeSet<Utf8PathBuf> {
        files
            .into_iter()
            .flat_map(|file| self.find(&file))
            .collect()
    }
}

/// Returns the names of the links in a folder; none if it cannot be listed.
fn links_in(folder: &Utf8Path) -> HashSet<String> {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
        .map(|entry| entry.file_name().to_owned())
        .collect()
}

/// Returns the outermost link on the way to a path, and the path with the link's target in its place. `None` if there
/// is none. `root` has no link on its way.
fn follow(path: &Utf8Path, root: &Utf8Path) -> Option<(Utf8PathBuf, Utf8PathBuf)> {
    let parts = path.ancestors().take_while(|part| *part != root);
    let link = parts.filter(|part| part.is_symlink()).last()?;
    let target = link.read_link_utf8().ok()?;
    let mut next = tidy(&link.parent()?.join(target));
    // Joined to an empty path, the name of a file would end in `/`.
    next.extend(path.strip_prefix(link).ok()?.components());
    Some((link.to_owned(), next))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_and_what_they_lead_to_are_named() {
        let guard = tempfile::tempdir().unwrap();
        let above = Utf8Path::from_path(guard.path()).unwrap();
        let root = above.canonicalize_utf8().unwrap().join("p");
        for folder in ["flows/sub", "shared/deep", "../beside"] {
            fs_err::create_dir_all(root.join(folder)).unwrap();
        }
        fs_err::write(root.join("shared/x.yaml"), "").unwrap();
        for (target, link) in [
            ("../shared/x.yaml", "flows/x.yaml"),
            ("x.yaml", "flows/again.yaml"),
            ("../shared", "flows/linked"),
            ("linked/deep", "flows/deep"),
            ("../beside", "out"),
            ("loop.yaml", "flows/loop.yaml"),
            ("gone.yaml", "flows/dangling.yaml"),
            ("..", "flows/up"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(root.join("shared/x.yaml"), root.join("flows/absolute.yaml")).unwrap();
        let mut names = GitNames::new(&root);
        for (file, expected) in [
            ("shared/x.yaml", vec!["shared/x.yaml"]),
            ("none/x.yaml", vec!["none/x.yaml"]),
            ("flows/x.yaml", vec!["flows/x.yaml", "shared/x.yaml"]),
            (
                "flows/again.yaml",
                vec!["flows/again.yaml", "flows/x.yaml", "shared/x.yaml"],
            ),
            (
                "flows/linked/x.yaml",
                vec!["flows/linked", "flows/linked/x.yaml", "shared/x.yaml"],
            ),
            // Deleted behind a link that is there.
            (
                "flows/linked/none.csv",
                vec!["flows/linked", "flows/linked/none.csv", "shared/none.csv"],
            ),
            (
                "flows/deep/a.js",
                vec![
                    "flows/deep",
                    "flows/deep/a.js",
                    "flows/linked",
                    "flows/linked/deep/a.js",
                    "shared/deep/a.js",
                ],
            ),
            ("out/a", vec!["../beside/a", "out", "out/a"]),
            ("flows/loop.yaml", vec!["flows/loop.yaml"]),
            (
                "flows/dangling.yaml",
                vec!["flows/dangling.yaml", "flows/gone.yaml"],
            ),
            (
                "flows/absolute.yaml",
                vec!["flows/absolute.yaml", "shared/x.yaml"],
            ),
            ("flows/up", vec!["flows/up"]),
            (
                "flows/up/shared/x.yaml",
                vec!["flows/up", "flows/up/shared/x.yaml", "shared/x.yaml"],
            ),
        ] {
            let expected: BTreeSet<Utf8PathBuf> =
                expected.into_iter().map(Utf8PathBuf::from).collect();
            // The second answer comes from what the first one learnt.
            for _ in 0..2 {
                assert_eq!(names.find(Utf8Path::new(file)), expected, "{file}");
            }
        }
    }
}
