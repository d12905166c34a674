//! Events of a run: their format, identities and totals, and the masking of secrets in them.
//!
//! A run sends events and a report reads them; neither knows the other.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod artifact;
mod event;
mod identity;
pub mod scrub;
mod shorten;
mod summary;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod trace;

pub use artifact::{Artifact, ArtifactKind};
pub use event::{
    ChangedSince, Event, EventKind, FlowStatus, Host, LogLevel, QuarantineNote, RunFailure,
    RunFailureKind, SCHEMA, Shard, SnapshotResult, SnapshotVerdict, SourceLocation, StepStatus,
    StopReason, Totals,
};
pub use identity::{CaseId, FlowId, ResultKey, ResultKeys};
pub use runner_history::ScreenNames;
pub use shorten::{shorten, shorten_value};
pub use summary::Summary;
pub use trace::{Trace, TraceAct, TraceFrame, VideoPiece};
