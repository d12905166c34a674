//! Opens the device of a worker: the first time, after a flow that released it, and when it was lost.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::worker::{OpenedDevice, Worker, is_final};
use crate::app_versions::AppVersions;
use crate::devices::{self, OpenDevice};
use crate::lease::Leases;
use crate::runner::device_steps::DeviceSteps;
use crate::runner::fit::DeviceFacts;
use crate::runner::pool::Availability;
use crate::stamp::DeviceStamp;
use runner_device::DeviceError;
use runner_engine::Session;
use runner_text::units::HumanDuration;

/// First pause before a lost device is asked again; it doubles each time. Chosen: a phone that restarts its
/// adbd is back after a few seconds.
const FIRST_PAUSE: Duration = Duration::from_secs(5);

/// Longest pause before a lost device is asked again. Chosen: a device that comes back is used within a minute.
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// Chosen: a device that came back may still be starting its system; after this it counts as lost.
const LOOK_LIMIT: Duration = Duration::from_secs(30);

impl Worker {
    /// Opens the device for the first time, and waits if another computer uses it, at most as long as `device_wait`
    /// says. If that fails, items that no device is left for end; it may come back later only if any device may take a
    /// flow and the error is not final. `None` also if the run stops.
    pub(super) async fn open_first(&self) -> Option<OpenedDevice> {
        if self.run.stops() {
            return None;
        }
        let wait = self.run.settings.config.device_wait.value;
        let end = Instant::now() + wait;
        let error = loop {
            match self.opened().await? {
                Ok(opened) => return Some(opened),
                // Another computer has it.
                Err(error @ DeviceError::InUse { .. }) if Instant::now() < end => {
                    if self.pool.is_coming(self.at) {
                        self.pool.set(self.at, Availability::InUse, None);
                        self.open_pool();
                        let limit = HumanDuration(wait);
                        let note = format!("{error}; it is waited for, {limit} at most");
                        self.run.emitter.info(None, note);
                    }
                    if self.run.stops() || !self.pool.has_left(self.at) {
                        break error;
                    }
                    let pause = tokio::time::sleep_until(end.min(Instant::now() + FIRST_PAUSE));
                    self.run.cancel.run_until_cancelled(pause).await?;
                }
                Err(error) => break error,
            }
        };
        let why = error.to_string();
        let is_final = !self.run.spreads() || is_final(&error);
        let presence = if is_final {
            Availability::Out { why }
        } else {
            // It never was there, so no work waits for it. It may come back all the same.
            let until = Instant::now();
            Availability::Gone { until, why }
        };
        self.pool.set(self.at, presence, None);
        self.run.end_unassigned(&self.pool);
        None
    }

    /// Opens the device, writes its note for other computers, and tells the pool that it is ready. Warns if it had to
    /// be woken. `None` if the run was interrupted meanwhile. The error inside is that of opening, or `InUse` if
    /// another run's note is there.
    async fn opened(&self) -> Option<Result<OpenedDevice, DeviceError>> {
        let opening = async {
            let (device, was_woken) =
                Box::pin(devices::open_for_flows(&self.target, &self.options)).await?;
            let stamp = self.stamp(&device).await?;
            if was_woken {
                let label = &self.target.label;
                let why = format!("device '{label}' was asleep or locked; it was woken");
                self.run.emitter.warn(None, why);
            }
            Ok((device, stamp))
        };
        let opened = self.run.cancel.run_until_cancelled(opening).await?;
        Some(opened.map(|(device, stamp)| self.is_ready(device, stamp)))
    }

    /// Opens a device again that was released after a flow. A failure counts as a lost device, and returns `None`.
    /// After an interruption it is `None` too, and the device does not count as lost.
    pub(super) async fn reopen(&self) -> Option<OpenedDevice> {
        match self.opened().await? {
            Ok(opened) => Some(opened),
            Err(error) => {
                let until = Instant::now() + self.run.settings.config.device_wait.value;
                let why = error.to_string();
                self.pool
                    .set(self.at, Availability::Gone { until, why }, None);
                None
            }
        }
    }

