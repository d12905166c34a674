//! The tools for agents that write tests: lint, run, look, snapshot, record. Named `runner_…` over MCP; no steps.
//!
//! Each is one type that implements [`AgentTool`] in a file of its own, and one line in [`entries`].

mod desk;
mod prompts;
pub mod record;
mod resources;
mod tool;

pub use desk::Desk;
pub use prompts::{Prompt, PromptArgument, fill, prompts};
pub use resources::{read, resources};
pub use tool::{AgentEntry, AgentTool};

/// All agent tools, in the order in which they are listed.
pub fn entries() -> Vec<AgentEntry> {
    vec![AgentEntry::of::<record::Record>()]
}
