//! Phones on USB, without an adb server. A running server holds the phones' interfaces, so nothing else can
//! open them.

#[cfg(feature = "usb")]
mod device;
#[cfg(not(feature = "usb"))]
#[path = "stub.rs"]
mod device;
mod framing;
mod usb_device;

pub use device::devices;
pub use usb_device::{UsbDevice, UsbState};

pub(super) use device::open;
