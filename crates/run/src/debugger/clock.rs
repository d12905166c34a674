//! Clock of an attempt: the device's clock, stopped while a person looks at a paused flow. Limits of the flow
//! and its blocks count by it, so a pause of an hour fails nothing.

use std::pin::pin;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::liveness::ANSWER_LIMIT;
use runner_device::{Clock, ClockTime, in_time_by};

/// Device clock without pauses.
#[derive(Debug)]
pub(crate) struct AttemptClock {
    device: Clock,
    pauses: watch::Sender<Pauses>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Pauses {
    /// Sum of the finished pauses, by the device's clock.
    over: Duration,
    /// Sum of the finished pauses, by the host's clock.
    over_on_host: Duration,
    /// Beginning of the current pause, by both clocks.
    since: Option<(ClockTime, Instant)>,
}

/// Stops the clock until it is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct ClockPause<'a>(&'a AttemptClock);

impl Drop for ClockPause<'_> {
    /// Lets the clock go on; the pause counts for no limit.
    fn drop(&mut self) {
        let device = &self.0.device;
        device.resume();
        self.0.pauses.send_modify(|pauses| {
            if let Some((began, on_host)) = pauses.since.take() {
                pauses.over += device.since(began);
                pauses.over_on_host += on_host.elapsed();
            }
        });
    }
}

/// Measures host time without pauses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch<'a> {
    clock: &'a AttemptClock,
    began: Instant,
    paused: Duration,
}

impl Stopwatch<'_> {
    /// Returns the time since the start without finished pauses. A pause that goes on counts.
    pub(crate) fn elapsed(&self) -> Duration {
        let paused = self.clock.pauses.borrow().over_on_host;
        let paused = paused.saturating_sub(self.paused);
        self.began.elapsed().saturating_sub(paused)
    }
}

impl AttemptClock {
    pub(crate) fn new(device: Clock) -> Self {
        Self {
            device,
            pauses: watch::Sender::new(Pauses::default()),
        }
    }

    /// Stops the clock until the result is dropped. Only one pause may go on at a time. A second one at the same time
    /// would lose the beginning of the first.
    pub(crate) fn stop(&self) -> ClockPause<'_> {
        self.pauses.send_modify(|pauses| {
            pauses.since = Some((self.device.now(), Instant::now()));
        });
        ClockPause(self)
    }

    /// Starts a stopwatch by the host's clock that leaves out pauses from now on.
    pub(crate) fn stopwatch(&self) -> Stopwatch<'_> {
        Stopwatch {
            clock: self,
            began: Instant::now(),
            paused: self.pauses.borrow().over_on_host,
        }
    }

    /// Returns the output of `work` if it ends within `limit`, not counting the time in which the debugger has stopped
    /// the clock. Otherwise returns the output of `asking` as the error. `asking` begins [`ANSWER_LIMIT`] before the
    /// limit is up, for a short limit after a quarter of it, and asks whether the device still answers. A late answer
    /// is awaited.
    ///
    /// Work that ends after its limit, because virtual time leapt past it, is too late. The error is the default then:
    /// the device answered.
    pub(crate) async fn limit<T, A: Default>(
        &self,
        limit: Duration,
        work: impl Future<Output = T>,
        asking: impl Future<Output = A>,
    ) -> Result<T, A> {
        let (work, asking) = (pin!(work), pin!(asking));
        let (began, before) = (self.device.now(), self.pauses.borrow().over);
        let sleep = |limit| self.sleep(limit);
        let done = in_time_by(sleep, limit, ANSWER_LIMIT, work, asking).await?;
        let paused = self.pauses.borrow().over.saturating_sub(before);
        let took = self.device.since(began).saturating_sub(paused);
        (took <= limit).then_some(done).ok_or_else(A::default)
    }

    /// Waits until `limit` has passed by this clock, which stands still during the debugger's pauses. During
    /// a pause it never completes.
    async fn sleep(&self, limit: Duration) {
        let mut pauses = self.pauses.subscribe();
        let began = self.device.now();
        let before = pauses.borrow().over;
        loop {
            let Pauses { over, since, .. } = *pauses.borrow_and_update();
            let limit = limit.saturating_add(over.saturating_sub(before));
            let sleeping = async {
                if since.is_some() {
                    std::future::pending::<()>().await;
                } else {
                    self.device.sleep_since(began, limit).await;
                }
            };
            tokio::select! {
                () = sleeping => return,
                changed = pauses.changed() => debug_assert!(changed.is_ok(), "the clock is borrowed"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(1);

    #[tokio::test]
    async fn a_pause_takes_nothing_of_a_limit() {
        let clock = AttemptClock::new(Clock::host());
        let watch = clock.stopwatch();
        let work = async {
            let still = clock.stop();
            tokio::time::sleep(LIMIT + LIMIT / 5).await;
            drop(still);
            7
        };
        assert_eq!(clock.limit(LIMIT, work, async {}).await, Ok(7));
        assert!(watch.elapsed() < LIMIT, "{:?}", watch.elapsed());
    }

    #[tokio::test]
    async fn a_leap_past_a_limit_is_too_late() {
        let device = Clock::reported();
        let clock = AttemptClock::new(device.clone());
        device.report(Duration::ZERO);
        let leap = |to| {
            let device = &device;
            async move { device.report(to) }
        };
        assert_eq!(clock.limit(LIMIT, leap(LIMIT), async {}).await, Ok(()));
        assert_eq!(clock.limit(LIMIT, leap(LIMIT * 3), async {}).await, Err(()));
    }

    #[tokio::test]
    async fn behind_a_pause_the_rest_of_the_limit_counts() {
        let clock = AttemptClock::new(Clock::host());
        let limit = LIMIT / 10;
        let began = Instant::now();
        let work = async {
            for _ in 0..2 {
                let still = clock.stop();
                tokio::time::sleep(limit).await;
                drop(still);
            }
            std::future::pending::<()>().await;
        };
        assert_eq!(clock.limit(limit, work, async {}).await, Err(()));
        assert!(began.elapsed() >= limit * 3, "{:?}", began.elapsed());
    }
}
