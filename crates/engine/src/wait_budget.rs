//! How time passes while the session waits.
//!
//! A real dump takes more than a second by itself, so waiting is looking again, with a pause only where looks are
//! quicker than [`WaitPolicy::between_looks`]. The virtual device does not really wait: each of its looks lets virtual time
//! pass. There a look is counted as [`WaitPolicy::look_worth`] of the limit and no pause is made, so a wait ends after the
//! same number of looks on every machine.

use std::time::{Duration, Instant};

use super::{EngineError, Session};
use runner_device::{DeviceInfo, Feature, Script};

/// How much longer than a pause a device may take to say that it is over.
const GRACE: Duration = Duration::from_secs(15);

/// How the session waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitPolicy {
    /// Looks of one wait begin at least so far apart.
    pub between_looks: Duration,
    /// The two snapshots of `wait_for_idle` are at least so far apart.
    pub between_snapshots: Duration,
    /// What one look counts for at least when a limit runs down.
    pub look_worth: Duration,
    /// Longest time for one look, with the device's own fall-backs.
    pub look_limit: Duration,
}

impl WaitPolicy {
    /// For a device that takes real time.
    pub const REAL: Self = Self {
        between_looks: Duration::from_millis(200),
        between_snapshots: Duration::from_millis(500),
        look_worth: Duration::ZERO,
        look_limit: Duration::from_secs(30),
    };

    /// For a device whose time is virtual.
    pub const VIRTUAL: Self = Self {
        between_looks: Duration::ZERO,
        between_snapshots: Duration::ZERO,
        look_worth: Duration::from_millis(500),
        ..Self::REAL
    };

    /// The pace that fits the device.
    pub fn of(info: &DeviceInfo) -> Self {
        if info.offers(Feature::VirtualClock) {
            Self::VIRTUAL
        } else {
            Self::REAL
        }
    }
}

impl Session {
    /// Longest time for the next look of a wait, whose looks went well before or not.
    pub(super) fn look_limit(&self, timeout: &WaitBudget, looked: bool) -> Duration {
        let usual = self.wait_policy().look_limit;
        self.clock.bound_in_wait(timeout.remaining(), looked, usual)
    }

    /// Lets time pass for the device. Virtual time moves only where the device is asked to wait.
    pub async fn pause(&self, time: Duration) -> Result<(), EngineError> {
        if self.wait_policy() == WaitPolicy::REAL {
            tokio::time::sleep(time).await;
            return Ok(());
        }
        if let Some(system) = self.device().system() {
            return Ok(system.pause(time).await?);
        }
        let seconds = time.as_secs_f64().to_string();
        let script = Script::command(["sleep", &seconds]);
        self.device().shell(&script, time + GRACE).await?;
        Ok(())
    }
}

/// One wait that runs down: real time, or looks where these count for more.
#[derive(Debug)]
pub(super) struct WaitBudget {
    wait_policy: WaitPolicy,
    limit: Duration,
    started: Instant,
    last_look: Instant,
    looks: u32,
}

impl WaitBudget {
    pub(super) fn new(wait_policy: WaitPolicy, limit: Duration) -> Self {
        let now = Instant::now();
        Self {
            wait_policy,
            limit,
            started: now,
            last_look: now,
            looks: 0,
        }
    }

    /// Notes that a look begins now.
    pub(super) fn look_begins(&mut self) {
        self.last_look = Instant::now();
        self.looks += 1;
    }

    /// Looks so far.
    pub(super) fn looks(&self) -> u32 {
        self.looks
    }

    /// Time that has passed for the device.
    pub(super) fn elapsed(&self) -> Duration {
        self.started
            .elapsed()
            .max(self.wait_policy.look_worth.saturating_mul(self.looks))
    }

    /// Real time that is left: what a look may take is not counted in virtual time.
    pub(super) fn remaining(&self) -> Duration {
        self.limit.saturating_sub(self.started.elapsed())
    }

    /// Pauses before the next look; `false` where the limit has run out and no further look may begin.
    pub(super) async fn again(&self) -> bool {
        self.again_after(self.wait_policy.between_looks).await
    }

    /// As [`Self::again`], with the snapshots of `wait_for_idle` apart.
    pub(super) async fn again_for_snapshot(&self) -> bool {
        self.again_after(self.wait_policy.between_snapshots).await
    }

    async fn again_after(&self, apart: Duration) -> bool {
        let left = self.limit.saturating_sub(self.elapsed());
        if left.is_zero() {
            return false;
        }
        let pause = apart.saturating_sub(self.last_look.elapsed());
        if !pause.is_zero() {
            let ms = pause.min(left).as_millis() as u64;
            tracing::trace!(target: "engine", ms, "pause before the next look");
            tokio::time::sleep(pause.min(left)).await;
        }
        true
    }
}
