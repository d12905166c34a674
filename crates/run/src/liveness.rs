//! Whether a device still answers.

use std::time::Duration;

use runner_device::{Device, DeviceError};
use runner_engine::Session;

/// How long a device may take to answer a command that does nothing before it counts as gone.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// Why a device counts as gone, if it does: it is asked for nothing at all.
pub(super) async fn silence(device: &dyn Device) -> Option<DeviceError> {
    silence_for(device, ANSWER_LIMIT).await
}

/// [`silence`] of this length.
pub(super) async fn silence_for(device: &dyn Device, limit: Duration) -> Option<DeviceError> {
    let error = device.alive(limit).await.err()?;
    (error.is_unreachable() || matches!(error, DeviceError::Timeout { .. })).then_some(error)
}

/// [`silence`] in words.
pub(super) async fn silence_of(session: &Session, label: &str) -> Option<String> {
    let error = silence(session.device()).await?;
    Some(format!(
        "device '{label}' does not answer any more ({error}); {}",
        session.device().when_silent()
    ))
}
