//! State of a scenario: whether it was started, and its report.
//!
//! A run belongs to its caller: a flow's attempt or a client's session. Clients without a session share one
//! run after the other. Such a run ends with its report, when a new report begins, or when nobody called any
//! tool for a while.

use std::time::Instant;

use tokio::sync::{Mutex, MutexGuard};

use super::scenario_report::Report;
use crate::Caller;

/// Run of one caller.
#[derive(Debug, Default)]
pub(super) struct Run(Mutex<State>);

#[derive(Debug, Default)]
pub(super) struct State {
    /// True once its app was launched.
    pub started: bool,
    pub report: Option<Report>,
    /// True once its report was returned; it can still be read.
    over: bool,
    has_an_end: bool,
    /// Time of the last tool call.
    last: Option<Instant>,
}

impl Run {
    /// Locks and returns the run, and records this use. A run of a caller without a session that paused too
    /// long is ended first.
    pub async fn now(&self, caller: &Caller) -> MutexGuard<'_, State> {
        let mut state = self.0.lock().await;
        state.looked_at(Instant::now(), caller);
        state
    }
}

impl State {
    /// Notes a look at the run. A caller without an end begins anew after a long pause.
    fn looked_at(&mut self, now: Instant, caller: &Caller) {
        let is_forgotten = self.last.is_some_and(|last| caller.paused_since(last));
        if is_forgotten && !caller.has_an_end() {
            *self = Self::default();
        }
        self.has_an_end = caller.has_an_end();
        self.last = Some(now);
    }

    /// Begins a scenario: if the run is over, its report is discarded and its app counts as not launched. A run that is
    /// not over continues unchanged.
    pub fn begin(&mut self) {
        if self.over {
            self.started = false;
            self.report = None;
            self.over = false;
        }
    }

    /// Starts a report, in place of any earlier one. For callers without a session, the app also counts as
    /// not launched.
    pub fn report_on(&mut self, report: Report) {
        // Without a session, the beginning of a report is the first sign of a new run.
        if !self.has_an_end {
            self.started = false;
        }
        self.over = false;
        self.report = Some(report);
    }

    /// Ends the run, as its report was returned, for callers without a session. For others nothing changes,
    /// as the caller's end is known.
    pub fn end(&mut self) {
        self.over = !self.has_an_end;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    // R3
    #[test]
    fn a_run_that_nobody_ends_is_over_after_a_while_without_calls() {
        const MINUTE: Duration = Duration::from_mins(1);
        let begun = Instant::now();
        // Times of calls in minutes; the first and the last access the run.
        for (has_an_end, calls, remains) in [
            (false, &[0, 10][..], true),
            (false, &[0, 11], false),
            (false, &[0, 6, 12], true),
            (false, &[0, 6, 17], false),
            // A call of another tool came after the pause.
            (false, &[0, 11, 12], false),
            (true, &[0, 100], true),
        ] {
            let caller = if has_an_end {
                Caller::that_ends()
            } else {
                Caller::default()
            };
            let mut state = State::default();
            for (number, minutes) in calls.iter().enumerate() {
                let now = begun + *minutes * MINUTE;
                caller.calls(now);
                if number == 0 || number == calls.len() - 1 {
                    state.looked_at(now, &caller);
                    state.started |= number == 0;
                }
            }
            assert_eq!(state.started, remains, "{has_an_end} {calls:?}");
        }
    }
}
