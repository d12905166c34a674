//! Runs flows: makes a plan of flows and devices, executes each flow, and sends events.
//!
//! Everything that happens is sent as an [`Event`], to which reports subscribe. This crate knows no report.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod app_versions;
mod artifacts;
mod attempt;
mod baseline;
mod call_stack;
mod changed_flows;
mod choice;
mod connection;
mod context;
mod crash_log;
mod crash_watch;
mod debugger;
pub mod devices;
mod dialogs;
mod emit;
mod evaluate;
mod evidence;
mod fault;
mod filter;
mod final_arguments;
mod front_app;
mod golden_owners;
mod golden_uses;
mod host;
pub mod lease;
mod lending;
mod liveness;
mod maestro;
mod mend;
mod names;
mod pause;
mod plan;
mod progress;
mod project_files;
mod project_steps;
mod quarantine;
mod recorder;
mod rehearsal;
mod reporter;
mod runner;
mod screen_names;
mod secrets;
mod settings;
mod shard;
mod snapshot;
mod soft_failures;
mod sources;
mod stamp;
mod step_result;
#[cfg(test)]
mod test_project;
mod tool_call;
mod trace;
mod typed_secrets;
pub mod watch;
mod workspaces;

pub use artifacts::{ArtifactsError, PROPOSED_GOLDENS, claim_artifacts, is_emptied};
pub use changed_flows::{Addition, ChangedFiles, ChangedReport, RunAllReason, relative_to};
pub use choice::{Choice, LastFailedFilter};
pub use connection::{Connection, DeviceLine, ExclusiveAccess, OpenConnection, SharedAccess};
pub use debugger::{
    DebugChoice, Debugger, DebuggerFuture, Decision, NamedValue, Pause, ResumeError, StepPlace,
    resumable, same_before, step_at,
};
pub use filter::Filter;
pub use golden_owners::find_shared_golden;
pub use golden_uses::{
    GoldenPlace, GoldenUses, GoldenUsesError, UnreadableFlow, golden_flow_files, golden_uses,
};
pub use maestro::MaestroLint;
pub use plan::{Plan, PlanError, PlannedCase};
pub use quarantine::{QuarantineCount, today};
pub use rehearsal::{
    EditError, EditResult, Finding, FindingKind, RehearsalResult, judge_edit, rehearse,
};
pub use runner::{run, run_on};
pub use settings::{Options, golden_folder};
pub use shard::{ShardError, ShardNumber};
pub use trace::{TraceWatch, packed_screen};
