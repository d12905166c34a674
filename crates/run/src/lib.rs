//! Running flows: the plan of flows × devices, one flow's execution, and the event stream.
//!
//! Everything that happens is told as an [`Event`]; reports subscribe. Nothing here knows a report.

mod app_versions;
mod around;
mod artifacts;
mod attempt;
mod baseline;
mod call_stack;
mod choice;
mod connection;
mod context;
mod control;
mod crash_watch;
mod debugger;
pub mod devices;
mod dialogs;
mod emit;
mod evaluate;
mod event;
mod evidence;
mod fault;
mod golden_uses;
mod host;
mod identity;
mod lease;
mod lending;
mod liveness;
mod maestro;
mod names;
mod pause;
mod plan;
mod runner;
pub mod scrub;
mod secrets;
mod settings;
mod shard;
mod shorten;
mod snapshot;
mod soft_failures;
mod sources;
mod stamp;
mod step;
mod step_result;
mod summary;
mod teardown;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod trace;
pub mod watch;
mod workspaces;

pub use artifacts::PROPOSED_GOLDENS;
pub use choice::{Choice, WantedFailures};
pub use connection::{Connection, DeviceLine, ExclusiveAccess, OpenConnection, SharedAccess};
pub use debugger::{
    DebugChoice, Debugger, DebuggerFuture, Decision, NamedValue, Pause, ResumeError, StepPlace,
    resumable, same_before, step_at,
};
pub use event::{
    Artifact, ArtifactKind, Event, EventKind, FlowStatus, Host, LogLevel, SCHEMA, SnapshotResult,
    SnapshotVerdict, SourceLocation, StepStatus, StopReason, Totals,
};
pub use golden_uses::{GoldenPlace, GoldenUses, GoldenUsesError, UnreadableFlow, golden_uses};
pub use identity::{CaseId, FlowId, ResultKey, ResultKeys};
pub use maestro::MaestroLint;
pub use plan::{Filter, Plan, PlanError, PlannedCase};
pub use runner::{run, run_on};
pub use settings::{Options, golden_folder};
pub use shard::{Shard, ShardError, ShardNumber};
pub use summary::Summary;
pub use trace::{Trace, TraceAct, TraceFrame, TraceWatch, VideoPiece, packed_screen};
