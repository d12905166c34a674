//! Clock of a device, by which the limits on that device count.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// Time for which a virtual clock may stand still before the host's time counts. Chosen: looks and commands
/// of the virtual device take less, so only a hang reaches it.
const STANDSTILL: Duration = Duration::from_secs(1);

/// Clock of a device. A phone's is the host's monotonic clock. The virtual device has its own time, which
/// passes with what the device does and which it reports with its answers.
///
/// A virtual clock that stands still for more than a second continues with the host's time until the next
/// report says how much time passed. So a device that hangs stops no limit, and a slow computer shortens
/// none.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// Last report; `None` if the clock is the host's.
    reports: Option<Arc<watch::Sender<Report>>>,
}

#[derive(Debug, Clone, Copy)]
struct Report {
    /// First time that the device reported.
    origin: Option<Duration>,
    /// Device's time since `origin`.
    device: Duration,
    /// Host's time that counts in addition.
    host: Duration,
    /// Host's time of the last change.
    at: Instant,
}

impl Report {
    fn time(self) -> Duration {
        self.device.saturating_add(self.host)
    }
}

/// Point in time on a [`Clock`].
#[derive(Debug, Clone, Copy)]
pub struct ClockTime {
    at: Instant,
    time: Duration,
}

/// Error of a limit that ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed;

impl Clock {
    /// Creates a clock that follows the host's.
    pub fn host() -> Self {
        Self::default()
    }

    /// Creates a clock that follows the reports of a device. It begins at zero; the first report sets its
    /// origin and moves nothing.
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

    /// Returns true if the clock follows the device's reports.
    pub fn is_virtual(&self) -> bool {
        self.reports.is_some()
    }

    /// Stores a time that the device reported, and wakes those that wait. One that is no later than the last
    /// is ignored, as a device whose time stands still may hang. Does nothing on a clock of the host.
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

    /// Lets time pass that the device's next report will include. Does nothing on a clock of the host.
    pub fn advance(&self, by: Duration) {
        self.modify(|report| report.device = report.device.saturating_add(by));
    }

    /// Adds time of the host that the device does not report, such as that of a request without an answer. Does
    /// nothing on a clock of the host.
    pub fn count(&self, host: Duration) {
        self.modify(|report| report.host = report.host.saturating_add(host));
    }

    /// Awaits work that takes the host's time, such as a request over the network, and counts that time on a
    /// virtual clock too.
    pub async fn host_work<T>(&self, work: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let done = work.await;
        self.count(began.elapsed());
        done
    }

    /// Ends a pause, so that the host's time since the last report does not count.
    pub fn resume(&self) {
        self.modify(|_| {});
    }

    /// Changes the last report, as if it had come just now, and wakes those that wait. Does nothing on a clock of
    /// the host.
    fn modify(&self, change: impl FnOnce(&mut Report)) {
        if let Some(reports) = &self.reports {
            reports.send_modify(|report| {
                change(report);
                report.at = Instant::now();
            });
        }
    }

    /// Returns the current time, for [`Self::since`] and the waits.
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

    /// Returns the time that passed since `moment`. On a virtual clock, the host's time counts too, but only what
    /// exceeds one second after the last report or `moment`, whichever is later.
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

    /// Waits until `limit` has passed. The wait lets no virtual time pass by itself.
    pub async fn sleep(&self, limit: Duration) {
        self.sleep_since(self.now(), limit).await;
    }

    /// Waits until `limit` has passed since `moment`; returns at once if it has. On a virtual clock this is
    /// by its reports, and by the host's time once they have been missing for a second.
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
            // The host's time counts only after the clock stood still for a second.
            let still = reports.borrow().at.max(moment.at).elapsed();
            let wait = left.saturating_add(STANDSTILL.saturating_sub(still));
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = reports.changed() => {}
            }
        }
    }

    /// Awaits `work`, but no longer than `limit`.
    ///
    /// # Errors
    /// Returns [`Elapsed`] if the limit passed, and drops the unfinished work. Virtual time passes in leaps,
    /// so the limit may also be over when the work ends; its result is dropped then.
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

    // Chosen: several times the standstill of a second.
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
        // The computer is slow: its time does not count.
        tokio::time::sleep(LIMIT).await;
        clock.report(Duration::from_secs(103));
        assert_eq!(clock.since(began), Duration::from_secs(3));
        // A late report is ignored.
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
        // The device answers, but its time stands still.
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
