//! The tools for agents that write tests: lint, run, look, snapshot, record. Named `runner_…` over MCP; no steps.
//!
//! Each is one type that implements [`AgentTool`] in a file of its own, and one line in [`entries`].

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod accept_snapshot;
mod artifacts;
mod completion;
mod device_call;
mod diff_snapshot;
mod do_steps;
mod documents;
pub mod flow_files;
mod lint_flow;
mod list_flows;
mod list_pending;
pub mod look;
mod picture;
mod prompts;
pub mod record;
mod resources;
mod run_flow;
pub mod runs;
mod save_flow;
mod take_snapshot;
mod tool;
mod watch;
mod workspace;

pub use completion::{complete_prompt, complete_resource};
pub use device_call::{DeviceAnswer, DeviceCall};
pub use prompts::{Prompt, PromptArgument, fill, prompts};
pub use resources::{read, resources};
pub use tool::{AgentEntry, AgentTool};
pub use watch::CallWatch;
pub use workspace::Workspace;

/// All agent tools, in the order in which they are listed.
pub fn entries() -> Vec<AgentEntry> {
    vec![
        AgentEntry::of::<look::Look>(),
        AgentEntry::of::<look::Changes>(),
        AgentEntry::of::<do_steps::Do>(),
        AgentEntry::of::<record::Record>(),
        AgentEntry::of::<list_flows::ListFlows>(),
        AgentEntry::of::<lint_flow::LintFlow>(),
        AgentEntry::of::<save_flow::SaveFlow>(),
        AgentEntry::of::<run_flow::RunFlow>(),
        AgentEntry::of::<take_snapshot::TakeSnapshot>(),
        AgentEntry::of::<list_pending::ListPending>(),
        AgentEntry::of::<diff_snapshot::DiffSnapshot>(),
        AgentEntry::of::<accept_snapshot::AcceptSnapshot>(),
    ]
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod argument_tests;
