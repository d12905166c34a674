//! Protocol of `runner mcp`: transports, access, long calls, bad input, real clients.

#[path = "server/calls.rs"]
pub(crate) mod calls;
#[path = "server/clients.rs"]
mod clients;
#[path = "server/config.rs"]
mod config;
#[path = "server/conformance.rs"]
mod conformance;
#[path = "server/fixture.rs"]
mod fixture;
#[path = "server/hostile.rs"]
mod hostile;
#[path = "server/http.rs"]
mod http;
#[path = "server/http_client.rs"]
pub(crate) mod http_client;
#[path = "server/input.rs"]
mod input;
#[path = "server/limits.rs"]
mod limits;
#[path = "server/listing.rs"]
mod listing;
#[path = "server/plain.rs"]
mod plain;
#[path = "server/same_answers.rs"]
mod same_answers;
#[path = "server/together.rs"]
mod together;
#[path = "server/tokens.rs"]
mod tokens;
