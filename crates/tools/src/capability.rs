//! What some devices can do and others cannot.

use runner_device::{DeviceInfo, Feature};

/// What a tool needs of a device beside what every device can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// It renders A2UI messages.
    A2ui,
}

impl Capability {
    /// Whether the device has it.
    pub fn is_of(self, device: &DeviceInfo) -> bool {
        match self {
            Self::A2ui => device.offers(Feature::A2ui),
        }
    }
}
