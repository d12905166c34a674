//! Finds YAML files in folders, and tells Maestro's flows from settings and from flows of our own.

use std::collections::HashMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use super::error::WorkspaceError;
use super::settings::is_settings;
use crate::discover::{MAX_ENTRIES, is_flow};
use crate::files;
use crate::maestro::reader::is_header;
use crate::yaml;
use runner_text::diagnostic::Source;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Flow,
    /// A file with only keys of a `config.yaml`.
    Settings,
    Other,
}

/// Cache of the kinds of files.
#[derive(Debug, Default)]
pub(super) struct FileKinds(HashMap<Utf8PathBuf, FileKind>);

impl FileKinds {
    /// Returns the kind of a file, which is read once and then remembered. A file that cannot be read and a flow of our
    /// own are [`FileKind::Other`].
    pub(super) fn kind(&mut self, path: &Utf8Path) -> FileKind {
        if let Some(known) = self.0.get(path) {
            return *known;
        }
        let kind = match files::load(path, path) {
            Ok(source) if has_maestro_header(&source) => FileKind::Flow,
            Ok(source) if is_settings(&source) => FileKind::Settings,
            _ => FileKind::Other,
        };
        self.0.insert(path.to_owned(), kind);
        kind
    }
}

/// Iterates over the YAML files in a folder down to `depth` levels, sorted by name in each folder, without
/// `config.yaml` and `config.yml` of any folder. An entry that cannot be read, and each after [`MAX_ENTRIES`], is an
/// error; it goes on behind errors. Paths that are not UTF-8 are skipped. Links to folders are not followed.
pub(super) fn walk(
    folder: &Utf8Path,
    depth: usize,
) -> impl Iterator<Item = Result<Utf8PathBuf, WorkspaceError>> {
    let walk = WalkDir::new(folder).max_depth(depth).sort_by_file_name();
    let folder = folder.to_owned();
    walk.into_iter()
        .enumerate()
        .filter_map(move |(number, entry)| {
            let entry = match entry {
                _ if number >= MAX_ENTRIES => {
                    return Some(Err(WorkspaceError::TooMany(folder.clone())));
                }
                Err(error) => return Some(Err(WorkspaceError::Folder(error.into()))),
                Ok(entry) => entry,
            };
            let path = Utf8Path::from_path(entry.path())?;
            let is_yaml = matches!(path.extension(), Some("yaml" | "yml"));
            let is_wanted = is_yaml && path.file_stem() != Some("config") && path.is_file();
            is_wanted.then(|| Ok(path.to_owned()))
        })
}

/// Returns all YAML files down to `depth` levels except `config.yaml`, sorted. The first error of [`walk`] ends it.
pub(super) fn yaml_files(
    folder: &Utf8Path,
    depth: usize,
) -> Result<Vec<Utf8PathBuf>, WorkspaceError> {
    walk(folder, depth).collect()
}

/// Returns the `config.yaml` of a folder, or else its `config.yml`; `None` if neither is a file.
pub(super) fn own_config(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let own = ["config.yaml", "config.yml"].map(|name| folder.join(name));
    own.into_iter().find(|path| path.is_file())
}

/// Returns true if a folder has a workspace's `config.yaml`, or if it has flows and all of them are Maestro
/// flows.
pub(super) fn is_workspace(
    folder: &Utf8Path,
    config: Option<&Utf8Path>,
    kinds: &mut FileKinds,
) -> bool {
    config.is_some_and(is_config) || holds_only_maestro(folder, kinds)
}

/// Returns true if there are YAML files at any depth below a folder and all of them are Maestro flows; settings files
/// and `config.yaml` do not count. Stops at the first other file. A folder that cannot be read or is too large is
/// false.
fn holds_only_maestro(folder: &Utf8Path, kinds: &mut FileKinds) -> bool {
    let mut some = false;
    for path in walk(folder, usize::MAX) {
        // A folder that is too large or unreadable is reported elsewhere.
        let Ok(path) = path else { return false };
        match kinds.kind(&path) {
            FileKind::Flow => some = true,
            FileKind::Settings => {}
            FileKind::Other => return false,
        }
    }
    some
}

