//! All that clients other than this program's own driver ask for: routes of Appium's server, the server of
//! Python's `uiautomator2`, and finding elements for both.
//!
//! It is compiled with the feature `other-clients` only. `no_other_clients.rs` stands in for it.

mod scroll;
mod selector;
#[cfg(test)]
pub(crate) mod testing;
mod touch;
mod u2;
mod uia2;
mod xpath;

use runner_virtual_device::automation::StartServer;

pub(crate) use uia2::ROUTES;
pub use uia2::finds_by;

/// Factory of the server of `uiautomator2`.
pub(crate) const U2: Option<StartServer> = Some(|device| u2::Server::new(device));

/// Message of Appium's server about a route that it does not have.
pub(crate) const UNKNOWN_COMMAND: &str = "The requested resource could not be found, or a request was received using an HTTP method that is not supported by the mapped resource";
