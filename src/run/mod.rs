//! Running flows: the plan of flows × devices, one flow's execution, and the event stream.
//!
//! Everything that happens is told as an [`Event`]; reports subscribe. Nothing here knows a report.

mod event;

pub use event::{
    Artifact, ArtifactKind, Event, EventKind, FlowId, FlowStatus, Recorded, SCHEMA, SnapshotResult,
    StepStatus, StopReason, Totals,
};
