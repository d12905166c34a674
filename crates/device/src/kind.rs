//! Names the kind of a device. Goldens, events and flows have such names; no code can ask for the kind, so
//! that the virtual device is met as a phone is. What differs between devices is a [`Feature`](super::Feature).

use serde_json::Value;

/// Name of the built-in virtual device.
pub const VIRTUAL: &str = "virtual";

/// Mark of this program's virtual device. It can be written, read and named, but not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct VirtualMark(bool);

impl VirtualMark {
    pub fn new(is_virtual: bool) -> Self {
        Self(is_virtual)
    }

    /// Returns the one of `names` for a device with this mark. A virtual device that calls itself an emulator
    /// counts as virtual.
    pub(crate) fn kind_name(self, is_emulator: bool, names: KindNames<'_>) -> &str {
        if self.0 {
            names.virtual_device
        } else if is_emulator {
            names.emulator
        } else {
            names.phone
        }
    }
}

/// The value `device.virtual` of expressions.
impl From<VirtualMark> for Value {
    fn from(mark: VirtualMark) -> Self {
        Self::from(mark.0)
    }
}

/// One name for each kind of device.
#[derive(Debug, Clone, Copy)]
pub struct KindNames<'a> {
    pub virtual_device: &'a str,
    pub emulator: &'a str,
    pub phone: &'a str,
}

impl KindNames<'static> {
    /// Names for people and for patterns of `runner.yaml`.
    pub const PLAIN: Self = Self {
        virtual_device: "virtual",
        emulator: "emulator",
        phone: "phone",
    };
}
