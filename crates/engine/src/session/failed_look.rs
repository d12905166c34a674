//! Tells the errors of a look after which another one may succeed.

use crate::EngineError;
use runner_device::{DeviceError, DumpFailure};

/// Returns true if another look may succeed: the screen was in motion, the look or screenshot was unusable or
/// incomplete, or it took too long. False if the device is gone or refuses.
pub(crate) fn is_transient(error: &EngineError) -> bool {
    // `SlotTaken` is not transient, as the other client does not leave by itself.
    matches!(
        error,
        EngineError::Device(
            DeviceError::NoDump {
                kind: DumpFailure::NotIdle | DumpFailure::NullRoot | DumpFailure::Other,
                ..
            } | DeviceError::Dump(_)
                | DeviceError::NoPicture(_)
                | DeviceError::Timeout { .. }
        ) | EngineError::LookCutOff { .. }
            | EngineError::NotRead { .. }
            | EngineError::PartialScreen { .. }
    )
}

/// Returns true if the device reported that the screen never stands still, as it does for running animations.
/// Other failed looks do not count.
pub(crate) fn is_restless(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Device(DeviceError::NoDump {
            kind: DumpFailure::NotIdle,
            ..
        })
    )
}
