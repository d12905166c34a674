//! The file of a whole session, written anew whenever its text changes.

use camino::{Utf8Path, Utf8PathBuf};

use runner_base::files::write_atomic;
use runner_base::output_file::RECORDING_HEAD;

/// A file that is only touched once there is something to write.
#[derive(Debug)]
pub(super) struct RecordFile {
    path: Utf8PathBuf,
    written: String,
    problem: Option<String>,
}

impl RecordFile {
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

    /// Why the last text could not be written.
    pub(super) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Writes the text. A write that fails is tried again with the next call.
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
