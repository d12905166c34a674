//! Looks, screenshots and the display of a session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Session;
use crate::EngineError;
use crate::step_clock::{DeviceRequest, LOOK_LIMIT, MIN_REQUEST_LIMIT, RESTLESS_LOOK_LIMIT};
use runner_device::{ATTEMPTS, DeviceError, LookOptions, Picture, PictureOptions, system};
use runner_screen::{Display, Screen};

/// Time limit for one screenshot. Chosen: a phone takes less than a second, a device of a cloud a few.
const PICTURE_LIMIT: Duration = Duration::from_secs(20);

impl Session {
    /// Takes a look within the step's time, at least 3 s and at most 30 s. It is recorded, and observers are told. Does
    /// not wait for rest by itself.
    pub async fn look(&self) -> Result<Arc<Screen>, EngineError> {
        self.look_within(self.clock.bound(LOOK_LIMIT)).await
    }

    /// Takes a look with this limit, as [`Session::look`] does.
    pub(crate) async fn look_within(&self, limit: Duration) -> Result<Arc<Screen>, EngineError> {
        let (looked, others) = self.timed_look(LookOptions::within(limit)).await;
        Ok(self.observe(looked?, others))
    }

    /// Takes a look under the step's clock. A look that exceeds its limit is classified by
    /// [`Session::look_ran_out`]. Also returns the number of changing round trips before it. Does not record
    /// the look.
    async fn timed_look(&self, options: LookOptions) -> (Result<Screen, EngineError>, u64) {
        let limit = options.limit;
        // After a successful look, a later one that is cut off says nothing about the device.
        let watch = (!self.clock.has_looked())
            .then(|| self.clock.watch(DeviceRequest::Look, Duration::ZERO));
        let others = self.changing_round_trips();
        let begun = Instant::now();
        let looked = self.device.look(options).await;
        self.count_silence(begun, &looked);
        log_look(begun, limit, &looked);
        if let Some(watch) = watch {
            watch.done();
        }
        let looked = looked.map_err(|error| match error {
            DeviceError::Timeout { .. } => self.look_ran_out(error, limit),
            error => error.into(),
        });
        (looked, others)
    }

    /// Adds the host's time of a timed-out request to the device's clock, as the device itself reports none
    /// for it.
    fn count_silence<T>(&self, begun: Instant, done: &Result<T, DeviceError>) {
        if matches!(done, Err(DeviceError::Timeout { .. })) {
            self.clock().count(begun.elapsed());
        }
    }

    /// Takes a look at the elements alone, without the front activity and the system bars. It counts as
    /// displayed, but is neither recorded in the history nor reported to observers, so ids of it are not
    /// found again.
    pub async fn look_at_elements(&self) -> Result<Arc<Screen>, EngineError> {
        let limit = self.clock.bound(LOOK_LIMIT);
        let options = LookOptions {
            surroundings: false,
            ..LookOptions::within(limit)
        };
        let (looked, others) = self.timed_look(options).await;
        let screen = Arc::new(looked?);
        self.clock.record_look();
        self.note_displayed(&screen, others);
        Ok(screen)
    }

    /// Classifies a look that exceeded `limit`. After a successful look of this step it is only cut off.
    /// Before, it was not read if the limit was below 12 s; with a longer one the device's error stays. From
    /// 3 s on, the step's clock records a hang. The device answers other requests, else it would count as
    /// lost.
    fn look_ran_out(&self, error: DeviceError, limit: Duration) -> EngineError {
        // A shorter limit may end a wait on a healthy device.
        if limit >= MIN_REQUEST_LIMIT {
            self.clock.record_hang();
        }
        if self.clock.has_looked() {
            EngineError::LookCutOff { limit }
        } else if limit < RESTLESS_LOOK_LIMIT {
            EngineError::NotRead { limit }
        } else {
            error.into()
        }
    }

