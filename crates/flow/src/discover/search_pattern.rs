//! Splits a pattern of paths into the folder to search and the pattern of the files in it.

use camino::{Utf8Path, Utf8PathBuf};

/// Characters with a meaning in patterns.
const SIGNS: [char; 4] = ['*', '?', '[', '{'];

/// Pattern of paths, and the folder to search for its matches.
pub(super) struct SearchPattern {
    /// Folder before the first part that is a pattern. It need not exist.
    pub(super) base: Utf8PathBuf,
    /// Whole pattern with `/`. Signs in the names of `base` are escaped.
    pub(super) text: String,
}

impl SearchPattern {
    /// Reads an absolute path as a pattern; `None` if no part of it is one. A part with a sign is none where a folder
    /// has just this name, as in a project that lies in `app [1]`. Parts `.` and doubled `/` do not count. With a `/`
    /// at its end a pattern matches no file.
    pub(super) fn new(path: &Utf8Path) -> Option<Self> {
        let written = path.as_str().replace('\\', "/");
        let mut base = Utf8PathBuf::new();
        let mut rest = Utf8PathBuf::new();
        for part in Utf8Path::new(&written).components() {
            let is_pattern = part.as_str().contains(SIGNS) && !base.join(part).is_dir();
            if rest.as_str().is_empty() && !is_pattern {
                base.push(part);
            } else {
                rest.push(part);
            }
        }
        if rest.as_str().is_empty() {
            return None;
        }
        let text = Utf8PathBuf::from(globset::escape(base.as_str())).join(rest);
        let mut text = text.as_str().replace('\\', "/");
        if written.ends_with('/') {
            text.push('/');
        }
        Some(Self { base, text })
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8PathBuf;

    use crate::discover::discover;
    use crate::tests::Project;

    #[test]
    fn a_pattern_finds_the_same_however_it_and_its_project_are_written() {
        for name in ["app", "app [1]", "{app}", "[a]{b}"] {
            let project = Project::new();
            for file in ["runner.yaml", "flows/a.yaml", "flows/deep/b.yaml"] {
                project.file(&format!("{name}/{file}"), "");
            }
            let root = project.root().join(name);
            let found = |path: Utf8PathBuf| {
                let files = discover(&[path], &root).map_err(|wrong| wrong.to_string())?;
                let shown = |file: Utf8PathBuf| {
                    let below = file.strip_prefix(&root).unwrap();
                    below.as_str().replace('\\', "/")
                };
                Ok::<_, String>(files.into_iter().map(shown).collect::<Vec<_>>())
            };
            for pattern in [
                "flows/*.yaml",
                "./flows/*.yaml",
                "flows//*.yaml",
                "flows/./*.yaml",
                "flows/[a-c].{yaml,yml}",
                "./*/a.yaml",
            ] {
                for path in [Utf8PathBuf::from(pattern), root.join(pattern)] {
                    let files = found(path.clone());
                    assert_eq!(files, Ok(vec!["flows/a.yaml".to_owned()]), "{path}");
                }
            }
            let all = found(root.join("./**/*.yaml")).unwrap();
            assert_eq!(all, ["flows/a.yaml", "flows/deep/b.yaml"], "{name}");
            let misspelt = found(root.join("flows/aa.yaml")).unwrap_err();
            assert!(
                misspelt.contains("did you mean `flows/a.yaml`?"),
                "{misspelt}"
            );
            assert!(found(root.join("flows/*/")).is_err(), "{name}");
        }
    }
}
