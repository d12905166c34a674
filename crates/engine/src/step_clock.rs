//! How long the device may take for what one step asks of it, and what was under way when a limit ended the step.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use runner_device::{Clock, ClockTime};

/// A look, a screenshot or an input has at least so long: the slowest phones that are well need it.
pub const LEAST: Duration = Duration::from_secs(3);
/// A phone says after about eleven seconds that the screen never stands still. Until then a look that goes on may be
/// waiting for that, and only then is it known to hang.
pub const RESTLESS: Duration = Duration::from_secs(12);
/// A limit is kept to within a second; so much of it the device may use.
const OVERRUN: Duration = Duration::from_millis(900);

/// The time of the step that runs, by the device's clock. Without a step nothing is limited but by what is usual.
#[derive(Debug, Default)]
pub(super) struct StepClock {
    device: Clock,
    step: Mutex<Step>,
}

#[derive(Debug, Default)]
struct Step {
    limit: Duration,
    began: Option<ClockTime>,
    /// A look of the step went well.
    looked: bool,
    cut_off: Option<CutOff>,
    /// The last look took longer than its limit.
    hung: bool,
    /// How long the last wait took that ended in vain.
    waited: Option<Duration>,
}

/// What is asked of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceRequest {
    /// A look at the screen.
    Look,
    /// A screenshot.
    Picture,
    /// An input.
    Input,
}

impl std::fmt::Display for DeviceRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Look => "the look at the screen",
            Self::Picture => "the screenshot",
            Self::Input => "the input",
        })
    }
}

/// What the device had begun and not done when nobody waited any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutOff {
    /// What.
    pub what: DeviceRequest,
    /// How long it was waited for, beside the time that it needs by itself.
    pub after: Duration,
}

impl CutOff {
    /// Whether it had the time that a device needs which is well.
    pub fn hangs(&self) -> bool {
        self.after >= LEAST
    }

    /// Whether that is surely the device's fault.
    pub fn is_fault(&self) -> bool {
        self.after
            >= if self.what == DeviceRequest::Look {
                RESTLESS
            } else {
                LEAST
            }
    }
}

impl StepClock {
    pub(super) fn new(device: Clock) -> Self {
        Self {
            device,
            step: Mutex::default(),
        }
    }

    /// The clock of the device.
    pub(super) fn device(&self) -> &Clock {
        &self.device
    }

    pub(super) fn begin(&self, limit: Duration) {
        *self.lock() = Step {
            limit,
            began: Some(self.device.now()),
            ..Step::default()
        };
    }

    /// The next round of a step that may take several: each has the step's whole limit.
    pub(super) fn begin_round(&self) {
        let mut step = self.lock();
        if step.began.is_some() {
            step.began = Some(self.device.now());
        }
    }

    /// The limit of one thing that is asked of the device, where `usual` is the longest that it may take.
    pub(super) fn bound(&self, usual: Duration) -> Duration {
        match self.remaining() {
            Some(left) => usual.min((left + OVERRUN).max(LEAST)),
            None => usual,
        }
    }

    /// The limit of a look in a wait that has `left` of its time, and `looked` well before.
    pub(super) fn bound_in_wait(&self, left: Duration, looked: bool, usual: Duration) -> Duration {
        match self.remaining() {
            // The step has had one look; it owes no other the time that a slow phone needs. Virtual time says nothing of
            // how slow this computer is.
            Some(_) if looked && !self.device.is_virtual() => usual.min(left + OVERRUN),
            Some(_) => self.bound(usual).max(left + OVERRUN).min(usual),
            None => usual,
        }
    }

    /// Notes that a look went well.
    pub(super) fn looked(&self) {
        let mut step = self.lock();
        step.looked = step.began.is_some();
        step.hung = false;
    }

    /// Notes that a look took longer than its limit.
    pub(super) fn hung(&self) {
        self.lock().hung = true;
    }

    /// Notes how a wait ended: whether in vain, and after how long for the device.
    pub(super) fn wait_ends(&self, in_vain: bool, after: Duration) {
        self.lock().waited = in_vain.then_some(after);
    }

    /// How long the last wait took, where that was in vain; afterwards nothing is known of it.
    pub(super) fn take_wait(&self) -> Option<Duration> {
        self.lock().waited.take()
    }

    /// Whether the step's last look took longer than its limit.
    pub(super) fn has_hung(&self) -> bool {
        self.lock().hung
    }

    /// Whether a look of this step went well.
    pub(super) fn has_looked(&self) -> bool {
        self.lock().looked
    }

    /// Notes `what` as cut off where the result is dropped before [`PendingRequest::done`].
    pub(super) fn watch(&self, what: DeviceRequest, needs: Duration) -> PendingRequest<'_> {
        self.lock().cut_off = None;
        PendingRequest {
            clock: self,
            what,
            needs,
            began: Instant::now(),
        }
    }

    pub(super) fn cut_off(&self) -> Option<CutOff> {
        self.lock().cut_off
    }

    /// Returns true if a step is under way that began before `moment`.
    pub(super) fn began_before(&self, moment: ClockTime) -> bool {
        let began = self.lock().began;
        began.is_some_and(|began| self.device.since(began) >= self.device.since(moment))
    }

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

/// Something that the device does now.
#[must_use]
pub(super) struct PendingRequest<'a> {
    clock: &'a StepClock,
    what: DeviceRequest,
    needs: Duration,
    /// By the host's clock: a device that hangs reports no time.
    began: Instant,
}

impl PendingRequest<'_> {
    /// The device has answered, well or not.
    pub(super) fn done(self) {
        // Dropping it would say that nobody waited for the answer.
        std::mem::forget(self);
    }
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        self.clock.lock().cut_off = Some(CutOff {
            what: self.what,
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
        assert_eq!(clock.bound_in_wait(left, false, USUAL), LEAST);
        // A tool's own wait may be longer than the step's.
        let long = Duration::from_secs(20);
        assert_eq!(seconds(clock.bound_in_wait(long, false, USUAL)), 21);
    }

    #[test]
    fn a_look_is_known_to_hang_once_a_restless_screen_would_have_been_told() {
        let cut = |what, seconds| CutOff {
            what,
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
            clock.cut_off().map(|cut| cut.what),
            Some(DeviceRequest::Look)
        );
        clock.begin(USUAL);
        assert_eq!(clock.cut_off(), None);
    }
}
