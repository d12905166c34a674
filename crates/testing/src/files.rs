//! Files of the project and beside it.

use std::path::{Path, PathBuf};

use super::missing::untested;

/// Returns the folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the path of a recording, such as `commands/x.txt`, or of a folder of them; `None` if it is
/// missing.
pub fn recording(below: &str) -> Option<PathBuf> {
    shared(&format!("corpus/{below}"))
}

/// Reads a text file beside the project, such as `reference/x.md`; `None` if it is missing.
pub fn shared_text(below: &str) -> Option<String> {
    shared(below).and_then(|path| std::fs::read_to_string(path).ok())
}

fn shared(below: &str) -> Option<PathBuf> {
    let path = root().join("../shared").join(below);
    if path.exists() {
        return Some(path);
    }
    untested(&format!("the file {}", path.display()));
    None
}

/// Reads a recording as text; `None` if it is missing.
pub fn recorded_text(below: &str) -> Option<String> {
    recording(below).and_then(|path| std::fs::read_to_string(path).ok())
}
