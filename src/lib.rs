//! `runner`: declarative test flows for Android over adb, with golden snapshots.
//!
//! The program is this crate, on top of those in `crates/`; `main.rs` and `cli` are its face, the modules below its parts. Data flows one way:
//! text → [`flow`] (parsed, checked) → [`run`] (executed) → events → [`report`].
//! See `docs/architecture.md` for who may use whom.

#[cfg(any(feature = "mcp", feature = "review", feature = "studio"))]
pub mod access;
pub mod agent;
pub mod cli;
#[cfg(any(feature = "mcp", feature = "review", feature = "studio"))]
pub(crate) mod http;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(any(feature = "review", feature = "studio"))]
pub mod pages;
pub mod report;
#[cfg(feature = "review")]
pub mod review;
#[cfg(feature = "studio")]
pub mod studio;
pub mod web;

// The crates below this one, under the names that its modules use.
pub use runner_adb::wire;
pub use runner_base::{archive, context, exit_code, files, interrupt, log};
pub use runner_config as config;
pub use runner_device as device;
pub use runner_engine as engine;
pub use runner_flow as flow;
pub use runner_history as history;
pub use runner_run as run;
pub use runner_screen as screen;
pub use runner_script as script;
pub use runner_snapshot as snapshot;
#[cfg(test)]
use runner_testing as testing;
pub use runner_text::{diagnostic, secret, units};
use runner_text::{flow_text, harmless};
pub use runner_tools as tools;
pub use runner_virtual_device as virtual_device;
