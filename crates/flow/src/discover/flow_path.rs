//! Path of a flow: the names that flows have, and its text without dots.

use camino::{Utf8Path, Utf8PathBuf};

/// Returns true for names with the extension `yaml` or `yml`, in any case, except `runner` (the project's settings)
/// and `app` (an app of the virtual device). Names that begin with `_` or `.` count too. Does not look at the file.
pub fn is_flow(path: &Utf8Path) -> bool {
    let yaml = path.extension().is_some_and(|extension| {
        extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml")
    });
    let other = matches!(
        path.file_name(),
        Some("runner.yaml" | "runner.yml" | "app.yaml" | "app.yml")
    );
    yaml && !other
}

/// Removes `.` and resolves `..` in the text of the path, without the file system. A `..` at the start of a
/// path stays.
pub(super) fn clean(path: &Utf8Path) -> Utf8PathBuf {
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
