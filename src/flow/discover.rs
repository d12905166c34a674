//! Which files are flows: from the paths a person names to a sorted list.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobBuilder;
use walkdir::WalkDir;

/// Name of the project's file.
const PROJECT_FILE: &str = "runner.yaml";

/// Why no flows were found.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// A path that is not there.
    #[error("`{0}`: there is no such file or folder")]
    Missing(Utf8PathBuf),
    /// A pattern that does not read.
    #[error("`{pattern}` is no pattern: {reason}; `*`, `**`, `?`, `[a-z]` and `{{a,b}}` are known")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong.
        reason: String,
    },
    /// Nothing to run.
    #[error(
        "no flow found in {0}; flows are `*.yaml` files, but for those whose name, or whose folder's name, begins with `_` or `.`"
    )]
    None(String),
    /// Reading a folder failed.
    #[error("cannot look for flows: {0}")]
    Walk(#[from] walkdir::Error),
}

/// The project's root for a path, both absolute: the nearest folder above with a `runner.yaml`.
pub fn find_root(path: &Utf8Path) -> Option<Utf8PathBuf> {
    path.ancestors()
        .find(|folder| folder.join(PROJECT_FILE).is_file())
        .map(Utf8Path::to_owned)
}

/// Flow files of `paths`, sorted, each once, absolute: files as they are, of folders all flows below, of patterns what
/// they match. Relative paths start at `folder`.
pub fn discover(
    paths: &[Utf8PathBuf],
    folder: &Utf8Path,
) -> Result<Vec<Utf8PathBuf>, DiscoverError> {
    let mut found = BTreeSet::new();
    for path in paths {
        let absolute = folder.join(path);
        if absolute.is_file() {
            found.insert(clean(&absolute));
        } else if absolute.is_dir() {
            walk(&absolute, |_| true, &mut found)?;
        } else if path.as_str().contains(['*', '?', '[', '{']) {
            matching(&absolute, &mut found)?;
        } else {
            return Err(DiscoverError::Missing(path.clone()));
        }
    }
    if found.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
        return Err(DiscoverError::None(names.join(", ")));
    }
    Ok(found.into_iter().collect())
}

/// Walks the longest folder before the pattern's first special character.
fn matching(pattern: &Utf8Path, found: &mut BTreeSet<Utf8PathBuf>) -> Result<(), DiscoverError> {
    let base: Utf8PathBuf = pattern
        .components()
        .take_while(|part| !part.as_str().contains(['*', '?', '[', '{']))
        .collect();
    let text = pattern.as_str().replace('\\', "/");
    let glob = GlobBuilder::new(&text)
        .literal_separator(true)
        .build()
        .map_err(|error| DiscoverError::Pattern {
            pattern: text.clone(),
            reason: error.kind().to_string(),
        })?
        .compile_matcher();
    if !base.is_dir() {
        return Ok(());
    }
    walk(
        &base,
        |path| glob.is_match(path.as_str().replace('\\', "/")),
        found,
    )
}

fn walk(
    folder: &Utf8Path,
    wanted: impl Fn(&Utf8Path) -> bool,
    found: &mut BTreeSet<Utf8PathBuf>,
) -> Result<(), DiscoverError> {
    let entries = WalkDir::new(folder)
        .max_depth(32)
        .into_iter()
        .filter_entry(|entry| {
            // The folder itself was named, whatever its name is.
            entry.depth() == 0
                || entry
                    .file_name()
                    .to_str()
                    .is_some_and(|name| !name.starts_with(['_', '.']))
        });
    for entry in entries {
        let entry = entry?;
        let Some(path) = Utf8Path::from_path(entry.path()) else {
            continue;
        };
        if entry.file_type().is_file() && is_flow(path) && wanted(path) {
            found.insert(clean(path));
        }
    }
    Ok(())
}

/// YAML files, but the project's own and the virtual device's apps.
fn is_flow(path: &Utf8Path) -> bool {
    let yaml = matches!(path.extension(), Some("yaml" | "yml"));
    let other = matches!(
        path.file_name(),
        Some("runner.yaml" | "runner.yml" | "app.yaml" | "app.yml")
    );
    yaml && !other
}

/// Without `.` and, where that needs no look at links, `..`.
fn clean(path: &Utf8Path) -> Utf8PathBuf {
    let mut clean = Utf8PathBuf::new();
    for part in path.components() {
        match part.as_str() {
            "." => {}
            ".." if clean.file_name().is_some() => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::tests::Project;

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

    #[test]
    fn nothing_found_is_an_error_that_says_why() {
        for (path, part) in [
            ("nowhere", "no such file or folder"),
            ("apps", "no flow found"),
            ("x/*.yaml", "no flow found"),
            ("flows/[", "is no pattern"),
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
