//! Abilities that only some devices have.

use runner_device::{DeviceInfo, Feature};

/// Ability that a tool needs of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Renders A2UI messages.
    A2ui,
}

impl Capability {
    /// Returns true if the device has the ability.
    pub fn is_of(self, device: &DeviceInfo) -> bool {
        match self {
            Self::A2ui => device.offers(Feature::A2ui),
        }
    }
}
