//! The tools for agents that write tests: look, record, lint, run, snapshot. They are named `runner_…` over
//! MCP and are no steps of flows.
//!
//! Each is a type that implements [`AgentTool`] in a file of its own, and a line in [`entries`].

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
mod links;
mod lint_flow;
mod list_flows;
mod list_pending;
pub mod look;
mod picture;
mod prompts;
pub mod record;
mod remains;
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
pub use workspace::{Workspace, add_secret_variables};

/// Returns all agent tools, in the order in which they are listed.
pub fn entries() -> Vec<AgentEntry> {
    vec![
        AgentEntry::new::<look::Look>(),
        AgentEntry::new::<look::Changes>(),
        AgentEntry::new::<do_steps::Do>(),
        AgentEntry::new::<record::Record>(),
        AgentEntry::new::<list_flows::ListFlows>(),
        AgentEntry::new::<lint_flow::LintFlow>(),
        AgentEntry::new::<save_flow::SaveFlow>(),
        AgentEntry::new::<run_flow::RunFlow>(),
        AgentEntry::new::<take_snapshot::TakeSnapshot>(),
        AgentEntry::new::<list_pending::ListPending>(),
        AgentEntry::new::<diff_snapshot::DiffSnapshot>(),
        AgentEntry::new::<accept_snapshot::AcceptSnapshot>(),
    ]
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod argument_tests;
