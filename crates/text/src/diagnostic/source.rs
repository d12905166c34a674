//! Text file that diagnostics point into.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

/// Text file with its path, shared by every diagnostic that points into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Path as it is shown: relative to the root where possible, `/` as separator.
    pub path: Utf8PathBuf,
    pub text: String,
}

impl Source {
    /// Returns a source without text, for a file that is secret or could not be read.
    pub fn unread(path: &Utf8Path) -> Arc<Self> {
        Arc::new(Self {
            path: path.to_owned(),
            text: String::new(),
        })
    }
}

/// Converts a byte offset to a line and a column, both from 1. The column counts characters. An offset beyond the
/// end counts as the end, one inside of a character as its start.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}
