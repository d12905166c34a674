//! The clock of a device: the time that limits on it count.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// How long a virtual clock may stand still before the host's time counts instead.
const STANDSTILL: Duration = Duration::from_secs(1);

/// The clock of a device. A phone's is the host's monotonic clock. The virtual device has a time of its own, which passes
/// with what the device does, and which it reports with its answers.
///
/// A virtual clock that stands still for more than a second goes on with the host's time until the next report says how much
/// time passed. So a device that hangs stops no limit, and a slow computer shortens none.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// The last report; none where the clock is the host's.
    reports: Option<Arc<watch::Sender<Report>>>,
}

#[derive(Debug, Clone, Copy)]
struct Report {
    /// What the device reported first.
    origin: Option<Duration>,
    /// The device's time since then.
    device: Duration,
    /// The host's time that counts beside it.
    host: Duration,
    /// When the time last moved.
    at: Instant,
}

impl Report {
    fn time(self) -> Duration {
        self.device.saturating_add(self.host)
    }
}

/// A moment on a [`Clock`].
#[derive(Debug, Clone, Copy)]
pub struct ClockTime {
    at: Instant,
    time: Duration,
}

/// A limit ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed;

impl Clock {
    /// The host's clock.
    pub fn host() -> Self {
        Self::default()
    }

    /// A clock that goes by the reports of a device.
    pub fn reported() -> Self {
        let report = Report {
            origin: None,
            device: Duration::ZERO,
            host: Duration::ZERO,
            at: Instant::now(),
        };
        Self {
            reports: Some(Arc::new(watch::Sender::new(report))),
        }
    }

    /// Whether the time is the device's own.
    pub fn is_virtual(&self) -> bool {
        self.reports.is_some()
    }

    /// Takes the device's report of its time. One that is no later than the last says nothing new: a device whose time
    /// stands still may hang.
    pub fn report(&self, time: Duration) {
        let Some(reports) = &self.reports else {
            return;
        };
        reports.send_if_modified(|report| {
            let origin = *report
                .origin
                .get_or_insert(time.saturating_sub(report.device));
            let passed = time.saturating_sub(origin);
            let has_moved = passed > report.device;
            if has_moved {
                report.device = passed;
                report.at = Instant::now();
            }
            has_moved
        });
    }

    /// Lets time pass of which the device's next report knows.
    pub fn advance(&self, by: Duration) {
        self.modify(|report| report.device = report.device.saturating_add(by));
    }

    /// Counts time of the host, such as that of a request which the device did not answer.
    pub fn count(&self, host: Duration) {
        self.modify(|report| report.host = report.host.saturating_add(host));
    }

    /// Does work that takes the host's time, such as a request over the network, and counts it.
    pub async fn host_work<T>(&self, work: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let done = work.await;
        self.count(began.elapsed());
        done
    }

    /// Goes on from here after a pause that counts for nothing.
    pub fn resume(&self) {
        self.modify(|_| {});
    }

    fn modify(&self, change: impl FnOnce(&mut Report)) {
        if let Some(reports) = &self.reports {
            reports.send_modify(|report| {
                change(report);
                report.at = Instant::now();
            });
        }
    }

    /// The moment that is now.
    pub fn now(&self) -> ClockTime {
        let time = match &self.reports {
            Some(reports) => reports.borrow().time(),
            None => Duration::ZERO,
        };
        ClockTime {
            at: Instant::now(),
            time,
        }
    }

    /// The time that passed since a moment.
    pub fn since(&self, moment: ClockTime) -> Duration {
        let Some(reports) = &self.reports else {
            return moment.at.elapsed();
        };
        let last = *reports.borrow();
        if last.at >= moment.at {
            let still = last.at.elapsed().saturating_sub(STANDSTILL);
            last.time().saturating_sub(moment.time) + still
        } else {
            moment.at.elapsed().saturating_sub(STANDSTILL)
        }
    }

    /// Ends once `limit` has passed. It only waits: it lets no virtual time pass.
    pub async fn sleep(&self, limit: Duration) {
        self.sleep_since(self.now(), limit).await;
    }

