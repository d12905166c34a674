//! How often a file is made anew that holds all of the run so far.

use std::time::{Duration, Instant};

use runner_event::{Event, EventKind};

/// When a report's file is to be written: after flows began or ended, not too often, and for a small share of the run.
#[derive(Debug)]
pub(super) struct RewriteSchedule {
    between: Duration,
    share: u32,
    /// `None` before the first time.
    next: Option<Instant>,
    is_stale: bool,
}

impl RewriteSchedule {
    /// At least `between` from one writing to the next, and writing takes at most one part in `share` of the time.
    pub fn new(between: Duration, share: u32) -> Self {
        Self {
            between,
            share,
            next: None,
            is_stale: false,
        }
    }

    /// Each change is written at once.
    #[cfg(test)]
    pub fn at_once() -> Self {
        Self::new(Duration::ZERO, 0)
    }

    /// As if the time until the next writing had passed.
    #[cfg(test)]
    pub fn skip_the_pause(&mut self) {
        self.next = None;
    }

    /// Takes note of an event.
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

    /// Whether to write now.
    pub fn is_due(&self) -> bool {
        self.is_stale && self.next.is_none_or(|next| Instant::now() >= next)
    }

    /// What was begun at `began` is written.
    pub fn written(&mut self, began: Instant) {
        self.next = Some(Instant::now() + self.between.max(began.elapsed() * self.share));
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
        schedule.skip_the_pause();
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
