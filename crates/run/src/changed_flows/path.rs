//! Converts paths of a repository to paths of a project, whose root may be a folder in it.

use camino::{Utf8Path, Utf8PathBuf};

/// Returns `file` relative to the folder `root`, with `/` as separator everywhere. Both are relative to the
/// same folder. A result outside the root begins with `../`; if both are equal it is empty. `.` and `..` in
/// the paths are not resolved.
pub fn relative_to(root: &Utf8Path, file: &Utf8Path) -> Utf8PathBuf {
    let shared = root
        .components()
        .zip(file.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = root.components().skip(shared).map(|_| "..");
    let down = file.components().skip(shared).map(|part| part.as_str());
    // Joined by hand: git's separator is `/` everywhere.
    let parts: Vec<&str> = up.chain(down).collect();
    Utf8PathBuf::from(parts.join("/"))
}
