//! A scenario's run: whether it was started, and its report.
//!
//! A run is its caller's: a flow's attempt or a client's session. Clients without a session share one after the other:
//! it ends with its report, where a report begins, or when nobody called for a while.

use std::time::{Duration, Instant};

use tokio::sync::{Mutex, MutexGuard};

use super::report::Report;
use crate::tools::Caller;

/// A run without an end of its own is over when nobody called for so long.
const PATIENCE: Duration = Duration::from_mins(10);

/// The run of one caller.
#[derive(Debug, Default)]
pub(super) struct Run(Mutex<State>);

/// What is known of a run.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Its app was launched.
    pub started: bool,
    /// What its report says so far.
    pub report: Option<Report>,
    /// Its report was given; it can still be read.
    over: bool,
    has_an_end: bool,
    last: Option<Instant>,
}

impl Run {
    /// The run as it is now. Others wait while it is held.
    pub async fn now(&self, caller: &Caller) -> MutexGuard<'_, State> {
        let mut state = self.0.lock().await;
        state.has_an_end = caller.has_an_end();
        state.called_at(Instant::now());
        state
    }
}

impl State {
    fn called_at(&mut self, now: Instant) {
        let is_forgotten = self
            .last
            .is_some_and(|last| now.duration_since(last) > PATIENCE);
        if is_forgotten && !self.has_an_end {
            *self = Self::default();
        }
        self.last = Some(now);
    }

    /// A scenario is to be started: what remains of a run that is over goes.
    pub fn begin(&mut self) {
        if self.over {
            self.started = false;
            self.report = None;
            self.over = false;
        }
    }

    /// A report begins.
    pub fn report_on(&mut self, report: Report) {
        if !self.has_an_end {
            self.started = false;
        }
        self.over = false;
        self.report = Some(report);
    }

    /// The report was given.
    pub fn end(&mut self) {
        self.over = !self.has_an_end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // R3
    #[test]
    fn a_run_that_nobody_ends_is_over_after_a_while() {
        let begun = Instant::now();
        for (has_an_end, later, started) in [
            (false, PATIENCE, true),
            (false, PATIENCE + Duration::from_secs(1), false),
            (true, 10 * PATIENCE, true),
        ] {
            let mut state = State {
                started: true,
                has_an_end,
                ..State::default()
            };
            state.called_at(begun);
            state.called_at(begun + later);
            assert_eq!(state.started, started, "{has_an_end} {later:?}");
        }
    }
}
