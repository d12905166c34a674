//! The MCP server: the registry's tools for agents, in four dialects, over stdio and HTTP.
//!
//! A [`Toolbox`] is what a server serves; [`Server`] speaks the protocol for any of them. [`DialectToolbox`]
//! serves the tools of one catalogue and the agent tools. Only this crate uses the protocol's library.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod body;
mod bounds;
mod client;
mod clients;
mod completion;
mod dialect;
mod disconnect;
mod docs;
mod endpoint;
mod envelope;
mod http;
mod lean;
mod listing;
mod long_calls;
mod message;
mod names;
mod options;
mod origin;
mod progress;
mod reader;
mod refusal;
mod result;
mod schema;
mod served_tools;
mod server;
mod sessions;
mod stdio;
mod toolbox;

pub use client::{Client, Severity};
pub use dialect::DialectToolbox;
pub use docs::docs;
pub use http::{mcp_routes, serve_http};
pub use options::{Dialect, DialectOptions, Slug, SlugError, ToolSet, ToolSubset};
pub use server::Server;
pub use stdio::serve_stdio;
pub use toolbox::Toolbox;

/// Returns true if the bytes parse as a message; for fuzzing.
#[doc(hidden)]
pub fn reads_as_message(bytes: &[u8]) -> bool {
    message::read(bytes).is_ok()
}
