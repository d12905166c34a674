//! Finds flow files: from the paths that a person names to a sorted list.

mod error;
mod flow_path;
mod limits;
mod matching;
mod near;
mod pattern;
mod root;
mod walk;

use camino::{Utf8Path, Utf8PathBuf};

use super::maestro::{Workspace, is_maestro_file};
pub use error::{DiscoverError, MissingPath, NoFlow};
pub use flow_path::is_flow;
pub(crate) use limits::MAX_ENTRIES;
use matching::PatternInFolder;
pub use pattern::{PathPattern, PatternError};
pub use root::{find_misnamed, find_root};
use runner_base::named_path::tidy;
use walk::{AllFlows, FoundFiles, Walk};

/// Returns the root for a path of Maestro: the nearest folder with `.maestro` or `.git`, from its folder upwards, or
/// else its folder itself. Returns `None` if the path is not one of Maestro. A `runner.yaml` is not looked for; the
/// caller has found none.
pub fn find_maestro_root(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let path = tidy(path);
    let folder = if path.is_dir() {
        if !Workspace::is_one(&path) {
            return None;
        }
        path.as_path()
    } else {
        is_maestro_file(&path).then(|| path.parent())??
    };
    let has = |folder: &&Utf8Path| folder.join(".maestro").is_dir() || folder.join(".git").exists();
    Some(folder.ancestors().find(has).unwrap_or(folder).to_owned())
}

/// Found flows, and the Maestro workspaces of some of them.
#[derive(Debug, Default)]
pub struct Discovery {
    /// Paths of all flows, sorted.
    pub files: Vec<Utf8PathBuf>,
    /// Workspaces, in the order of the paths.
    pub workspaces: Vec<Workspace>,
}

/// Finds flow files: `paths` themselves if they are files, all flows below folders but for names with `_` or `.` at
/// their start, and matches of patterns. All spellings of a path mean the same, see [`runner_base::named_path`]. Returns
/// absolute paths, sorted and without duplicates; relative ones start at `folder`, the project's root. Does not check
/// that files are readable: their reader reports that, so that no file is silently left out. A path without any flow is
/// an error, see [`discover_with`].
pub fn discover(
    paths: &[Utf8PathBuf],
    folder: &Utf8Path,
) -> Result<Vec<Utf8PathBuf>, DiscoverError> {
    discover_with(paths, folder, None).map(|found| found.files)
}

/// Finds flow files like [`discover`], and Maestro workspaces among the folders. `config` replaces their `config.yaml`.
///
/// # Errors
/// A path that does not exist and is no pattern, an invalid pattern, a path without any flow even if others have some,
/// a folder that cannot be read or is too large, and a Maestro workspace with a wrong configuration. A single file
/// counts as a flow whatever its name.
pub fn discover_with(
    paths: &[Utf8PathBuf],
    folder: &Utf8Path,
    config: Option<&Utf8Path>,
) -> Result<Discovery, DiscoverError> {
    let mut found = FoundFiles::below(folder);
    let mut workspaces = Vec::new();
    let mut without: Vec<String> = Vec::new();
    for path in paths {
        let absolute = tidy(&folder.join(path));
        let matches_before = found.matches();
        if absolute.is_dir() {
            // Without a slash at its end.
            let absolute: Utf8PathBuf = absolute.components().collect();
            if let Some(workspace) = Workspace::open(&absolute, config)? {
                for file in &workspace.files {
                    found.add_listed(file.clone(), file.as_std_path());
                }
                workspaces.push(workspace);
            } else {
                Walk::new(folder, &absolute, AllFlows, true).run(&mut found)?;
            }
        } else if absolute.symlink_metadata().is_ok() {
            // Also a dangling link: its reader reports it.
            found.add(absolute.clone(), absolute.as_std_path());
        } else if let Some(wrong) = no_path(path, folder) {
            return Err(wrong);
        } else if let Some(pattern) = PatternInFolder::new(&absolute, folder) {
            // Only after the test for a file, because file names may have signs of patterns too.
            pattern.find(folder, &mut found)?;
        } else {
            return Err(DiscoverError::Missing(MissingPath::new(path, folder)));
        }
        if found.matches() == matches_before {
            without.push(format!("`{path}`"));
        }
    }
    let files = found.sorted();
    if files.is_empty() {
        return Err(DiscoverError::None(NoFlow::new(&without, folder)));
    }
    // Otherwise a misspelt path among others would silently leave out flows.
    if !without.is_empty() {
        return Err(DiscoverError::NoneIn(without.join(", ")));
    }
    Ok(Discovery { files, workspaces })
}

