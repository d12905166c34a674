//! Entry of `devices` in `runner.yaml`.

use serde::Deserialize;
use serde_json::Value;

use runner_device::DriverChoice;
use runner_text::units::HumanDuration;
use runner_webdriver::{Cloud, SessionScope};

/// Entry of `devices` in `runner.yaml`.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectDevice {
    /// Serial as adb knows it, or `virtual`. Empty for a server's device.
    pub serial: String,
    /// Render class of its goldens, if it cannot be derived from the device.
    pub render_class: Option<String>,
    /// Variant of its goldens, instead of that by the rules of `snapshot.variants`.
    pub variant: Option<String>,
    /// Name in reports; the serial by default.
    pub label: Option<String>,
    /// Driver, instead of the setting `driver`.
    pub driver: Option<DriverChoice>,
    /// Tags that flows can require by `needs`.
    pub tags: Vec<String>,
    /// Address of a WebDriver server, instead of a serial.
    pub webdriver: Option<String>,
    /// Capabilities to request from the server.
    pub capabilities: serde_json::Map<String, Value>,
    /// App that the server installs: a path or address on the server, or an app id of a cloud.
    pub app: Option<String>,
    /// User name on the server.
    pub user: Option<String>,
    /// Key or password of `user`.
    pub key: Option<String>,
    /// Number of sessions, each of which is a device; 1 by default.
    pub sessions: Option<u32>,
    /// Lifetime of a session; the whole run by default.
    pub session: Option<SessionScope>,
    /// Maximum wait for a session; two minutes by default.
    pub session_timeout: Option<HumanDuration>,
    /// Cloud that runs the server, if its address does not show it.
    pub cloud: Option<Cloud>,
}

impl std::fmt::Debug for ProjectDevice {
    /// Prints serial and label only, because the rest may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectDevice")
            .field("serial", &self.serial)
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

impl ProjectDevice {
    /// Returns the first problem of an entry whose keys do not fit together, as a message; `None` if they do.
    /// A device has either `serial` or `webdriver`, and keys of the other kind are problems.
    pub(super) fn problem(&self) -> Option<&'static str> {
        let of_server = !self.capabilities.is_empty()
            || self.app.is_some()
            || self.user.is_some()
            || self.key.is_some()
            || self.sessions.is_some()
            || self.session.is_some()
            || self.session_timeout.is_some()
            || self.cloud.is_some();
        match (&self.webdriver, self.serial.is_empty()) {
            (None, true) => Some("`serial` is missing, or `webdriver` for a device of a server"),
            (Some(_), false) => Some("a device has a `serial` or a `webdriver`, not both"),
            (None, false) if of_server => Some(
                "`capabilities`, `app`, `user`, `key`, `sessions`, `session`, `session_timeout` and `cloud` are for devices with `webdriver`",
            ),
            (Some(_), true) if self.user.is_some() != self.key.is_some() => {
                Some("`user` and `key` belong together")
            }
            (Some(_), true) if self.driver.is_some() => {
                Some("`driver` is for devices with `serial`: a server's device has its own")
            }
            _ => None,
        }
    }
}
