//! How a wait of the session runs down: by the device's clock, with looks that begin a pause apart.

use std::time::Duration;

use super::{EngineError, Session};
use runner_device::{Clock, ClockTime, Script};

/// Looks of one wait begin at least so far apart. A dump takes a phone more than a second by itself.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// The two snapshots of `wait_for_idle` begin at least so far apart.
const BETWEEN_SNAPSHOTS: Duration = Duration::from_millis(500);
/// Longest time for one look, with the device's own fall-backs. It is the host's: a device may hang.
pub(super) const LOOK_LIMIT: Duration = Duration::from_secs(30);
/// How much longer than a pause a device may take to say that it is over.
const GRACE: Duration = Duration::from_secs(15);

impl Session {
    /// Longest time for the next look of a wait, whose looks went well before or not.
    pub(super) fn look_limit(&self, timeout: &WaitBudget, looked: bool) -> Duration {
        self.clock
            .bound_in_wait(timeout.remaining(), looked, LOOK_LIMIT)
    }

    /// Lets time pass for the device. Virtual time moves only where the device is asked to wait.
    pub async fn pause(&self, time: Duration) -> Result<(), EngineError> {
        // Who pauses waits for the screen to change by itself.
        self.forget_look();
        if !self.clock().is_virtual() {
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

    /// Pauses before the next look of a wait; `false` where the limit has run out and no further look may begin.
    pub(super) async fn may_look_again(&self, timeout: &WaitBudget) -> bool {
        self.again_after(timeout, BETWEEN_LOOKS).await
    }

    /// As [`Self::may_look_again`], with the snapshots of `wait_for_idle` apart.
    pub(super) async fn may_take_snapshot_again(&self, timeout: &WaitBudget) -> bool {
        self.again_after(timeout, BETWEEN_SNAPSHOTS).await
    }

    async fn again_after(&self, timeout: &WaitBudget, apart: Duration) -> bool {
        let left = timeout.remaining();
        if left.is_zero() {
            return false;
        }
        let pause = apart.saturating_sub(timeout.clock.since(timeout.last_look));
        if !pause.is_zero() {
            let ms = pause.min(left).as_millis() as u64;
            tracing::trace!(target: "engine", ms, "pause before the next look");
            // A device that cannot pause fails the look that follows.
            let _ = self.pause(pause.min(left)).await;
        }
        true
    }
}

/// One wait that runs down.
#[derive(Debug)]
pub(super) struct WaitBudget {
    clock: Clock,
    limit: Duration,
    started: ClockTime,
    last_look: ClockTime,
    looks: u32,
}

impl WaitBudget {
    pub(super) fn new(clock: &Clock, limit: Duration) -> Self {
        let now = clock.now();
        Self {
            clock: clock.clone(),
            limit,
            started: now,
            last_look: now,
            looks: 0,
        }
    }

    /// Notes that a look begins now.
    pub(super) fn look_begins(&mut self) {
        self.last_look = self.clock.now();
        self.looks += 1;
    }

    /// Looks so far.
    pub(super) fn looks(&self) -> u32 {
        self.looks
    }

    /// Time that has passed.
    pub(super) fn elapsed(&self) -> Duration {
        self.clock.since(self.started)
    }

    /// Time that is left.
    pub(super) fn remaining(&self) -> Duration {
        self.limit.saturating_sub(self.elapsed())
    }
}
