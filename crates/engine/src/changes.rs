//! Changes that a session makes to the device and reverts at its end: settings, animations, a recording.

mod calls;

use super::EngineError;
use runner_device::logs::LogTime;
use runner_device::record::Recording;
use runner_device::settings::{self, Setting};
use runner_device::{Device, DeviceError};

/// Record of the changes, for their reversal.
#[derive(Default)]
pub(super) struct Changes {
    /// Previous values, in order of the changes.
    previous: Vec<Setting>,
    /// New values, in order of the changes.
    applied: Vec<Setting>,
    recording: Option<Recording>,
    /// Device time when the test began.
    began: Option<LogTime>,
}

impl Changes {
    /// Changes a setting. Its previous value is recorded first: it could not be restored if the answer to the
    /// change never came.
    async fn set(&mut self, device: &dyn Device, wanted: &Setting) -> Result<(), EngineError> {
        let before = settings::current(device, wanted).await?;
        self.set_from(device, wanted, before).await
    }

    /// Changes a setting, and records `before` as its previous value. If the device refuses, a change that
    /// was made in part is undone. If the answer is missing, the value stays recorded and
    /// [`Session::restore`](super::Session::restore) undoes it.
    async fn set_from(
        &mut self,
        device: &dyn Device,
        wanted: &Setting,
        before: Setting,
    ) -> Result<(), EngineError> {
        let left = self.previous.len();
        self.previous.push(before);
        let made = settings::set(device, wanted).await;
        if made.is_err() && has_answered(&made) {
            // A setting may take several commands, and the device may have refused only the last.
            let _ = self.put_back(device, left).await;
        }
        Ok(made?)
    }

    /// Restores settings, last change first, until only the `left` oldest are left. Continues after an error
    /// and returns the first one. A refused restoration is forgotten; one whose answer is missing stays
    /// recorded.
    async fn put_back(&mut self, device: &dyn Device, left: usize) -> Result<(), EngineError> {
        let mut first = Ok(());
        let mut at = self.previous.len();
        while at > left {
            at -= 1;
            let Some(setting) = self.previous.get(at) else {
                break;
            };
            let result = settings::set(device, setting).await;
            let is_done = has_answered(&result);
            first = first.and(result.map_err(EngineError::from));
            if is_done {
                self.previous.remove(at);
            }
        }
        first
    }
}

/// Returns true if the device made the change or refused it. After any other error the change may or may not have
/// happened.
fn has_answered(result: &Result<(), DeviceError>) -> bool {
    matches!(
        result,
        Ok(()) | Err(DeviceError::Unsupported { .. } | DeviceError::Command { .. })
    )
}
