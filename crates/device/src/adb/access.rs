//! What this computer reaches devices with.

use std::sync::Arc;

use runner_adb::client::{AdbServer, Host};

/// An adb server, and what stands in for it where there is none: this computer's own keys.
#[derive(Debug, Clone)]
pub struct Access {
    /// The adb server.
    pub server: AdbServer,
    /// This computer, as a device that asks for a key sees it.
    pub host: Host,
}

impl Access {
    /// The same, with a way to show a person what to do while a device is waited for.
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
