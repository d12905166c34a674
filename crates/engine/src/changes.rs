//! Changes that a session makes to the device and reverts at its end: settings, animations, a recording.

use super::{EngineError, Session};
use runner_device::logs::{self, LogTime};
use runner_device::record::{FINALISE_LIMIT, Recording};
use runner_device::settings::{self, Setting};
use runner_device::{Device, DeviceError, DeviceInfo, Reading};

/// Record of the changes, for their reversal.
#[derive(Default)]
pub(super) struct Changes {
    /// Previous values, in order of the changes.
    previous: Vec<Setting>,
    /// New values, in order of the changes.
    applied: Vec<Setting>,
    /// Recording in progress.
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
    /// [`Session::restore`] undoes it.
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

/// Returns true if the device accepted or refused the change. After any other error the change may or may not
/// have happened.
fn has_answered(result: &Result<(), DeviceError>) -> bool {
    matches!(
        result,
        Ok(()) | Err(DeviceError::Unsupported { .. } | DeviceError::Command { .. })
    )
}

impl Session {
    /// Records the device's time at the start of a test, so that `assert log` reads no older lines.
    ///
    /// # Errors
    ///
    /// If the device does not report its time.
    pub async fn begin(&self) -> Result<(), EngineError> {
        let began = logs::now(self.device()).await?;
        self.changes.lock().await.began = Some(began);
        Ok(())
    }

    /// Turns off the device's animations until [`Session::restore`]. `before` is their previous state if a
    /// lost session of the same device turned them off already; `None` is replaced by the current state, also
    /// if the change then fails.
    ///
    /// # Errors
    ///
    /// If the device does not report their state or does not allow the change. Tests can run nevertheless.
    pub async fn stop_animations(&self, before: &mut Option<Setting>) -> Result<(), EngineError> {
        let wanted = Setting::no_animations();
        let known = match before.clone() {
            Some(known) => known,
            None => settings::current(self.device(), &wanted).await?,
        };
        *before = Some(known.clone());
        let mut changes = self.changes.lock().await;
        changes.set_from(self.device(), &wanted, known).await
    }

    /// Returns the description that the device gave at the start, updated by this session's changes of theme,
    /// font size and language. Other settings are left as they were then, and the device is not asked. An
    /// empty language tag changes nothing.
    pub async fn current_info(&self) -> DeviceInfo {
        let mut info = self.device().info().clone();
        for setting in &self.changes.lock().await.applied {
            match setting {
                Setting::Night(mode) => info.dark = Reading::Said(mode == "yes"),
                Setting::FontScale(percent) => info.font_scale_percent = Reading::Said(*percent),
                Setting::Locale { tag, .. } if !tag.is_empty() => {
                    info.locale = Reading::Said(tag.clone());
                }
                _ => {}
            }
        }
        info
    }

    /// Returns the device's time at the start of the test, in the log's format.
    pub async fn began(&self) -> Option<LogTime> {
        self.changes.lock().await.began
    }

    /// Changes settings in order, until [`Session::restore`]. If one fails, the earlier ones of this call are
    /// undone and its error is returned. Waits for the input lock, so no input is sent meanwhile.
    pub async fn change(&self, wanted: &[Setting]) -> Result<(), EngineError> {
        // Keeps other calls from sending input while the screen is redrawn.
        let _turn = self.lock_input().await;
        let mut changes = self.changes.lock().await;
        let before = changes.previous.len();
        for setting in wanted {
            if let Err(error) = changes.set(self.device(), setting).await {
                // Best effort; the first error is the one to report.
                let _ = changes.put_back(self.device(), before).await;
                return Err(error);
            }
        }
        changes.applied.extend_from_slice(wanted);
        Ok(())
    }

    /// Reverts all changes since the session began or was last restored, last change first. Stops a recording
    /// in progress and discards its video. Continues after an error and returns the first one; a change whose
    /// restoration got no answer is tried again by the next call.
    pub async fn restore(&self) -> Result<(), EngineError> {
        let mut changes = self.changes.lock().await;
        let mut first = changes.put_back(self.device(), 0).await;
        changes.applied.clear();
        if let Some(recording) = changes.recording.take() {
            let discarded = recording.discard(self.device()).await;
            first = first.and(discarded.map_err(EngineError::from));
        }
        first
    }

    /// Starts recording the screen on the device. Returns `false` if this session has a recording in
    /// progress; that one goes on. [`Session::restore`] discards a recording that was not stopped.
    pub async fn start_recording(&self) -> Result<bool, EngineError> {
        let mut changes = self.changes.lock().await;
        if changes.recording.is_some() {
            return Ok(false);
        }
        changes.recording = Some(Recording::start(self.device()).await?);
        Ok(true)
    }

    /// Stops the recording and returns the video (MP4), whose file on the device is then deleted; `None` if
    /// there is none. The time for its transfer is limited by its size only. After an error the recording is
    /// lost too.
    pub async fn stop_recording(&self) -> Result<Option<Vec<u8>>, EngineError> {
        let mut changes = self.changes.lock().await;
        let Some(recording) = &mut changes.recording else {
            return Ok(None);
        };
        // If this call is dropped, the recording can still be stopped by another.
        let video = match recording.stop(self.device(), FINALISE_LIMIT).await {
            Ok(()) => recording.fetch(self.device()).await,
            Err(error) => Err(error),
        };
        if let Some(recording) = changes.recording.take() {
            // A video file that stays on the device is no reason to fail.
            let _ = recording.discard(self.device()).await;
        }
        Ok(Some(video?))
    }

    /// Returns true while a recording is in progress.
    pub async fn is_recording(&self) -> bool {
        self.changes.lock().await.recording.is_some()
    }
}
