//! Calls of a session that change the device until its end, and revert it.

use crate::{EngineError, Session};
use runner_device::logs::{self, LogTime};
use runner_device::record::{FINALISE_LIMIT, Recording};
use runner_device::settings::{self, Setting};
use runner_device::{DeviceInfo, Reading};

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

    /// Turns off the device's animations until [`Session::restore`], also if they are off. `before` is their previous
    /// state if a lost session of the same device turned them off already; `None` is replaced by the current state,
    /// also if the change then fails.
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

    /// Returns the description that the device gave at the start, updated by this session's changes of theme, font size
    /// and language that are not restored yet. Other settings are left as they were then, and the device is not asked.
    /// An empty language tag changes nothing.
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

    /// Returns the device's time at the start of the test, in the log's format. `None` before [`Session::begin`].
    pub async fn began(&self) -> Option<LogTime> {
        self.changes.lock().await.began
    }

    /// Changes settings in order, until [`Session::restore`], and checks each where the device can show it. If one
    /// fails, the earlier ones of this call are undone as far as possible and its error is returned. A change whose
    /// answer is missing is also undone by [`Session::restore`]. Waits for the input lock, so no input is sent
    /// meanwhile.
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

    /// Reverts all changes since the session began or was last restored, last change first. Stops a recording in
    /// progress and discards its video; a server's goes on until its session ends. Continues after an error and returns
    /// the first one; a change whose restoration got no answer is tried again by the next call. Without changes it
    /// sends nothing.
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
