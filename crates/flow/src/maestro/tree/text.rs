//! Texts of Maestro commands, and lists of names with them.

use std::ops::Range;
use std::sync::Arc;

use runner_text::diagnostic::{self, Source};

/// Text that may contain `${}`, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawText {
    /// Text after resolving YAML's quotes and folding.
    pub text: String,
    pub source: Arc<Source>,
    /// Range of bytes in the file.
    pub span: Range<usize>,
}

impl RawText {
    /// Returns line and column, both from 1.
    pub fn line_column(&self) -> (usize, usize) {
        diagnostic::line_column(&self.source.text, self.span.start)
    }

    /// Returns true if the text may contain JavaScript.
    pub fn has_script(&self) -> bool {
        self.text.contains("${")
    }
}

/// Names with texts, in the order of the file.
pub type EnvEntries = Vec<(String, RawText)>;
