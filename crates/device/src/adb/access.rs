//! Access of this computer to devices: an adb server, and its own keys for connections without one.

use std::sync::Arc;

use runner_adb::client::{AdbServer, Host};

/// Settings for reaching devices: an adb server, and this computer's keys for connections without one.
#[derive(Debug, Clone)]
pub struct Access {
    pub server: AdbServer,
    /// Keys of this computer, and its callbacks for notices, for devices that ask for a key.
    pub host: Host,
}

impl Access {
    /// Adds a callback for the notices to a person while the program waits for a device. Those that were added
    /// before stay.
    #[must_use]
    pub fn with_notifier(self, notify: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let notifier =
            Arc::new(move |notice: &runner_adb::client::Notice| notify(&notice.to_string()));
        Self {
            host: self.host.with_notifier(notifier),
            ..self
        }
    }
}
