//! Writes the flow of a whole session to a file, whenever its text changes.

use camino::{Utf8Path, Utf8PathBuf};

use runner_base::files::write_atomic;
use runner_base::output_file::RECORDING_HEAD;

/// File that is created with the first text.
#[derive(Debug)]
pub(super) struct RecordFile {
    path: Utf8PathBuf,
    written: String,
    problem: Option<String>,
}

impl RecordFile {
    /// Creates the file's state. Nothing is written.
    pub(super) fn new(path: Utf8PathBuf) -> Self {
        Self {
            path,
            written: String::new(),
            problem: None,
        }
    }

    pub(super) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Returns the error of the last write, if it failed.
    pub(super) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Writes the text behind the head of recordings, if it changed since the last write that succeeded. An
    /// error is kept as `problem`, and the write repeated with the next call.
    pub(super) fn write(&mut self, text: &str) {
        // Most calls only look, and leave the flow as it is.
        if text == self.written {
            return;
        }
        let marked = format!("{RECORDING_HEAD}{text}");
        match write_atomic(&self.path, marked.as_bytes()) {
            Ok(()) => {
                text.clone_into(&mut self.written);
                self.problem = None;
            }
            Err(error) => {
                self.problem = Some(format!("{} cannot be written: {error}", self.path));
            }
        }
    }
}
