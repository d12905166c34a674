//! Phones on USB, without an adb server. Where a server runs, it holds the phone's interface, and nobody else may.

mod device;
mod framing;

pub use device::{UsbDevice, UsbState, devices};

pub(super) use device::open;
