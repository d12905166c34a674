//! Interface to servers that automate the device.
//!
//! The servers of testing tools are in the crate `runner-virtual-automation`, as on a phone they are in
//! packages of their own. The device starts them ([`AutomationServers`]) when its shell is told to, and they
//! work on its [`DeviceState`].

use std::pin::Pin;
use std::sync::Arc;

use tokio::io::DuplexStream;
use tokio_util::sync::CancellationToken;

pub use crate::screenshot::encode;
pub use crate::shell::{crash_app, key_name};
pub use crate::state::DeviceState;
pub use crate::touch_panel::describe;
use crate::{Fault, FaultSpec};

/// XML of windows, as `uiautomator dump` and servers write it.
pub mod dump {
    pub use crate::dump::{
        DrawingWay, active, attribute, attribute_with, display_text, drawing_in_parent,
        drawing_orders, edges, is_plain_layout, is_unnamed,
    };
}

/// A server in its own process on the device.
pub trait AutomationServer: Send + Sync {
    /// Serves one connection until the client or the server ends it. The caller drops the future if the server's
    /// process is killed.
    fn serve(self: Arc<Self>, stream: DuplexStream) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Returns a token that is cancelled when the server ends: by a client, by a fault, or with the device.
    fn ended(&self) -> CancellationToken;

    /// Disconnects the server from accessibility, as the end of `am instrument` does. The server continues to
    /// answer. By default nothing happens.
    fn disconnect_automation(&self) {}
}

/// Function that starts a server on a device.
pub type StartServer = fn(Arc<DeviceState>) -> Arc<dyn AutomationServer>;

/// Servers that are built in: the device's shell starts them in place of a package's code.
#[derive(Debug, Clone, Copy)]
pub struct AutomationServers {
    /// Appium's `UiAutomator2` server, started by `am instrument`.
    pub uia2: StartServer,
    /// The server of Python's `uiautomator2`, started by `app_process`. `None` if this build has none.
    pub u2: Option<StartServer>,
}

/// Message to a client that asks for a server or a route that this build does not have.
pub const MISSING_SERVERS: &str =
    "this build of runner has no servers for other clients; build it with --features other-clients";

/// Methods for servers. Others that they need are in `state`.
impl DeviceState {
    /// Returns true if commands and servers' requests take the real time of a phone.
    pub fn is_realistic(&self) -> bool {
        self.realistic
    }

    /// Returns a token that is cancelled when the device ends. Cancelling it does not end the device.
    pub fn child_token(&self) -> CancellationToken {
        self.stop.child_token()
    }

    /// Returns true if a fault of this kind occurs now, whatever its value, and then uses up one of its times.
    pub fn shows(&self, fault: Fault) -> bool {
        self.faults.shows(fault)
    }

    /// Injects a fault, in addition to those that are there.
    pub fn inject(&self, fault: FaultSpec) {
        self.faults.inject(fault);
    }

    pub fn is_awake(&self) -> bool {
        self.system().awake
    }

    /// Returns a setting's value by namespace and key, or `None` if it was never set.
    pub fn setting(&self, space: &str, key: &str) -> Option<String> {
        self.system().setting(space, key).map(str::to_owned)
    }

    /// Stores settings of a namespace at once. They replace stored values, and do not change the phone.
    pub fn put_settings(&self, space: &str, settings: &[(&str, &str)]) {
        let mut system = self.system();
        for (key, value) in settings {
            system.put(space, key, value);
        }
    }

    /// Returns the screen as a PNG, or `None` if it cannot be encoded. Waits until app hosts have drawn their windows.
    pub fn screenshot_png(&self) -> Option<Arc<[u8]>> {
        self.draw_hosts();
        self.screenshot.png(|| self.phone())
    }

    /// Returns the messages in the log, for tests.
    #[cfg(feature = "testing")]
    pub fn messages(&self) -> Vec<String> {
        let log = self.log();
        log.since(0).map(|line| line.message.clone()).collect()
    }
}
