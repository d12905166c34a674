//! `runner`: declarative test flows for Android over adb, with golden snapshots.
//!
//! The program is one crate; `main.rs` and `cli` are its face, the modules below its parts. Data flows one way:
//! text → [`flow`] (parsed, checked) → [`run`] (executed) → events → [`report`].
//! See `docs/architecture.md` for who may use whom.

#[cfg(any(feature = "mcp", feature = "review"))]
pub mod access;
pub mod agent;
pub mod cli;
pub mod config;
pub mod context;
pub mod device;
pub mod diagnostic;
pub mod engine;
pub mod exit_code;
pub mod files;
pub mod flow;
pub(crate) mod flow_text;
pub(crate) mod harmless;
#[cfg(any(feature = "mcp", feature = "review"))]
pub(crate) mod http;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod report;
#[cfg(feature = "review")]
pub mod review;
pub mod run;
pub mod screen;
pub mod secret;
pub mod snapshot;
#[cfg(test)]
pub(crate) mod testing;
pub mod tools;
pub mod units;
pub mod virtual_device;
pub mod web;
pub mod wire;
