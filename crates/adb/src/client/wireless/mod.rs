//! Wireless devices of the network that announce their adbd.

use std::net::SocketAddr;

#[cfg(feature = "mdns")]
mod mdns;
#[cfg(not(feature = "mdns"))]
#[path = "absent.rs"]
mod mdns;

pub use mdns::wireless_devices;

/// A device that announces itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WirelessDevice {
    /// The name of its announcement, such as `adb-R58M123-x7Yz`.
    pub name: String,
    /// Host and port.
    pub address: SocketAddr,
    /// What it calls itself, where it says so.
    pub model: Option<String>,
    /// Whether it wants TLS, and to be paired.
    pub secure: bool,
}
