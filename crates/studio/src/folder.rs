//! The studio's folder below `.runner/`: what need not stay in memory. It goes when the studio ends; what a killed one left
//! goes at the next start.

use camino::Utf8Path;
use runner_text::temporary_folder::TemporaryFolder;

/// Below the project's root.
const FOLDERS: &str = ".runner/studio";

/// The folder of this studio. Dropping it removes it.
#[derive(Debug)]
pub(super) struct StudioFolder(TemporaryFolder);

impl StudioFolder {
    /// Makes it, and removes those whose programs are gone.
    ///
    /// # Errors
    /// The file system's.
    pub(super) fn open(root: &Utf8Path) -> std::io::Result<Self> {
        TemporaryFolder::below(&root.join(FOLDERS)).map(Self)
    }

    /// Where it is, absolute.
    pub(super) fn path(&self) -> &Utf8Path {
        self.0.path()
    }
}