/// Returns an error for a path that is not there and was meant in another way: as one that takes flows away, such as
/// `!a.yaml`, or as several with commas, dashes or spaces between them. `None` for other paths.
fn no_path(path: &Utf8Path, folder: &Utf8Path) -> Option<DiscoverError> {
    let shown = path.strip_prefix(folder).unwrap_or(path).as_str();
    let mut components = Utf8Path::new(shown).components();
    if components.any(|part| part.as_str().starts_with('!')) {
        return Some(DiscoverError::TakenAway(format!("`{shown}`")));
    }
    // YAML joins the lines of a text and of a list below it.
    let separator = [" - ", ","].into_iter().find(|it| shown.contains(*it));
    // A path may have blanks, so all that stands between them must be a path.
    let separator = separator.unwrap_or(" ");
    let parts: Vec<&str> = shown.split(separator).map(str::trim).collect();
    let is_one = |part: &&str| {
        let is_pattern = part.contains(['*', '?']) && !part.contains(['{', '[']);
        !part.is_empty() && (is_pattern || folder.join(part).exists())
    };
    let is_blank = separator == " ";
    let are_paths = if is_blank {
        // A name without a folder may be the rest of a pattern with blanks.
        let is_whole = |part: &&str| part.contains('/') || folder.join(part).exists();
        parts.iter().all(|part| is_one(part) && is_whole(part))
    } else {
        parts.iter().any(is_one)
    };
    // Within braces a comma belongs to the pattern.
    let is_joined = parts.len() > 1 && !shown.contains('{') && are_paths;
    is_joined.then(|| DiscoverError::Joined {
        parts: parts.into_iter().map(str::to_owned).collect(),
        sign: match separator {
            " " => "space",
            "," => "comma",
            _ => "dash",
        },
        advice: "each as a word of its own, with a space between them".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Project;

    fn project() -> Project {
        let project = Project::new();
        for path in [
            "runner.yaml",
            "flows/b.yaml",
            "flows/a.yml",
            "flows/notes.txt",
            "flows/_login.yaml",
            "flows/_shared/x.yaml",
            "flows/deep/c.yaml",
            "flows/.hidden/d.yaml",
            "apps/demo/app.yaml",
        ] {
            project.file(path, "");
        }
        project
    }

    fn found(paths: &[&str]) -> Result<Vec<String>, String> {
        let project = project();
        let root = project.root();
        let paths: Vec<Utf8PathBuf> = paths.iter().map(Utf8PathBuf::from).collect();
        discover(&paths, &root)
            .map(|files| {
                files
                    .iter()
                    .map(|file| {
                        file.strip_prefix(&root)
                            .unwrap()
                            .as_str()
                            .replace('\\', "/")
                    })
                    .collect()
            })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_misspelt_file_is_told_at_any_depth() {
        for (path, says) in [
            ("runer.yaml", "did you mean `runner.yaml`?"),
            ("flows/bb.yaml", "did you mean `flows/b.yaml`?"),
            ("flow/b.yaml", "did you mean `flows/b.yaml`?"),
            ("flows/dep/c.yaml", "did you mean `flows/deep/c.yaml`?"),
            ("flows/b", "did you mean `flows/b.yaml`?"),
            ("flows/login", "did you mean `flows/_login.yaml`?"),
            ("!flows/b.yaml", "no pattern takes flows away"),
            ("flows/!b.yaml", "no pattern takes flows away"),
            ("!flows/**/*.yaml", "no pattern takes flows away"),
            ("flows/*.yaml, more/*.yaml", "a comma joins no paths"),
            ("flows/b.yaml flows/a.yml", "a space joins no paths"),
            ("flows/*.yaml flows/deep", "a space joins no paths"),
            ("flows,tests", "each as a word of its own"),
            ("flows/ - smoke/", "each as a word of its own"),
            ("c.yaml", "did you mean `flows/deep/c.yaml`?"),
            ("tests/b.yaml", "did you mean `flows/b.yaml`?"),
            (r"flows\deep\c.yaml", "did you mean `flows/deep/c.yaml`?"),
            ("C:flowsb.yaml", "put the path into quotes"),
            (
                "flows/b.yaml::login",
                "write `flows/b.yaml`, and `--grep login`",
            ),
            ("flows/b.yaml#L3", "write `flows/b.yaml`"),
            ("https://example.com/b.yaml", "nothing is fetched"),
            ("flows/*.yaml.j2", "the folder `flows` has `flows/a.yml`"),
            ("apps", "the folder `flows` has `flows/a.yml`"),
        ] {
            let wrong = found(&[path]).unwrap_err();
            assert!(wrong.contains(says), "{wrong}");
        }
    }

    #[test]
    fn paths_become_flows() {
        let all = ["flows/a.yml", "flows/b.yaml", "flows/deep/c.yaml"];
        for (paths, expected) in [
            (vec!["."], all.to_vec()),
            (vec!["flows"], all.to_vec()),
            (
                vec!["flows/", "flows/b.yaml", "./flows/../flows/b.yaml"],
                all.to_vec(),
            ),
            (vec!["flows/_login.yaml"], vec!["flows/_login.yaml"]),
            (vec!["flows/_shared"], vec!["flows/_shared/x.yaml"]),
            (vec!["flows/*.yaml"], vec!["flows/b.yaml"]),
            (
                vec!["flows/**/*.yaml"],
                vec!["flows/b.yaml", "flows/deep/c.yaml"],
            ),
            (vec!["*/{a,b}.*"], vec!["flows/a.yml", "flows/b.yaml"]),
        ] {
            assert_eq!(
                found(&paths),
                Ok(expected.iter().map(|&path| path.to_owned()).collect()),
                "{paths:?}"
            );
        }
    }

    #[cfg(unix)]
    fn link(project: &Project, to: &str, at: &str) {
        let at = project.root().join(at);
        fs_err::create_dir_all(at.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, at).unwrap();
    }

    #[cfg(unix)]
    fn below(project: &Project, path: &str) -> Vec<String> {
        let root = project.root();
        let files = discover(&[path.into()], &root).unwrap();
        files
            .iter()
            .map(|file| file.strip_prefix(&root).unwrap().to_string())
            .collect()
    }

    #[cfg(unix)]
    #[test]
    fn what_looks_like_a_flow_is_never_left_out() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let project = Project::new();
        let outside = tempfile::tempdir().unwrap();
        fs_err::write(outside.path().join("o.yaml"), "").unwrap();
        for path in [
            "flows/a.yaml",
            "flows/Upper.YAML",
            "shared/s.yml",
            "flows/_part.yaml",
        ] {
            project.file(path, "");
        }
        let root = project.root();
        let latin = root
            .as_std_path()
            .join("flows")
            .join(OsStr::from_bytes(b"caf\xe9.yaml"));
        fs_err::write(latin, "").unwrap();
        let hidden = root
            .as_std_path()
            .join("flows")
            .join(OsStr::from_bytes(b"_caf\xe9.yaml"));
        fs_err::write(hidden, "").unwrap();
        let fifo = std::process::Command::new("mkfifo")
            .arg(root.join("flows/fifo.yaml"))
            .status();
        assert!(fifo.unwrap().success());
        link(&project, "nowhere.yaml", "flows/dangling.yaml");
        link(&project, "../shared", "flows/linked");
        link(&project, "../shared/s.yml", "flows/again.yaml");
        link(&project, "..", "flows/loop");
        link(&project, outside.path().to_str().unwrap(), "flows/out");
        link(
            &project,
            outside.path().join("o.yaml").to_str().unwrap(),
            "flows/out.yaml",
        );
        let all = [
            "flows/Upper.YAML",
            "flows/a.yaml",
            "flows/again.yaml",
            "flows/caf\u{FFFD}.yaml",
            "flows/dangling.yaml",
            "flows/fifo.yaml",
            "flows/out",
            "flows/out.yaml",
        ];
        assert_eq!(below(&project, "flows"), all);
        // A real path replaces that of a link.
        let whole: Vec<&str> = all
            .into_iter()
            .filter(|path| *path != "flows/again.yaml")
            .chain(["shared/s.yml"])
            .collect();
        assert_eq!(below(&project, "."), whole);
        assert_eq!(
            below(&project, "flows/**/*.y*ml"),
            all.into_iter()
                .filter(|path| *path != "flows/Upper.YAML")
                .collect::<Vec<_>>()
        );
        assert_eq!(
            below(&project, "flows/linked/*.yml"),
            ["flows/linked/s.yml"]
        );
        assert_eq!(below(&project, "flows/fifo.yaml"), ["flows/fifo.yaml"]);

        let options = crate::ReadOptions {
            root: root.clone(),
            ..Default::default()
        };
        for (path, part) in [
            ("flows/caf\u{FFFD}.yaml", "is not UTF-8"),
            ("flows/dangling.yaml", "leads nowhere"),
            ("flows/fifo.yaml", "not a file"),
            ("flows/out", "out of the project's root"),
            ("flows/out.yaml", "out of the project's root"),
        ] {
            let (flow, diagnostics) = crate::read_flow(&root.join(path), &options);
            assert!(flow.is_none(), "{path}");
            assert!(
                diagnostics[0].message.contains(part),
                "{path}: {diagnostics:?}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_may_hold_flows_is_never_passed_over() {
        let project = Project::new();
        for path in ["runner.yaml", "flows/a.yaml"] {
            project.file(path, "");
        }
        let outside = tempfile::tempdir().unwrap();
        let outside = Utf8Path::from_path(outside.path()).unwrap().to_owned();
        for (folder, file) in [
            ("deep", "1/2/3/4/5/x.yaml"),
            ("hooks", ".pre-commit-config.yaml"),
            ("parts", "_shared/x.yaml"),
            ("assets", "1/2/3/4/5/x.png"),
        ] {
            let path = outside.join(folder).join(file);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "").unwrap();
            link(
                &project,
                outside.join(folder).as_str(),
                &format!("flows/{folder}"),
            );
        }
        fs_err::create_dir(outside.join("many")).unwrap();
        for number in 0..10_001 {
            fs_err::write(outside.join(format!("many/{number}")), "").unwrap();
        }
        link(&project, outside.join("many").as_str(), "flows/many");
        link(&project, "../gone", "flows/shared");
        link(&project, "../gone.txt", "flows/notes.txt");
        let all = ["flows/a.yaml", "flows/deep", "flows/many", "flows/shared"];
        assert_eq!(below(&project, "flows"), all);
        assert_eq!(below(&project, "flows/**/*.yaml"), all);
        // No file of the folder matches.
        assert_eq!(below(&project, "flows/*.yaml"), ["flows/a.yaml"]);
        assert_eq!(
            below(&project, "flows/*/x.yaml"),
            ["flows/many", "flows/shared"]
        );

        let options = crate::ReadOptions {
            root: project.root(),
            ..Default::default()
        };
        let shared = project.root().join("flows/shared");
        let (flow, diagnostics) = crate::read_flow(&shared, &options);
        assert!(flow.is_none());
        assert!(
            diagnostics[0].message.contains("leads nowhere"),
            "{diagnostics:?}"
        );
    }

    #[test]
    fn nothing_found_is_an_error_that_says_why() {
        for (path, part) in [
            ("nowhere", "no such file or folder"),
            ("apps", "no flow found"),
            ("x/*.yaml", "no flow found"),
            ("flows/[", "is not a pattern"),
        ] {
            let error = found(&[path]).unwrap_err();
            assert!(error.contains(part), "{path}: {error}");
        }
    }

    #[test]
    fn the_root_is_the_nearest_folder_with_a_project_file() {
        let project = project();
        let root = project.root();
        assert_eq!(
            find_root(&root.join("flows/deep/c.yaml")),
            Some(root.clone())
        );
        project.file("flows/deep/runner.yaml", "");
        assert_eq!(
            find_root(&root.join("flows/deep/c.yaml")),
            Some(root.join("flows/deep"))
        );
    }
}
