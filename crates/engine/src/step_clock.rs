//! Time limits for the device's requests within a step, and a record of the request that a step's limit cut
//! off.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use runner_device::{Clock, ClockTime};

/// Minimum limit for a look, screenshot or input. The slowest healthy phones need it.
pub const MIN_REQUEST_LIMIT: Duration = Duration::from_secs(3);
/// Time limit for one look, including the device's fall-backs, by the host's clock because a device may hang.
pub(super) const LOOK_LIMIT: Duration = Duration::from_secs(30);
/// Minimum limit for a look that can be blamed on the device. A phone reports after about eleven seconds that
/// the screen never stands still; a look that takes less may be waiting for that.
pub const RESTLESS_LOOK_LIMIT: Duration = Duration::from_secs(12);
/// Time that the device may exceed the step's limit. Chosen: a limit is promised to within a second.
const OVERRUN: Duration = Duration::from_millis(900);

/// Time of the current step by the device's clock. Outside steps only the usual limits apply.
#[derive(Debug, Default)]
pub(super) struct StepClock {
    device: Clock,
    step: Mutex<Step>,
}

#[derive(Debug, Default)]
struct Step {
    limit: Duration,
    began: Option<ClockTime>,
    /// True if a look of the step succeeded.
    looked: bool,
    cut_off: Option<UnfinishedRequest>,
    /// True if the last look exceeded a limit of [`MIN_REQUEST_LIMIT`] or more.
    hung: bool,
    /// Duration of the last wait, if it ended without success.
    waited: Option<Duration>,
}

/// Kind of a request to the device that a step may wait for. Messages name it by its `Display`, as in `the
/// look at the screen`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceRequest {
    Look,
    Picture,
    Input,
}

impl std::fmt::Display for DeviceRequest {
    /// Writes the request for a message: `the look at the screen`, `the screenshot` or `the input`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Look => "the look at the screen",
            Self::Picture => "the screenshot",
            Self::Input => "the input",
        })
    }
}

/// A request that the device had not finished when its caller stopped waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnfinishedRequest {
    pub request: DeviceRequest,
    /// Time it had, not counting the time that it takes by itself.
    pub after: Duration,
}

impl UnfinishedRequest {
    /// Returns true if it had the time that a healthy device needs.
    pub fn hangs(&self) -> bool {
        self.after >= MIN_REQUEST_LIMIT
    }

    /// Returns true if the device is certainly at fault: the request had at least 3 s, a look 12 s, as an app
    /// in motion may delay it.
    pub fn is_fault(&self) -> bool {
        self.after
            >= if self.request == DeviceRequest::Look {
                RESTLESS_LOOK_LIMIT
            } else {
                MIN_REQUEST_LIMIT
            }
    }
}

impl StepClock {
    /// Creates a clock that is outside of a step.
    pub(super) fn new(device: Clock) -> Self {
        Self {
            device,
            step: Mutex::default(),
        }
    }

    pub(super) fn device(&self) -> &Clock {
        &self.device
    }

    /// Begins a step now, and forgets all that was noted of the one before.
    pub(super) fn begin(&self, limit: Duration) {
        *self.lock() = Step {
            limit,
            began: Some(self.device.now()),
            ..Step::default()
        };
    }

    /// Begins the next round of a step: each round has the step's whole limit. Does nothing outside of a step.
    pub(super) fn begin_round(&self) {
        let mut step = self.lock();
        if step.began.is_some() {
            step.began = Some(self.device.now());
        }
    }

    /// Returns the limit for a request: at most `usual`, and what is left of the step with a short overrun, but
    /// never less than [`MIN_REQUEST_LIMIT`]. Outside of a step it is `usual`.
    pub(super) fn bound(&self, usual: Duration) -> Duration {
        match self.remaining() {
            Some(left) => usual.min((left + OVERRUN).max(MIN_REQUEST_LIMIT)),
            None => usual,
        }
    }

    /// Returns the limit for a look in a wait with `left` of its time, at most `usual`. `looked`: an earlier
    /// look of the wait succeeded. Then it is `left` and 0.9 s; before, and always on virtual time, the
    /// step's minimum of 3 s is granted too. Outside a step it is `usual`.
    pub(super) fn bound_in_wait(&self, left: Duration, looked: bool, usual: Duration) -> Duration {
        match self.remaining() {
            // After one look the step need not grant another the time that a slow phone needs. Virtual time does not tell
            // how slow this computer is, so there the minimum stays.
            Some(_) if looked && !self.device.is_virtual() => usual.min(left + OVERRUN),
            Some(_) => self.bound(usual).max(left + OVERRUN).min(usual),
            None => usual,
        }
    }

    /// Records a successful look: an earlier one that exceeded its limit is forgotten.
    pub(super) fn record_look(&self) {
        let mut step = self.lock();
        step.looked = step.began.is_some();
        step.hung = false;
    }

    /// Records that a look exceeded its limit.
    pub(super) fn record_hang(&self) {
        self.lock().hung = true;
    }

