//! What screens alone tell of a tool's call, as they do in a rehearsal.

use super::StepSyntax;

/// What screens alone tell of a tool's call: those of an earlier run, or that of a golden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rehearsal {
    /// Nothing, as it needs more of a device than looks and inputs.
    Nowhere,
    /// All that it needs, on the screen that is there.
    Here,
    /// All that it needs, though its element may come only later, by time or by a scroll.
    Later,
}

impl Rehearsal {
    /// Returns what screens tell of a tool that does not state it: all if it is written with an element, else nothing.
    pub const fn from_writing(writing: StepSyntax) -> Self {
        match writing {
            StepSyntax::Element => Self::Here,
            StepSyntax::Map | StepSyntax::Scalar(_) | StepSyntax::Sequence(_) => Self::Nowhere,
        }
    }
}
