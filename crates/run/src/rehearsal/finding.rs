//! Findings of a rehearsal.

use std::sync::Arc;

use runner_event::SourceLocation;
use runner_text::diagnostic::Source;

/// Finding of a rehearsal about one step.
#[derive(Debug, Clone)]
pub struct Finding {
    pub kind: FindingKind,
    /// File of the step.
    pub source: Arc<Source>,
    /// Byte range of the step.
    pub span: std::ops::Range<usize>,
    /// Message of one line.
    pub message: String,
    /// Near misses, and what to do.
    pub details: Vec<String>,
}

/// Kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// The step fails on every recorded screen from the place of the step that it replaces on.
    Breaks,
    /// Its selector matches several elements there.
    Several,
    /// The step touches another element than the recorded step.
    OtherElement,
    /// The step is new, and no recorded screen has what it needs.
    NotRecorded,
    /// The recording cannot answer it.
    NotChecked,
}

/// Result of a rehearsal.
#[derive(Debug, Default)]
pub struct RehearsalResult {
    /// Findings, in the order of the steps.
    pub findings: Vec<Finding>,
    /// Number of steps that the recording has unchanged.
    pub unchanged: usize,
    /// Number of steps that ran on recorded screens.
    pub judged: usize,
}

impl Finding {
    /// Returns the place of the step.
    pub fn place(&self) -> SourceLocation {
        SourceLocation::from_offset(&self.source, self.span.start)
    }
}