    /// Records the end of a wait: without success or not, and its duration by the device's clock.
    pub(super) fn record_wait(&self, in_vain: bool, after: Duration) {
        self.lock().waited = in_vain.then_some(after);
    }

    /// Removes and returns the duration of the last wait, if that ended without success.
    pub(super) fn take_wait(&self) -> Option<Duration> {
        self.lock().waited.take()
    }

    /// Returns true if the step's last look exceeded a limit of [`MIN_REQUEST_LIMIT`] or more.
    pub(super) fn has_hung(&self) -> bool {
        self.lock().hung
    }

    /// Returns true if a look of this step succeeded.
    pub(super) fn has_looked(&self) -> bool {
        self.lock().looked
    }

    /// Watches a request. It counts as cut off if the result is dropped before [`PendingRequest::done`].
    /// `needs` is the time that it takes by itself. Forgets an earlier cut-off.
    pub(super) fn watch(&self, request: DeviceRequest, needs: Duration) -> PendingRequest<'_> {
        self.lock().cut_off = None;
        PendingRequest {
            clock: self,
            request,
            needs,
            began: Instant::now(),
        }
    }

    pub(super) fn cut_off(&self) -> Option<UnfinishedRequest> {
        self.lock().cut_off
    }

    /// Returns true if the current step began at `moment` or before. False outside of a step.
    pub(super) fn began_before(&self, moment: ClockTime) -> bool {
        let began = self.lock().began;
        began.is_some_and(|began| self.device.since(began) >= self.device.since(moment))
    }

    /// Returns the time left of the step, zero if it is over. `None` outside of a step.
    fn remaining(&self) -> Option<Duration> {
        let (began, limit) = {
            let step = self.lock();
            (step.began?, step.limit)
        };
        Some(limit.saturating_sub(self.device.since(began)))
    }

    fn lock(&self) -> MutexGuard<'_, Step> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in progress.
#[must_use]
pub(super) struct PendingRequest<'a> {
    clock: &'a StepClock,
    request: DeviceRequest,
    needs: Duration,
    /// Start by the host's clock, as a device that hangs reports no time.
    began: Instant,
}

impl PendingRequest<'_> {
    /// Ends the request: the device has answered, with or without an error.
    pub(super) fn done(self) {
        // Its destructor would record the request as cut off.
        std::mem::forget(self);
    }
}

impl Drop for PendingRequest<'_> {
    /// Records the request as cut off, with the time that it had beyond what it takes by itself.
    fn drop(&mut self) {
        self.clock.lock().cut_off = Some(UnfinishedRequest {
            request: self.request,
            after: self.began.elapsed().saturating_sub(self.needs),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Duration = Duration::from_secs(30);

    fn seconds(limit: Duration) -> u64 {
        limit.as_millis().div_ceil(1000) as u64
    }

    /// The smallest limit wins to within a second, but a look has at least three.
    #[test]
    fn the_smallest_limit_wins_and_a_look_has_three_seconds() {
        for (step, expected) in [(None, 30), (Some(6), 7), (Some(1), 3), (Some(120), 30)] {
            let clock = StepClock::default();
            if let Some(step) = step {
                clock.begin(Duration::from_secs(step));
            }
            assert_eq!(seconds(clock.bound(USUAL)), expected, "{step:?}");
        }
        let clock = StepClock::default();
        let left = Duration::from_millis(200);
        assert_eq!(clock.bound_in_wait(left, true, USUAL), USUAL);
        clock.begin(Duration::from_secs(1));
        assert_eq!(seconds(clock.bound_in_wait(left, true, USUAL)), 2);
        assert_eq!(clock.bound_in_wait(left, false, USUAL), MIN_REQUEST_LIMIT);
        // A tool's own wait may be longer than the step's.
        let long = Duration::from_secs(20);
        assert_eq!(seconds(clock.bound_in_wait(long, false, USUAL)), 21);
    }

    #[test]
    fn a_look_is_known_to_hang_once_a_restless_screen_would_have_been_told() {
        let cut = |request, seconds| UnfinishedRequest {
            request,
            after: Duration::from_secs(seconds),
        };
        for (cut, hangs, is_fault) in [
            (cut(DeviceRequest::Look, 2), false, false),
            (cut(DeviceRequest::Look, 11), true, false),
            (cut(DeviceRequest::Look, 12), true, true),
            (cut(DeviceRequest::Input, 2), false, false),
            (cut(DeviceRequest::Input, 3), true, true),
        ] {
            assert_eq!((cut.hangs(), cut.is_fault()), (hangs, is_fault), "{cut:?}");
        }
    }

    #[test]
    fn what_is_dropped_was_cut_off_and_what_is_done_was_not() {
        let clock = StepClock::default();
        clock.watch(DeviceRequest::Look, Duration::ZERO).done();
        assert_eq!(clock.cut_off(), None);
        drop(clock.watch(DeviceRequest::Look, Duration::ZERO));
        assert_eq!(
            clock.cut_off().map(|cut| cut.request),
            Some(DeviceRequest::Look)
        );
        clock.begin(USUAL);
        assert_eq!(clock.cut_off(), None);
    }
}