    /// Takes a look for the evidence of a failure, within `limit` and not bounded by the step's time, by at most
    /// `attempts` dumps. Recorded as any other look, but an exceeded limit stays the device's error.
    pub async fn glimpse(
        &self,
        limit: Duration,
        attempts: usize,
    ) -> Result<Arc<Screen>, EngineError> {
        // Not bounded by the step, whose time is over when evidence of its failure is taken.
        let options = LookOptions {
            attempts,
            ..LookOptions::within(limit)
        };
        let others = self.changing_round_trips();
        Ok(self.observe(self.device.look(options).await?, others))
    }

    /// Records a look in the history and on the step's clock, keeps it as the fresh one, and tells the observers in
    /// their order. `others` is the number of changing requests when it began: if there were more since, no look is
    /// fresh.
    fn observe(&self, screen: Screen, others: u64) -> Arc<Screen> {
        let screen = Arc::new(screen);
        self.clock.record_look();
        self.history().add(Arc::clone(&screen));
        self.note_look(&screen, others);
        for observer in &self.observers {
            observer.saw(&screen);
        }
        screen
    }

    /// Takes a screenshot within the step's time, at least 3 s and at most 20 s. Observers get it if it succeeds.
    pub async fn picture(&self) -> Result<Picture, EngineError> {
        self.picture_within(self.clock.bound(PICTURE_LIMIT), ATTEMPTS)
            .await
    }

    /// Takes a screenshot within `limit`, also if the step has less time left. Tries at most `attempts` times.
    /// Observers get it if it succeeds.
    pub async fn picture_within(
        &self,
        limit: Duration,
        attempts: usize,
    ) -> Result<Picture, EngineError> {
        let watch = self.clock.watch(DeviceRequest::Picture, Duration::ZERO);
        let options = PictureOptions { limit, attempts };
        let begun = Instant::now();
        let picture = self.device.picture(options).await;
        self.count_silence(begun, &picture);
        watch.done();
        let ms = begun.elapsed().as_millis() as u64;
        tracing::debug!(target: "engine", ms, taken = picture.is_ok(), "screenshot");
        if let Ok(picture) = &picture {
            for observer in &self.observers {
                observer.took(picture);
            }
        }
        Ok(picture?)
    }

    /// Returns the last look that the session has recorded, however old. `None` before the first.
    pub fn last_screen(&self) -> Option<Arc<Screen>> {
        self.history().last()
    }

    /// Returns the display as it was at the last look, or else as the device reports it now, or as it did
    /// when the session began. A rotation since the last look goes unnoticed. A display without size is an
    /// error of the device.
    pub async fn display(&self) -> Result<Display, EngineError> {
        let observed = self.last_screen().map(|screen| screen.display());
        match observed.filter(|display| !display.bounds().is_empty()) {
            Some(display) => Ok(display),
            None => {
                let display = match self.display_now().await? {
                    Some(now) => now,
                    None => *self.device.info().display.needed()?,
                };
                if display.bounds().is_empty() {
                    // A display of no size is the device's fault, not that of the gesture which has no room on it.
                    return Err(EngineError::Device(DeviceError::Command {
                        command: "wm size".to_owned(),
                        exit_code: None,
                        output: "it does not tell the size of the display".to_owned(),
                    }));
                }
                Ok(display)
            }
        }
    }

    /// Returns the display in its present rotation; `None` if the device reports none. Needs no look, as a
    /// screen that gives no dump has a size all the same.
    pub async fn display_now(&self) -> Result<Option<Display>, EngineError> {
        Ok(system::display(self.device()).await?)
    }
}

/// Writes a look with its duration and size to the program's log; one that failed at a higher level.
fn log_look(begun: Instant, limit: Duration, looked: &Result<Screen, DeviceError>) {
    let ms = begun.elapsed().as_millis() as u64;
    let limit = limit.as_millis() as u64;
    match looked {
        Ok(screen) => {
            let (windows, nodes) = (screen.windows().len(), screen.len());
            tracing::debug!(target: "engine", ms, limit, windows, nodes, "look");
        }
        Err(error) => {
            tracing::info!(target: "engine", ms, limit, error = ?error.to_string(), "look failed");
        }
    }
}
