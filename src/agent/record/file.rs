//! The file of a whole session, written anew whenever its text changes.

use camino::Utf8PathBuf;

use crate::files::write_atomic;

/// A file that is only touched once there is something to write.
#[derive(Debug)]
pub(super) struct RecordFile {
    path: Utf8PathBuf,
    written: String,
}

impl RecordFile {
    pub(super) fn new(path: Utf8PathBuf) -> Self {
        Self {
            path,
            written: String::new(),
        }
    }

    /// Writes the text. A write that fails is tried again with the next text.
    pub(super) fn write(&mut self, text: &str) {
        if text != self.written && write_atomic(&self.path, text.as_bytes()).is_ok() {
            text.clone_into(&mut self.written);
        }
    }
}
