//! The clock of an attempt. It stands while somebody looks at a paused flow, and the limits of the flow and its steps count
//! by it: a pause of an hour fails nothing.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// The clock.
#[derive(Debug)]
pub(crate) struct Clock {
    pauses: watch::Sender<Pauses>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Pauses {
    /// What the pauses took that are over.
    over: Duration,
    /// When the pause began that goes on.
    since: Option<Instant>,
}

impl Pauses {
    fn all(self) -> Duration {
        self.over + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            pauses: watch::Sender::new(Pauses::default()),
        }
    }
}

/// The clock stands as long as this lives.
#[derive(Debug)]
#[must_use]
pub(crate) struct StandStill<'a>(&'a Clock);

impl Drop for StandStill<'_> {
    fn drop(&mut self) {
        self.0.pauses.send_modify(|pauses| {
            pauses.over = pauses.all();
            pauses.since = None;
        });
    }
}

/// Counts by a clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch<'a> {
    clock: &'a Clock,
    began: Instant,
    paused: Duration,
}

impl Stopwatch<'_> {
    /// The time since it began, without pauses.
    pub(crate) fn elapsed(&self) -> Duration {
        let paused = self.clock.pauses.borrow().all().saturating_sub(self.paused);
        self.began.elapsed().saturating_sub(paused)
    }
}

impl Clock {
    /// Lets it stand. Only one pause goes on at a time.
    pub(crate) fn stop(&self) -> StandStill<'_> {
        self.pauses.send_modify(|pauses| {
            pauses.since = Some(Instant::now());
        });
        StandStill(self)
    }

    pub(crate) fn stopwatch(&self) -> Stopwatch<'_> {
        Stopwatch {
            clock: self,
            began: Instant::now(),
            paused: self.pauses.borrow().all(),
        }
    }

    /// Ends when so much time has passed by this clock.
    pub(crate) async fn sleep(&self, limit: Duration) {
        let mut pauses = self.pauses.subscribe();
        let watch = self.stopwatch();
        loop {
            let stands = pauses.borrow_and_update().since.is_some();
            let left = limit.saturating_sub(watch.elapsed());
            if !stands && left.is_zero() {
                return;
            }
            let sleeping = async {
                if stands {
                    std::future::pending::<()>().await;
                } else {
                    tokio::time::sleep(left).await;
                }
            };
            tokio::select! {
                () = sleeping => {}
                changed = pauses.changed() => debug_assert!(changed.is_ok(), "the clock is borrowed"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_device::in_time_by;

    /// What `work` comes to within `limit` by the clock.
    async fn timed<T>(
        clock: &Clock,
        limit: Duration,
        work: impl Future<Output = T>,
    ) -> Result<T, ()> {
        let (work, asking) = (std::pin::pin!(work), std::pin::pin!(async {}));
        in_time_by(|limit| clock.sleep(limit), limit, limit, work, asking).await
    }

    const LIMIT: Duration = Duration::from_secs(1);

    #[tokio::test]
    async fn a_pause_takes_nothing_of_a_limit() {
        let clock = Clock::default();
        let watch = clock.stopwatch();
        let work = async {
            let still = clock.stop();
            tokio::time::sleep(LIMIT + LIMIT / 5).await;
            drop(still);
            7
        };
        assert_eq!(timed(&clock, LIMIT, work).await, Ok(7));
        assert!(watch.elapsed() < LIMIT, "{:?}", watch.elapsed());
    }

    #[tokio::test]
    async fn behind_a_pause_the_rest_of_the_limit_counts() {
        let clock = Clock::default();
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
        assert_eq!(timed(&clock, limit, work).await, Err(()));
        assert!(began.elapsed() >= limit * 3, "{:?}", began.elapsed());
    }
}
