//! Decides when a report's file is rewritten during a run.

use std::time::{Duration, Instant};

use runner_event::{Event, EventKind};

/// Schedule of rewriting a file: after events that change it, with a pause in between, and for a small share
/// of the time.
#[derive(Debug)]
pub(super) struct RewriteSchedule {
    min_pause: Duration,
    share: u32,
    /// Earliest time of the next rewrite. `None` before the first.
    next: Option<Instant>,
    is_stale: bool,
}

impl RewriteSchedule {
    /// Creates a schedule with at least `min_pause` between two rewrites. The pause grows with the time that writing
    /// takes, so that this is at most one part in `share` of all time. The first change is due at once; without a
    /// change nothing is due.
    pub fn new(min_pause: Duration, share: u32) -> Self {
        Self {
            min_pause,
            share,
            next: None,
            is_stale: false,
        }
    }

    /// Creates a schedule that is due after each change.
    #[cfg(test)]
    pub fn immediate() -> Self {
        Self::new(Duration::ZERO, 0)
    }

    /// Ends the pause at once.
    #[cfg(test)]
    pub fn skip_pause(&mut self) {
        self.next = None;
    }

    /// Marks the file as outdated if the event is a plan, an unreadable flow, the start or end of a flow, or a stop or
    /// the end of the run. Other events, such as those of steps, change nothing.
    pub fn on(&mut self, event: &Event) {
        self.is_stale |= matches!(
            event.kind,
            EventKind::Plan { .. }
                | EventKind::Unreadable { .. }
                | EventKind::FlowStarted { .. }
                | EventKind::FlowFinished { .. }
                | EventKind::Stopping { .. }
                | EventKind::Finish { .. }
        );
    }

    /// Returns true if the file is to be rewritten now.
    pub fn is_due(&self) -> bool {
        self.is_stale && self.next.is_none_or(|next| Instant::now() >= next)
    }

    /// Marks the file as up to date, and begins the pause now. `began` is the time at which writing began.
    pub fn written(&mut self, began: Instant) {
        self.next = Some(Instant::now() + self.min_pause.max(began.elapsed() * self.share));
        self.is_stale = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::one_flow;

    #[test]
    fn what_changed_is_written_at_once_then_in_turns() {
        let [plan, others @ ..] = &one_flow()[..] else {
            panic!("no events")
        };
        let mut schedule = RewriteSchedule::new(Duration::from_hours(1), 20);
        assert!(!schedule.is_due(), "there is nothing yet");
        schedule.on(plan);
        schedule.written(Instant::now());
        for event in others {
            schedule.on(event);
        }
        assert!(!schedule.is_due(), "not so soon");
        schedule.skip_pause();
        assert!(schedule.is_due());
    }

    #[test]
    fn slow_writing_makes_a_longer_pause() {
        let mut schedule = RewriteSchedule::new(Duration::from_millis(1), 20);
        let began = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        schedule.written(began);
        let next = schedule.next.unwrap();
        assert!(next > Instant::now() + Duration::from_secs(19), "{next:?}");
    }
}
