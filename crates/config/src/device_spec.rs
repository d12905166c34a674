//! Device as the user named it, before it is looked for.

use runner_device::DriverChoice;
use runner_webdriver::WebDriverSpec;

/// Device as the user named it: a serial, `host:port`, or `virtual`. Two entries `virtual` are two devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceSpec {
    /// Serial, `host:port`, `virtual`, or the label of a server's device.
    pub name: String,
    /// Name in reports, if it differs from `name`.
    pub label: Option<String>,
    /// Tags that flows can require by `needs`.
    pub tags: Vec<String>,
    /// Render class of its goldens, if not derived from the device.
    pub render_class: Option<String>,
    /// Variant of its goldens.
    pub variant: Option<String>,
    /// Driver of this device, if it differs from the setting `driver`.
    pub driver: Option<DriverChoice>,
    /// WebDriver server of the device. `name` is then its label.
    pub webdriver: Option<WebDriverSpec>,
}

impl DeviceSpec {
    /// Creates a spec with only a name: a serial, an address, `virtual`, or a label that `runner.yaml` may
    /// know.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            label: None,
            tags: Vec::new(),
            render_class: None,
            variant: None,
            driver: None,
            webdriver: None,
        }
    }
}
