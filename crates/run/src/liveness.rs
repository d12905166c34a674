//! Checks that a device still answers.

use std::time::Duration;

use runner_device::{Device, DeviceError};
use runner_engine::Session;

/// Chosen: time for a command that does nothing. With less, a busy phone counts as gone; with more, each lost
/// device delays its run.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// Sends the device a request that does nothing. Returns the error if it is gone, or does not answer within
/// [`ANSWER_LIMIT`]. Any other error is an answer.
pub(super) async fn silence(device: &dyn Device) -> Option<DeviceError> {
    silence_for(device, ANSWER_LIMIT).await
}

/// Like [`silence`], with another limit.
pub(super) async fn silence_for(device: &dyn Device, limit: Duration) -> Option<DeviceError> {
    let error = device.alive(limit).await.err()?;
    (error.is_unreachable() || matches!(error, DeviceError::Timeout { .. })).then_some(error)
}

/// Asks whether the device answers. Returns `None` if it does within 3 s, else a message for people that also says what
/// to do. `label` names the device.
pub(super) async fn silence_of(session: &Session, label: &str) -> Option<String> {
    let error = silence(session.device()).await?;
    Some(format!(
        "device '{label}' does not answer any more ({error}); {}",
        session.device().when_silent()
    ))
}
