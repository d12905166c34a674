//! A device to run on, and the way to it.

use std::sync::Arc;

use runner_device::adb::AdbServer;
use runner_device::{DriverChoice, VIRTUAL};
use runner_webdriver::{SessionScope, WebDriverSpec};

/// Device to run on, which need not be open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Name in reports, different from those of the run's other devices.
    pub label: String,
    pub address: Address,
    /// Render class from `runner.yaml`, in place of the one that is computed.
    pub render_class: Option<String>,
    /// Variant of its goldens from `runner.yaml`.
    pub variant: Option<String>,
    /// Driver that `runner.yaml` sets for this device alone.
    pub driver: Option<DriverChoice>,
    /// Tags that flows can require with `needs`.
    pub tags: Vec<String>,
}

impl Target {
    /// Returns true if the device is released after each flow.
    pub(crate) fn is_for_one_flow(&self) -> bool {
        matches!(&self.address, Address::WebDriver { spec, .. } if spec.scope == SessionScope::Flow)
    }

    /// Creates a target without render class, variant, driver and tags.
    pub(crate) fn with_defaults(label: &str, address: Address) -> Self {
        Self {
            label: label.to_owned(),
            address,
            render_class: None,
            variant: None,
            driver: None,
            tags: Vec::new(),
        }
    }

    /// Placeholder for the device of flows that found none.
    pub fn missing() -> Self {
        Self::with_defaults("none", Address::Serial("none".into()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Serial number, through the adb server.
    Serial(String),
    /// `host:port` of adbd, without an adb server.
    Direct(String),
    /// Serial number on USB, without an adb server.
    Usb(String),
    /// Built-in virtual device, started in this process.
    Virtual,
    WebDriver {
        /// Name of the device in `runner.yaml`, which `--device` takes.
        name: String,
        /// Server, and the capabilities to request.
        spec: Arc<WebDriverSpec>,
    },
}

impl Address {
    /// Returns the value of `--device` that names it: a serial number, `host:port`, the configured name of a WebDriver
    /// device, or `virtual`. All virtual devices have the same name.
    pub fn name(&self) -> &str {
        match self {
            Self::Serial(name) | Self::Direct(name) | Self::Usb(name) => name,
            Self::WebDriver { name, .. } => name,
            Self::Virtual => VIRTUAL,
        }
    }

    /// Returns true if other computers reach the device the same way: through an adb server of another computer, or at
    /// an address that is not this computer's. A host name other than `localhost` counts as another computer. USB,
    /// virtual and WebDriver devices are never shared.
    pub fn is_shared(&self, server: &AdbServer) -> bool {
        match self {
            Self::Serial(_) => !server.is_loopback(),
            Self::Direct(address) => {
                let host = address.rsplit_once(':').map_or("", |(host, _)| host);
                let host = host.trim_matches(['[', ']']);
                let ip = host.parse::<std::net::IpAddr>();
                host != "localhost" && !ip.is_ok_and(|ip| ip.is_loopback())
            }
            // A server gives a device to one session at a time.
            Self::Usb(_) | Self::Virtual | Self::WebDriver { .. } => false,
        }
    }

    /// Describes the connection: `server`, `direct HOST:PORT`, `usb`, `webdriver URL`, `built in`.
    pub fn way(&self) -> String {
        match self {
            Self::Serial(_) => "server".to_owned(),
            Self::Direct(address) => format!("direct {address}"),
            Self::Usb(_) => "usb".to_owned(),
            Self::WebDriver { spec, .. } => format!("webdriver {}", spec.display),
            Self::Virtual => "built in".to_owned(),
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::{Address, Target};

    /// Returns a target without further settings.
    pub(crate) fn target(label: &str, address: Address) -> Target {
        Target::with_defaults(label, address)
    }
}
