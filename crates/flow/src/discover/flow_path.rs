//! Names that flows have.

use camino::Utf8Path;

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
