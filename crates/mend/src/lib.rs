#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod edit;
mod evidence;
mod group;
mod identity;
mod patch;
mod pending;
mod project;
#[cfg(test)]
mod tests;

pub use edit::{EditError, EditFault, FileEdit};
pub use evidence::{ENDING, Evidence, EvidenceError, GreenRun, Look, MAX_PACKED, MAX_TOTAL};
pub use group::{Group, GroupedStep, StepKind, edit_together, groups};
pub use identity::NoChange;
pub use patch::{NoPatchReason, Patch, patch};
pub use pending::{PendingFolder, rejection};
pub use project::{FlowSelectors, Project};
