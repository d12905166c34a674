//! Progress of an attempt: the step it is at, and the time that its flow has left.

use std::time::Duration;

use runner_device::{Clock, ClockTime};
use runner_event::{FlowStatus, SourceLocation};
use runner_flow::Flow;

/// Progress of an attempt, for what is reported when it is cut short.
#[derive(Default)]
pub(super) struct Progress {
    /// Place of the step that began last.
    begun: Option<SourceLocation>,
    /// True while the setup runs: the flow's own steps have not begun.
    is_in_setup: bool,
    /// Limit of the flow, by the device's clock. None during teardown.
    deadline: Option<Deadline>,
}

#[derive(Clone, Copy)]
struct Deadline {
    began: ClockTime,
    limit: Duration,
}

impl Progress {
    /// Notes that the time of the flow counts from now on.
    pub(super) fn begin_limit(&mut self, clock: &Clock, limit: Duration) {
        self.deadline = Some(Deadline {
            began: clock.now(),
            limit,
        });
    }

    /// Notes that the flow is over, so that its limit counts no longer.
    pub(super) fn end_limit(&mut self) {
        self.deadline = None;
    }

    /// Moves the end of the flow's time later by this much.
    pub(super) fn delay(&mut self, by: Duration) {
        if let Some(deadline) = &mut self.deadline {
            deadline.limit += by;
        }
    }

    /// Returns the time that the flow has left. `None` during teardown, which has a limit of its own.
    pub(super) fn remaining(&self, clock: &Clock) -> Option<Duration> {
        let Deadline { began, limit } = self.deadline?;
        Some(limit.saturating_sub(clock.since(began)))
    }

    pub(super) fn begin_setup(&mut self) {
        self.is_in_setup = true;
    }

    pub(super) fn end_setup(&mut self) {
        self.is_in_setup = false;
    }

    pub(super) fn begin_step(&mut self, at: SourceLocation) {
        self.begun = Some(at);
    }

    /// Returns the place of the step that began last, or the beginning of the flow's file.
    pub(super) fn place(&self, flow: &Flow) -> SourceLocation {
        self.begun
            .clone()
            .unwrap_or_else(|| SourceLocation::from_offset(&flow.source, 0))
    }

    /// Returns the status of a flow that the current step fails: an error during setup, a failure later.
    /// Maestro's hooks are part of the flow, so they fail it too.
    pub(super) fn failure_status(&self, flow: &Flow) -> FlowStatus {
        if self.is_in_setup && flow.maestro().is_none() {
            FlowStatus::Error
        } else {
            FlowStatus::Failed
        }
    }
}