    /// Ends once `limit` has passed since a moment.
    pub async fn sleep_since(&self, moment: ClockTime, limit: Duration) {
        let Some(reports) = &self.reports else {
            return tokio::time::sleep(limit.saturating_sub(moment.at.elapsed())).await;
        };
        let mut reports = reports.subscribe();
        loop {
            reports.mark_unchanged();
            let left = limit.saturating_sub(self.since(moment));
            if left.is_zero() {
                return;
            }
            // A clock that stands still has its second before the host's time counts.
            let still = reports.borrow().at.max(moment.at).elapsed();
            let wait = left.saturating_add(STANDSTILL.saturating_sub(still));
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = reports.changed() => {}
            }
        }
    }

    /// Returns what `work` comes to within `limit`.
    ///
    /// # Errors
    /// The limit has passed. Virtual time passes in leaps, so it may have passed when the work ends.
    pub async fn timeout<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = T>,
    ) -> Result<T, Elapsed> {
        let began = self.now();
        tokio::select! {
            biased;
            done = work => (self.since(began) <= limit).then_some(done).ok_or(Elapsed),
            () = self.sleep_since(began, limit) => Err(Elapsed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn a_phones_clock_is_the_hosts() {
        let clock = Clock::host();
        let began = clock.now();
        clock.report(LIMIT);
        tokio::time::sleep(LIMIT / 2).await;
        assert_eq!(clock.since(began), LIMIT / 2);
        let never = std::future::pending::<()>();
        assert_eq!(clock.timeout(LIMIT, never).await, Err(Elapsed));
        assert_eq!(clock.since(began), LIMIT * 3 / 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_virtual_clock_goes_by_reports() {
        let clock = Clock::reported();
        clock.report(Duration::from_secs(100));
        let began = clock.now();
        // A slow computer.
        tokio::time::sleep(LIMIT).await;
        clock.report(Duration::from_secs(103));
        assert_eq!(clock.since(began), Duration::from_secs(3));
        // An answer that came late says nothing new.
        clock.report(Duration::from_secs(101));
        assert_eq!(clock.since(began), Duration::from_secs(3));
    }

    #[tokio::test(start_paused = true)]
    async fn a_report_ends_what_waits_at_once() {
        let clock = Clock::reported();
        clock.report(Duration::ZERO);
        let (began, host) = (clock.now(), Instant::now());
        let reporting = async {
            for second in 1..=10 {
                tokio::time::sleep(Duration::from_millis(1)).await;
                clock.report(Duration::from_secs(second));
            }
            std::future::pending::<()>().await;
        };
        assert_eq!(clock.timeout(LIMIT, reporting).await, Err(Elapsed));
        assert_eq!(clock.since(began), LIMIT);
        assert!(host.elapsed() < Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_ends_in_a_leap_past_the_limit_is_too_late() {
        let clock = Clock::reported();
        clock.report(Duration::ZERO);
        let leap = async { clock.report(LIMIT + Duration::from_millis(1)) };
        assert_eq!(clock.timeout(LIMIT, leap).await, Err(Elapsed));
        let leap = async { clock.report(LIMIT * 2 + Duration::from_millis(1)) };
        assert_eq!(clock.timeout(LIMIT, leap).await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_device_that_hangs_stops_no_limit() {
        let clock = Clock::reported();
        clock.report(Duration::from_secs(3));
        let host = Instant::now();
        // It answers, but its time stands still.
        let hanging = async {
            loop {
                tokio::time::sleep(Duration::from_millis(100)).await;
                clock.report(Duration::from_secs(3));
            }
        };
        assert_eq!(clock.timeout::<()>(LIMIT, hanging).await, Err(Elapsed));
        assert_eq!(host.elapsed().as_secs(), (LIMIT + STANDSTILL).as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn work_of_the_host_counts_its_time_and_a_pause_counts_for_nothing() {
        let clock = Clock::reported();
        clock.report(Duration::ZERO);
        let began = clock.now();
        clock.host_work(tokio::time::sleep(LIMIT)).await;
        assert_eq!(clock.since(began), LIMIT);
        clock.report(Duration::from_secs(2));
        assert_eq!(clock.since(began), LIMIT + Duration::from_secs(2));
        tokio::time::sleep(LIMIT * 100).await;
        clock.resume();
        assert_eq!(clock.since(began), LIMIT + Duration::from_secs(2));
    }
}