/// Returns true if there are flows of our own at any depth below a folder, none of Maestro's, and if `config`, the
/// folder's `config.yaml`, is none of a workspace. A folder that cannot be read or is too large is false.
pub(super) fn holds_only_own(
    folder: &Utf8Path,
    config: Option<&Utf8Path>,
    kinds: &mut FileKinds,
) -> bool {
    if config.is_some_and(is_config) {
        return false;
    }
    let mut some = false;
    for path in walk(folder, usize::MAX) {
        let Ok(path) = path else { return false };
        match kinds.kind(&path) {
            FileKind::Flow => return false,
            FileKind::Other => some |= is_flow(&path),
            FileKind::Settings => {}
        }
    }
    some
}

/// Returns true if a file has the header of a Maestro flow and a line `---` behind it. Its commands may have errors.
/// False if it cannot be read.
pub fn is_maestro_file(path: &Utf8Path) -> bool {
    files::load(path, path).is_ok_and(|source| has_maestro_header(&source))
}

/// Returns true if the first document is the header of a Maestro flow, perhaps an invalid one, and a line `---`
/// follows it. A header without that line is false. Comments, and a line `---`, may stand before the header.
fn has_maestro_header(source: &Source) -> bool {
    let begin = first_document(source.text.trim_start_matches('\u{feff}'));
    let Some((header, _)) = begin.split_once("\n---") else {
        return false;
    };
    let header = Arc::new(Source {
        path: source.path.clone(),
        text: header.to_owned(),
    });
    match yaml::read(&header, &mut Vec::new()) {
        Some(header) => is_header(&header),
        // An invalid header with `appId` counts as one of Maestro, so that its error is reported.
        None => header.text.lines().any(|line| line.starts_with("appId")),
    }
}

/// Returns the text behind the line `---` that begins the first document, or all of it if something else than
/// comments comes before such a line.
fn first_document(text: &str) -> &str {
    let mut rest = text;
    loop {
        if let Some(document) = rest.strip_prefix("---") {
            return document;
        }
        let Some((line, after)) = rest.split_once('\n') else {
            return text;
        };
        let line = line.trim_start();
        if !line.is_empty() && !line.starts_with(['#', '%']) {
            return text;
        }
        rest = after;
    }
}

/// Returns true if a `config.yaml` belongs to a workspace, and is not a flow of the own language, which has `steps:`
/// in the first column. Its keys are not checked. A file that cannot be read is true, so that its error is reported.
fn is_config(path: &Utf8Path) -> bool {
    let Ok(source) = files::load(path, path) else {
        return true;
    };
    !source.text.lines().any(|line| line.starts_with("steps:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_found_behind_comments() {
        for (text, is_header) in [
            ("appId: a\n---\n- back\n", true),
            ("---\nappId: a\n---\n- back\n", true),
            (
                "\u{feff}# by us\r\n\r\n---\r\nappId: a\r\n---\r\n- back\r\n",
                true,
            ),
            (
                "# by us\n  # and others\n--- # header\nappId: a\n---\n- back\n",
                true,
            ),
            ("%YAML 1.2\n---\nappId: a\n---\n- back\n", true),
            ("# by us\nappId: a\n---\n- back\n", true),
            ("# by us\n---\nappId: a\n", false),
            ("# by us\n---\n", false),
            ("# by us", false),
            ("app: a\n---\nappId: a\n---\n- back\n", false),
            ("", false),
        ] {
            let source = Source {
                path: "a.yaml".into(),
                text: text.to_owned(),
            };
            assert_eq!(has_maestro_header(&source), is_header, "{text:?}");
        }
    }
}
