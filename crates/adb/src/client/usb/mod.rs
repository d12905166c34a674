//! Phones on USB, without an adb server. A running server holds the phones' interfaces, so nothing else can
//! open them.

#[cfg(feature = "usb")]
mod device;
#[cfg(not(feature = "usb"))]
#[path = "stub.rs"]
mod device;
mod framing;

pub use device::devices;

pub(super) use device::open;

/// USB device that speaks adb.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsbDevice {
    /// Serial in the USB descriptor.
    pub serial: String,
    /// Product name in the USB descriptor.
    pub model: Option<String>,
    pub state: UsbState,
}

/// Access of this program to a USB device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsbState {
    /// The device could be opened.
    Free,
    /// The user lacks the permission to open it.
    NoPermissions,
    /// Another program holds it, such as an adb server.
    InUse,
}
