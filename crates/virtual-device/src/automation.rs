//! What a server that automates the device needs of it, and what the device asks of such a server.
//!
//! The servers of testing tools are in the crate `runner-virtual-automation`, as on a phone they are in packages of their
//! own. The device starts them where its shell is asked to ([`AutomationServers`]), and they work on its [`DeviceState`].

use std::pin::Pin;
use std::sync::Arc;

use tokio::io::DuplexStream;
use tokio_util::sync::CancellationToken;

pub use crate::screenshot::encode;
pub use crate::shell::{crash_app, key_name};
pub use crate::state::DeviceState;
pub use crate::touch_panel::describe;
use crate::{Fault, FaultSpec};

/// What `uiautomator dump` and servers write of the windows in the same way.
pub mod dump {
    pub use crate::dump::{
        DrawingWay, active, attribute, attribute_with, display_text, drawing_in_parent,
        drawing_orders, edges, is_plain_layout, is_unnamed,
    };
}

/// A server in a process of its own on the device.
pub trait AutomationServer: Send + Sync {
    /// Serves one connection.
    fn serve(self: Arc<Self>, stream: DuplexStream) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Cancelled when the server ends: by a client, by a fault, or with the device.
    fn ended(&self) -> CancellationToken;

    /// Takes the connection to accessibility away, as the end of `am instrument` does. The server goes on answering.
    fn disconnect_automation(&self) {}
}

/// Starts a server on a device.
pub type StartServer = fn(Arc<DeviceState>) -> Arc<dyn AutomationServer>;

/// The servers that the device has of its own: what its shell starts instead of the code of a package.
#[derive(Debug, Clone, Copy)]
pub struct AutomationServers {
    /// Appium's `UiAutomator2` server, which `am instrument` starts.
    pub uia2: StartServer,
    /// The server of Python's `uiautomator2`, which `app_process` starts.
    pub u2: StartServer,
}

/// The rest of what servers ask for is with the state itself.
impl DeviceState {
    /// Commands take real time, and so do the requests of servers.
    pub fn is_realistic(&self) -> bool {
        self.realistic
    }

    /// Cancelled when the device ends.
    pub fn child_token(&self) -> CancellationToken {
        self.stop.child_token()
    }

    /// Whether a fault shows now; one of its times is used up.
    pub fn shows(&self, fault: Fault) -> bool {
        self.faults.shows(fault)
    }

    /// Shows a fault from now on.
    pub fn inject(&self, fault: FaultSpec) {
        self.faults.inject(fault);
    }

    /// Whether the screen is on.
    pub fn is_awake(&self) -> bool {
        self.system().awake
    }

    /// A setting's value.
    pub fn setting(&self, space: &str, key: &str) -> Option<String> {
        self.system().setting(space, key).map(str::to_owned)
    }

    /// Keeps settings of a namespace, all at once.
    pub fn put_settings(&self, space: &str, settings: &[(&str, &str)]) {
        let mut system = self.system();
        for (key, value) in settings {
            system.put(space, key, value);
        }
    }

    /// The whole screen as a PNG; `None` where it cannot be encoded.
    pub fn screenshot_png(&self) -> Option<Arc<[u8]>> {
        self.draw_hosts();
        self.screenshot.png(|| self.phone())
    }

    /// The messages of the log, for tests.
    #[cfg(feature = "testing")]
    pub fn messages(&self) -> Vec<String> {
        let log = self.log();
        log.since(0).map(|line| line.message.clone()).collect()
    }
}
