//! The MCP server: the registry's tools for agents, in four dialects, over stdio and HTTP.
//!
//! A [`Toolbox`] is what a server serves; [`Server`] speaks the protocol for any of them. [`DialectToolbox`] serves the
//! tools of one catalogue and the agent tools. Only this module knows the protocol's library.

mod dialect;
mod envelope;
mod listing;
mod result;
mod server;
mod stdio;
mod toolbox;

pub use dialect::{Dialect, DialectOptions, DialectToolbox};
pub use server::Server;
pub use stdio::serve_stdio;
pub use toolbox::Toolbox;
