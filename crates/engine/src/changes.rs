//! What a session changes on the device beside touching it, and puts back: settings, animations, a recording.

use super::{EngineError, Session};
use runner_device::logs::{self, LogTime};
use runner_device::record::{FINALISE_LIMIT, Recording};
use runner_device::settings::{self, Setting};
use runner_device::{Device, DeviceError, DeviceInfo, Reading};

/// What is to be put back.
#[derive(Default)]
pub(super) struct Changes {
    /// Previous values, last changed last.
    previous: Vec<Setting>,
    /// What was set, in order.
    applied: Vec<Setting>,
    /// A recording under way.
    recording: Option<Recording>,
    /// The device's clock when the test began.
    began: Option<LogTime>,
}

impl Changes {
    /// Changes a setting. Its value is noted before: nobody could put it back where the answer to the change never comes.
    async fn set(&mut self, device: &dyn Device, wanted: &Setting) -> Result<(), EngineError> {
        let before = settings::current(device, wanted).await?;
        self.set_from(device, wanted, before).await
    }

    /// Changes a setting whose value is known.
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

    /// Puts settings back, the last change first, until `left` are left. Goes on after an error and gives the first one.
    /// What is cut short, or gets no answer, is still noted.
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

/// Whether the device said yes or no. One that said nothing may do what it was asked for, or not.
fn has_answered(result: &Result<(), DeviceError>) -> bool {
    matches!(
        result,
        Ok(()) | Err(DeviceError::Unsupported { .. } | DeviceError::Command { .. })
    )
}

impl Session {
    /// Notes the device's clock at the begin of a test, so that `assert log` reads no older lines.
    ///
    /// # Errors
    /// The device does not report its clock.
    pub async fn begin(&self) -> Result<(), EngineError> {
        let began = logs::now(self.device()).await?;
        self.changes.lock().await.began = Some(began);
        Ok(())
    }

    /// Turns the device's animations off until [`Session::restore`]. `before` is how they were where another session of the
    /// same device turned them off and was lost; else it is set to how they are.
    ///
    /// # Errors
    /// The device does not allow it; a test can run all the same.
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

    /// What the device says of itself, with what this session changed of its looks since: theme, font, language.
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

    /// The device's clock when the test began, as the log has it.
    pub async fn began(&self) -> Option<LogTime> {
        self.changes.lock().await.began
    }

    /// Changes settings; [`Session::restore`] puts them back.
    pub async fn change(&self, wanted: &[Setting]) -> Result<(), EngineError> {
        // No input of another call falls into a screen that is being redrawn.
        let _turn = self.lock_input().await;
        let mut changes = self.changes.lock().await;
        let before = changes.previous.len();
        for setting in wanted {
            if let Err(error) = changes.set(self.device(), setting).await {
                // The first error is the one to report; this is an attempt to leave things as they were.
                let _ = changes.put_back(self.device(), before).await;
                return Err(error);
            }
        }
        changes.applied.extend_from_slice(wanted);
        Ok(())
    }

    /// Puts back what was changed since the session began or was last restored, the last change first, and ends a
    /// recording that nobody stopped. Goes on after an error and gives the first one.
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

    /// Starts recording the screen; `false` where a recording is already under way.
    pub async fn start_recording(&self) -> Result<bool, EngineError> {
        let mut changes = self.changes.lock().await;
        if changes.recording.is_some() {
            return Ok(false);
        }
        changes.recording = Some(Recording::start(self.device()).await?);
        Ok(true)
    }

    /// Ends the recording and gives the video (MP4); `None` where there is none. Fetching it takes as long as its size needs.
    pub async fn stop_recording(&self) -> Result<Option<Vec<u8>>, EngineError> {
        let mut changes = self.changes.lock().await;
        let Some(recording) = &mut changes.recording else {
            return Ok(None);
        };
        // Where this is cut short, the recording is still there to be stopped.
        let video = match recording.stop(self.device(), FINALISE_LIMIT).await {
            Ok(()) => recording.fetch(self.device()).await,
            Err(error) => Err(error),
        };
        if let Some(recording) = changes.recording.take() {
            // The video counts, not that its file stays on the device.
            let _ = recording.discard(self.device()).await;
        }
        Ok(Some(video?))
    }

    /// Whether a recording is under way.
    pub async fn is_recording(&self) -> bool {
        self.changes.lock().await.recording.is_some()
    }
}
