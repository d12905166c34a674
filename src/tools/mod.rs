//! The catalogue: every step and tool that acts on a device, each one type in one file.
//!
//! [`registry`] names each once. The flow parser, the JSON Schema, the docs and (later) every MCP server read it there.
//! Adding a tool: a type that implements [`Tool`] in a file of its own, and one line in the registry.

pub mod android;
mod docs;
mod effect;
mod element;
pub mod everyday;
pub mod mobile_agent;
mod outcome;
pub(crate) mod paths;
mod progress;
pub mod registry;
mod resource;
pub mod scenario;
pub mod semantic;
mod tool;

#[cfg(test)]
mod tests;

pub use docs::docs;
pub use effect::Effect;
pub use everyday::expect_element;
pub use outcome::{Failure, FailureKind, Outcome, Verdict};
pub use progress::Progress;
pub use registry::{Catalogue, Entry};
pub use resource::{Contents, Reading, Resource};
pub use tool::{Call, Tool, Writing};
