//! Formats paths and places in files relative to the person's folder.

use camino::{Utf8Path, Utf8PathBuf};

use super::results::{Results, find_artifact};
use runner_event::{Artifact, SourceLocation};
use runner_text::harmless;

/// Folders of a run, to show paths relative to the person's folder.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Absolute root of the project.
    pub root: Utf8PathBuf,
    /// Absolute artifact folder.
    pub artifacts: Utf8PathBuf,
    /// Folders in which artifacts of a saved stream are searched.
    pub folders: Vec<Utf8PathBuf>,
    /// Absolute folder that paths are shown relative to.
    pub base: Utf8PathBuf,
}

impl Places {
    /// Copies the folders of a run and of a saved stream. Paths are shown relative to `base`, or to the run's root
    /// without it; paths outside stay absolute. Before the run has started, paths stay as they are, even with `base`.
    pub fn new(results: &Results, base: Option<&Utf8Path>) -> Self {
        let Some(run) = &results.run else {
            return Self::default();
        };
        Self {
            root: run.root.clone(),
            artifacts: run.artifacts.clone(),
            folders: results.folders.clone(),
            base: base.unwrap_or(&run.root).to_owned(),
        }
    }

    /// Returns the path of a file in the project to show.
    pub fn source(&self, path: &Utf8Path) -> String {
        self.display(&self.root, path)
    }

    /// Returns the path of an artifact to show: the file that was found in the folders of a saved stream,
    /// else where the run wrote it.
    pub fn artifact(&self, artifact: &Artifact) -> String {
        let path = find_artifact(&self.folders, artifact);
        self.display(&self.artifacts, path.as_deref().unwrap_or(&artifact.path))
    }

    fn display(&self, folder: &Utf8Path, path: &Utf8Path) -> String {
        let whole = folder.join(path);
        let displayed = whole.strip_prefix(&self.base).unwrap_or(&whole);
        harmless::line(displayed.as_str()).into_owned()
    }
}

/// Formats a place as `file:line:column`.
pub(super) fn position(at: &SourceLocation, places: &Places) -> String {
    format!("{}:{}:{}", places.source(&at.file), at.line, at.column)
}
