//! Root of a project: the folder of its settings file.

use camino::{Utf8Path, Utf8PathBuf};

/// Name of the project's settings file.
const PROJECT_FILE: &str = "runner.yaml";

/// Returns the project's root for an absolute path: the nearest folder at or above it with an entry
/// `runner.yaml` of any kind. The reader of that file reports a dangling link or a FIFO.
pub fn find_root(path: &Utf8Path) -> Option<Utf8PathBuf> {
    path.ancestors()
        .find(|folder| is_there(&folder.join(PROJECT_FILE)))
        .map(Utf8Path::to_owned)
}

/// Returns the settings file with a wrong name, such as `runner.yml`, which would be ignored; `None` if there is none.
/// Searches `path`, a folder, and those above it, up to the first with a wrong name or a `runner.yaml`. Of several in
/// one folder it returns the first in order of the alphabet. Folders that cannot be read are passed over.
pub fn find_misnamed(path: &Utf8Path) -> Option<Utf8PathBuf> {
    for folder in path.ancestors() {
        let has_settings = is_there(&folder.join(PROJECT_FILE));
        let has_flows = is_there(&folder.join("flows"));
        let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
        let misnamed = entries
            .map(|entry| entry.file_name().to_owned())
            // On a file system that ignores case, the right name finds the file too.
            .filter(|name| !(has_settings && name.eq_ignore_ascii_case(PROJECT_FILE)))
            .filter(|name| is_mistaken(name, has_flows))
            .min();
        if misnamed.is_some() || has_settings {
            return misnamed.map(|name| folder.join(name));
        }
    }
    None
}

/// Returns true for a name that people mistake for [`PROJECT_FILE`]: in another case, with a leading dot, or
/// `runner.yml`. Other programs use `runner.json` and `runner.toml` too, so these count only in a folder with
/// flows.
fn is_mistaken(name: &str, has_flows: bool) -> bool {
    let lower = name.to_ascii_lowercase();
    match lower.strip_prefix('.').unwrap_or(&lower) {
        "runner.yaml" | "runner.yml" => name != PROJECT_FILE,
        "runner.json" | "runner.toml" => has_flows,
        _ => false,
    }
}

fn is_there(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok()
}
