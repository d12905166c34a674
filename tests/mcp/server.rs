//! The protocol's side of `runner mcp`: transports, access, long calls, bad input, real clients.

#[path = "server/conformance.rs"]
mod conformance;
#[path = "server/fixture.rs"]
mod fixture;
