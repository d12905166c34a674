//! Folder of the studio below `.runner/`, for what need not stay in memory. It is removed when the studio
//! ends; folders of killed studios are removed at the next start.

use camino::Utf8Path;
use runner_text::temporary_folder::TemporaryFolder;

/// Path relative to the project's root.
const FOLDERS: &str = ".runner/studio";

/// Folder of this studio, removed when it is dropped.
#[derive(Debug)]
pub(super) struct StudioFolder(TemporaryFolder);

impl StudioFolder {
    /// Creates the folder, and removes those of programs that no longer run.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(super) fn open(root: &Utf8Path) -> std::io::Result<Self> {
        TemporaryFolder::below(&root.join(FOLDERS)).map(Self)
    }

    /// Returns the absolute path.
    pub(super) fn path(&self) -> &Utf8Path {
        self.0.path()
    }
}
