//! Which device somebody asked for, before it is looked for.

use runner_device::DriverChoice;
use runner_webdriver::WebDriverSpec;

/// A device as it was asked for: a serial, `host:port`, or `virtual`; twice `virtual` are two devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceSpec {
    /// Serial, `host:port`, `virtual`, or the label of a server's device.
    pub name: String,
    /// What reports call it, where it has a name.
    pub label: Option<String>,
    /// By which flows say what they need.
    pub tags: Vec<String>,
    /// Name of the pixels it draws.
    pub render_class: Option<String>,
    /// Variant of its goldens.
    pub variant: Option<String>,
    /// How it is looked at and touched, where that was said of it alone.
    pub driver: Option<DriverChoice>,
    /// The server that has it, where it is one's; `name` is its label then.
    pub webdriver: Option<WebDriverSpec>,
}

impl DeviceSpec {
    /// A device by its serial, address or `virtual`, without anything said about it.
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
