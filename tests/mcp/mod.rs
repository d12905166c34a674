//! `runner mcp` on the virtual device, as its clients see it.
//!
//! The name of a test begins with its row of the catalogue: `a08_tap_…`, `b11_…`, `c05_…`, `d18_…`.
//! `docs/developers/rows.md` is made from these names.

mod agent;
mod android;
mod look;
mod mobile_agent;
mod record;
mod scenario;
mod semantic;
mod server;
mod steps;