    /// Writes a note on a device that other computers reach too, to keep them off. `None` for a device that only this
    /// computer reaches. An error if another run's note is there, or the device does not answer. A warning is given
    /// later if another run takes it all the same.
    async fn stamp(&self, opened: &OpenDevice) -> Result<Option<DeviceStamp>, DeviceError> {
        let server = self.run.settings.config.adb_server();
        if !self.target.address.is_shared(&server) {
            return Ok(None);
        }
        let leases = Leases::new(
            &self.run.settings.config.lease_folder,
            &server,
            "runner test",
        );
        let (emitter, label) = (self.run.emitter.clone(), self.target.label.clone());
        let lost = move |holder| {
            let why = format!("device '{label}' is used by another run too: {holder}");
            emitter.warn(None, why);
        };
        let label = &self.target.label;
        let by = (self.run.settings.run_id.as_str(), leases.holder());
        let stamp = DeviceStamp::take(&opened.device, label, by, lost).await?;
        Ok(Some(stamp))
    }

    /// Reports the device, tells the pool that it is ready, and returns it as opened. The project's setup has not run
    /// on it.
    fn is_ready(&self, device: OpenDevice, stamp: Option<DeviceStamp>) -> OpenedDevice {
        let info = device.device.info();
        self.run.emit_device(&self.target, info);
        let facts = DeviceFacts::new(info, &self.target);
        self.pool.set(self.at, Availability::Ready, Some(facts));
        OpenedDevice {
            stamp,
            steps: DeviceSteps::new(&self.run, &device.device),
            device,
            apps: AppVersions::default(),
        }
    }

    /// Asks a lost device again until it shows its screen: at once if it was open before, then after 5 s and
    /// after twice as long each time, at most a minute. `None` if there is no more work for it, the run
    /// stops, an error is final, or it is not lost. Items whose wait for it is over end meanwhile.
    pub(super) async fn regain(&self) -> Option<OpenedDevice> {
        let (until, was_ready) = self.pool.is_gone(self.at)?;
        let mut pause = FIRST_PAUSE;
        // A device that was lost for a moment is back at once.
        let mut ask_at = Instant::now() + if was_ready { Duration::ZERO } else { pause };
        loop {
            let changed = self.pool.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.run.stops() || !self.pool.has_left(self.at) {
                return None;
            }
            let now = Instant::now();
            if ask_at > now {
                let wake_at = if until > now {
                    ask_at.min(until)
                } else {
                    ask_at
                };
                tokio::select! {
                    () = self.run.cancel.cancelled() => return None,
                    () = changed => {}
                    () = tokio::time::sleep_until(wake_at) => {}
                }
                self.run.end_unassigned(&self.pool);
                continue;
            }
            let why = match self.reopen_and_look().await? {
                Ok(opened) => return Some(opened),
                Err(error) if is_final(&error) => {
                    let why = error.to_string();
                    self.pool.set(self.at, Availability::Out { why }, None);
                    self.run.end_unassigned(&self.pool);
                    return None;
                }
                Err(error) => error.to_string(),
            };
            self.pool
                .set(self.at, Availability::Gone { until, why }, None);
            self.run.end_unassigned(&self.pool);
            ask_at = Instant::now() + pause;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Opens a device again and looks at it: one that answers may not show a screen yet, which is an error
    /// after 30 s. `None` if the run was interrupted meanwhile.
    async fn reopen_and_look(&self) -> Option<Result<OpenedDevice, DeviceError>> {
        let asking = async {
            let device = devices::open(&self.target, &self.options).await?;
            let session = Session::new(Arc::clone(&device.device));
            let looked = tokio::time::timeout(LOOK_LIMIT, session.look()).await;
            match looked {
                Ok(Ok(_)) => {
                    let stamp = self.stamp(&device).await?;
                    Ok((device, stamp))
                }
                Ok(Err(error)) => Err(self.lost(error.to_string())),
                Err(_) => Err(self.lost("it does not show its screen".to_owned())),
            }
        };
        let requested = self.run.cancel.run_until_cancelled(asking).await?;
        Some(requested.map(|(device, stamp)| self.is_ready(device, stamp)))
    }

    /// Returns the error that this device was lost.
    fn lost(&self, cause: String) -> DeviceError {
        DeviceError::Lost {
            serial: self.target.label.clone(),
            cause,
        }
    }
}
