//! Wireless devices that announce their adbd in the network.

mod announcement;
#[cfg(feature = "mdns")]
mod mdns;
#[cfg(not(feature = "mdns"))]
#[path = "stub.rs"]
mod mdns;

pub use announcement::WirelessDevice;
pub use mdns::wireless_devices;
