//! Time budget of a wait, by the device's clock, with pauses between its looks.

use std::time::Duration;

use super::step_clock::LOOK_LIMIT;
use super::{EngineError, Session};
use runner_device::{Clock, ClockTime, Script};

/// Minimum time between the starts of two looks of a wait. Chosen: spares fast devices; a dump takes a phone
/// more than a second anyway.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// Minimum time between the starts of two looks of `wait_for_idle`. Chosen: slow animations must differ
/// noticeably between them.
const BETWEEN_SNAPSHOTS: Duration = Duration::from_millis(500);
/// Time beyond a pause's length for the device to report its end. Chosen: as generous as for other requests.
const GRACE: Duration = Duration::from_secs(15);

impl Session {
    /// Returns the time limit for the next look of a wait. `looked`: an earlier look succeeded.
    pub(super) fn look_limit(&self, timeout: &WaitBudget, looked: bool) -> Duration {
        self.clock
            .bound_in_wait(timeout.remaining(), looked, LOOK_LIMIT)
    }

    /// Lets time pass on the device, and forgets the last look. In real time this only sleeps on the host.
    /// Virtual time advances only if the device is asked to wait, which may fail.
    pub async fn pause(&self, time: Duration) -> Result<(), EngineError> {
        // A caller that pauses expects the screen to change by itself.
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

    /// Pauses until 0.2 s have passed since the last look began, but not beyond the limit. Returns `false`, without a
    /// pause, if the limit has run out.
    pub(super) async fn may_look_again(&self, timeout: &WaitBudget) -> bool {
        let left = timeout.remaining();
        if left.is_zero() {
            return false;
        }
        let pause = BETWEEN_LOOKS.saturating_sub(timeout.since_look());
        self.pause_before_look(pause.min(left)).await;
        true
    }

    /// Pauses until 0.5 s have passed since the last look began, also beyond the limit if the next look is `owed`.
    /// Returns `false`, without a pause, if a look that is not owed would begin after the limit.
    pub(super) async fn may_compare_again(&self, timeout: &WaitBudget, owed: bool) -> bool {
        let pause = BETWEEN_SNAPSHOTS.saturating_sub(timeout.since_look());
        if !owed && timeout.remaining() <= pause {
            return false;
        }
        self.pause_before_look(pause).await;
        true
    }

    /// Pauses on the device's clock, which makes the last look stale. Zero does nothing; an error is left to the
    /// look that follows.
    async fn pause_before_look(&self, pause: Duration) {
        if pause.is_zero() {
            return;
        }
        let ms = pause.as_millis() as u64;
        tracing::trace!(target: "engine", ms, "pause before the next look");
        // A device that cannot pause fails the look that follows.
        let _ = self.pause(pause).await;
    }
}

/// Remaining time and looks of one wait.
#[derive(Debug)]
pub(super) struct WaitBudget {
    clock: Clock,
    limit: Duration,
    started: ClockTime,
    last_look: ClockTime,
    looks: u32,
}

impl WaitBudget {
    /// Begins a wait now, without a look so far.
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

    /// Records that a look begins now.
    pub(super) fn record_look(&mut self) {
        self.last_look = self.clock.now();
        self.looks += 1;
    }

    /// Returns the time since the last look began.
    fn since_look(&self) -> Duration {
        self.clock.since(self.last_look)
    }

    pub(super) fn looks(&self) -> u32 {
        self.looks
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.clock.since(self.started)
    }

    pub(super) fn remaining(&self) -> Duration {
        self.limit.saturating_sub(self.elapsed())
    }
}
