//! Wireless device as it announces itself in the network.

use std::net::SocketAddr;

/// Announcement of a wireless device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WirelessDevice {
    /// Name of the announcement, such as `adb-R58M123-x7Yz`.
    pub name: String,
    pub address: SocketAddr,
    /// Model, if the announcement has it.
    pub model: Option<String>,
    /// Set if the device demands TLS, and so a pairing.
    pub secure: bool,
}
