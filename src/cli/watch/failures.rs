//! Collects which flows of a watching session failed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use crate::report::{ReportError, Subscriber};
use runner_event::{Event, EventKind, FlowStatus};

/// Flows that ran, and those of them that failed, filled from the events of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Failures(Arc<Mutex<FlowOutcomes>>);

#[derive(Debug, Default)]
struct FlowOutcomes {
    ran: BTreeSet<Utf8PathBuf>,
    failed: BTreeSet<Utf8PathBuf>,
}

impl Failures {
    /// Notes that the flow ran, and that it failed if `is_failed` is true. A flow with one failed case has failed,
    /// whatever the other cases did.
    fn add(&self, flow: &Utf8Path, is_failed: bool) {
        let mut outcomes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.ran.insert(flow.to_owned());
        if is_failed {
            outcomes.failed.insert(flow.to_owned());
        }
    }

    /// Updates the set of failed flows: adds those that failed in this run, and removes those that ran and
    /// did not fail. Flows that did not run stay.
    pub fn keep_in(&self, failed: &mut BTreeSet<Utf8PathBuf>) {
        let outcomes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failed.retain(|flow| !outcomes.ran.contains(flow));
        failed.extend(outcomes.failed.iter().cloned());
    }
}

impl Subscriber for Failures {
    /// Notes each flow at its last attempt, and one that does not read. Other events are ignored; never an error.
    /// Flaky and skipped flows have not failed; one that does not read, or was interrupted, has.
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        match &event.kind {
            EventKind::Unreadable { flow, .. } => self.add(flow, true),
            EventKind::FlowFinished {
                id,
                status,
                last: true,
                ..
            } => self.add(
                &id.flow,
                !matches!(
                    status,
                    FlowStatus::Passed | FlowStatus::Flaky | FlowStatus::Skipped
                ),
            ),
            _ => {}
        }
        Ok(())
    }
}
