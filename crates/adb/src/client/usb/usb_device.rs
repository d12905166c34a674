//! USB device as this program lists it.

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
    /// Another program holds it, such as an adb server, or it cannot be opened for another reason.
    InUse,
}
