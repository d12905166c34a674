//! One diagnostic and its one renderer, for every text the program reads: flows, `runner.yaml`, `app.yaml`.
//!
//! Owns how an error in a file looks to a person. It knows nothing of flows.

use std::ops::Range;
use std::sync::Arc;

use camino::Utf8PathBuf;

/// A text file with its path, shared by every diagnostic that points into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Path as it is shown: relative to the root where possible, `/` as separator.
    pub path: Utf8PathBuf,
    /// The whole text.
    pub text: String,
}

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a look; does not stop anything.
    Warning,
    /// The file cannot be used.
    Error,
}

/// A second place that explains the first, such as the earlier of two equal keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Byte range in the same source.
    pub span: Range<usize>,
    /// What is to be seen there.
    pub text: String,
}

/// One thing wrong in one file: where, what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable kebab-case name of the kind, such as `unknown-step`.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// The file.
    pub source: Arc<Source>,
    /// Byte range of the main mark.
    pub span: Range<usize>,
    /// Further marks.
    pub labels: Vec<Label>,
    /// What was meant, or what to do next.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Line and column of the main mark, both from 1; the column counts characters.
    pub fn line_column(&self) -> (usize, usize) {
        line_column(&self.source.text, self.span.start)
    }
}

/// Line and column (from 1, in characters) of a byte offset.
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
