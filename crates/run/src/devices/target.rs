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

    /// Returns true if other computers reach the device too: through an adb server of another computer, or at an
    /// address that is not this computer's, also where this computer's server connects to it or found it in the
    /// network. A host name other than `localhost` counts as another computer. USB, virtual and WebDriver devices are
    /// never shared.
    pub fn is_shared(&self, server: &AdbServer) -> bool {
        match self {
            Self::Serial(serial) => {
                !server.is_loopback()
                    || is_service(serial)
                    || is_address(serial) && is_elsewhere(serial)
            }
            Self::Direct(address) => is_elsewhere(address),
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

/// Returns true unless an address with a port is this computer's: a loopback one, or `localhost` in any letter case.
fn is_elsewhere(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or("", |(host, _)| host);
    let host = host.trim_matches(['[', ']']);
    let ip = host.parse::<std::net::IpAddr>();
    !host.eq_ignore_ascii_case("localhost") && !ip.is_ok_and(|ip| ip.is_loopback())
}

/// Returns true for the serial number of a device that the adb server found by mDNS, as those with wireless debugging:
/// `adb-R58-x7k9._adb-tls-connect._tcp`. Some versions of adb write a dot behind it.
fn is_service(serial: &str) -> bool {
    let service = serial.trim_end_matches('.').strip_suffix("._tcp");
    service.is_some_and(|service| service.contains("._adb"))
}

pub(crate) fn is_address(name: &str) -> bool {
    name.rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

#[cfg(test)]
pub(crate) mod testing {
    use super::{Address, Target};

    /// Returns a target without further settings.
    pub(crate) fn target(label: &str, address: Address) -> Target {
        Target::with_defaults(label, address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An address is reached through the server where that is connected to it, else directly.
    #[test]
    fn a_device_at_an_address_is_shared_whichever_way_it_is_reached() {
        let server = |host: &str| AdbServer {
            host: host.to_owned(),
            port: 5037,
            program: None,
        };
        for (name, shared) in [
            ("10.0.0.7:5555", true),
            ("phone.lab:5555", true),
            ("[fe80::7]:5555", true),
            ("127.0.0.1:5555", false),
            ("[::1]:5555", false),
            ("LocalHost:5555", false),
        ] {
            for address in [Address::Direct(name.into()), Address::Serial(name.into())] {
                let told = address.is_shared(&server("localhost"));
                assert_eq!(told, shared, "{address:?}");
            }
        }
        for serial in [
            "adb-R58-x7k9._adb-tls-connect._tcp",
            "adb-R58-x7k9._adb-tls-connect._tcp.",
            "adb-R58._adb._tcp",
        ] {
            let address = Address::Serial(serial.into());
            assert!(address.is_shared(&server("localhost")), "{serial}");
        }
        for serial in ["emulator-5554", "R58", "127.0.0.1:5555"] {
            let address = Address::Serial(serial.into());
            assert!(address.is_shared(&server("10.0.0.1")), "{serial}");
        }
        for serial in ["emulator-5554", "R58"] {
            let address = Address::Serial(serial.into());
            assert!(!address.is_shared(&server("127.0.0.1")), "{serial}");
        }
    }

    #[test]
    fn an_address_has_a_host_and_a_port() {
        assert!(is_address("127.0.0.1:5555"));
        assert!(is_address("[::1]:5555"));
        assert!(!is_address("emulator-5554"));
        assert!(!is_address("virtual"));
        assert!(!is_address("a:b"));
    }
}
