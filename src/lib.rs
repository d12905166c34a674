//! Command line of `runner`: declarative test flows for Android over adb, with golden snapshots.
//!
//! The crates in `crates/` do the work. Data flows one way: text → [`flow`] (parsed, checked) → [`run`]
//! (executed) → events → [`report`]. See `docs/developers/architecture.md` for who may use whom.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

pub mod cli;

// The crates below this one, under the names that its modules use.
pub use runner_adb::wire;
pub use runner_agent as agent;
pub use runner_app_host as app_host;
pub use runner_base::{archive, context, exit_code, files, interrupt, log};
pub use runner_config as config;
pub use runner_device as device;
pub use runner_engine as engine;
pub use runner_event as event;
pub use runner_flow as flow;
pub use runner_git as git;
pub use runner_history as history;
#[cfg(feature = "mcp")]
pub use runner_mcp as mcp;
#[cfg(any(feature = "mcp", feature = "review", feature = "studio"))]
pub use runner_pages::access;
pub use runner_recording as recording;
pub use runner_report as report;
#[cfg(feature = "review")]
pub use runner_review as review;
pub use runner_run as run;
pub use runner_screen as screen;
pub use runner_script as script;
pub use runner_snapshot as snapshot;
#[cfg(feature = "studio")]
pub use runner_studio as studio;
pub use runner_text::{diagnostic, secret, units};
use runner_text::{flow_text, harmless};
pub use runner_tools as tools;
pub use runner_virtual_automation as virtual_automation;
pub use runner_virtual_device as virtual_device;
