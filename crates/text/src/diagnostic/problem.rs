//! One problem in a file, as a value.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::code::{Code, Severity};
use super::source::{Source, line_column};

/// Secondary mark that explains the main one, such as the earlier of two equal keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Byte range in the same source.
    pub span: Range<usize>,
    /// Short text at the mark, such as "first written here".
    pub text: String,
}

/// One problem in one file, with its place and advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Kind of problem, such as `unknown-step`.
    pub code: Code,
    pub severity: Severity,
    /// Statement of the problem in one line.
    pub message: String,
    pub source: Arc<Source>,
    /// Byte range of the main mark.
    pub span: Range<usize>,
    pub labels: Vec<Label>,
    /// Advice: the name that was probably meant, or what to do next.
    pub help: Option<String>,
}

/// Hashes path, span and message only. Hashing the file's text for each diagnostic would be slow.
impl Hash for Diagnostic {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.source.path, &self.span, &self.message).hash(state);
    }
}

impl Diagnostic {
    /// Returns line and column of the main mark, both from 1. The column counts characters.
    pub fn line_column(&self) -> (usize, usize) {
        line_column(&self.source.text, self.span.start)
    }
}
