#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod http;
mod input;
#[cfg_attr(not(feature = "other-clients"), path = "no_other_clients.rs")]
mod other_clients;
mod tree;
mod uia2;

use std::pin::Pin;
use std::sync::Arc;

use tokio::io::DuplexStream;
use tokio_util::sync::CancellationToken;

use runner_virtual_device::automation::{AutomationServer, AutomationServers};

use uia2::UiAutomator2Server;

#[cfg(feature = "other-clients")]
#[doc(hidden)]
pub use other_clients::finds_by;

/// Factories of the servers, for a virtual device whose shell starts them.
pub const SERVERS: AutomationServers = AutomationServers {
    uia2: |device| UiAutomator2Server::new(device),
    u2: other_clients::U2,
};

impl AutomationServer for UiAutomator2Server {
    fn serve(self: Arc<Self>, stream: DuplexStream) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(UiAutomator2Server::serve(self, stream))
    }

    fn ended(&self) -> CancellationToken {
        UiAutomator2Server::ended(self)
    }

    fn disconnect_automation(&self) {
        UiAutomator2Server::disconnect_automation(self);
    }
}
