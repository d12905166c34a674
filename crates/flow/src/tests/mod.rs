//! Tests with valid, broken and hostile flows.

mod blocks;
mod broken;
mod editor;
pub(crate) mod fixture;
mod good;
mod hostile;
mod kinds;
mod mistakes;
mod nulls;
mod numbers;
mod refusals;
mod roles;
mod written_values;

use camino::{Utf8Path, Utf8PathBuf};

use super::ast::Flow;
use super::reader::{ReadOptions, read_with};
use runner_text::diagnostic::Diagnostic;

/// Project in a temporary folder.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn root(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().to_owned()
    }

    pub(crate) fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
        self
    }

    pub(crate) fn read(&self, path: &str) -> (Option<Flow>, Vec<Diagnostic>) {
        let options = ReadOptions {
            secrets: Vec::new(),
            hidden: runner_text::secret::Scrubber::default(),
            root: self.root(),
            env: ["BASE_URL".to_owned()].into(),
            allow_shell: true,
            matrix: None,
        };
        read_with(Utf8Path::new(path), &options, fixture::vocabulary())
    }
}

/// Reads a text as `flow.yaml`.
pub(crate) fn read(text: &str) -> (Option<Flow>, Vec<Diagnostic>) {
    Project::new().file("flow.yaml", text).read("flow.yaml")
}
