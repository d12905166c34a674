#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

#[cfg(test)]
mod client;
mod http;
mod input;
mod scroll;
mod selector;
mod tree;
mod u2;
mod uia2;
mod xpath;

use std::pin::Pin;
use std::sync::Arc;

use tokio::io::DuplexStream;
use tokio_util::sync::CancellationToken;

use runner_virtual_device::automation::{AutomationServer, AutomationServers};

use u2::Server;
use uia2::UiAutomator2Server;

/// Factories of the servers, for a virtual device whose shell starts them.
pub const SERVERS: AutomationServers = AutomationServers {
    uia2: |device| UiAutomator2Server::new(device),
    u2: |device| Server::new(device),
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

impl AutomationServer for Server {
    fn serve(self: Arc<Self>, stream: DuplexStream) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(Server::serve(self, stream))
    }

    fn ended(&self) -> CancellationToken {
        Server::ended(self)
    }
}

/// Parses a text as `XPath` and as `UiSelector`, and searches with both. For fuzzing.
#[doc(hidden)]
pub fn finds_by(text: &str) -> bool {
    uia2::finds_by(text)
}
