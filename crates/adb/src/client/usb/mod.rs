//! Phones on USB, without an adb server. Where a server runs, it holds the phone's interface, and nobody else may.

#[cfg(feature = "usb")]
mod device;
#[cfg(not(feature = "usb"))]
#[path = "absent.rs"]
mod device;
mod framing;

pub use device::devices;

pub(super) use device::open;

/// A device on USB that speaks adb.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsbDevice {
    /// The serial in its descriptor, by which it is named.
    pub serial: String,
    /// What it calls itself.
    pub model: Option<String>,
    /// Whether this computer may use it.
    pub state: UsbState,
}

/// Whether a device on USB can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsbState {
    /// Nothing is known to stand in the way.
    Free,
    /// This user may not open it.
    NoPermissions,
    /// Another program holds it, such as an adb server.
    InUse,
}
