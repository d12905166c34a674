//! Which flows a run of a session left failed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use crate::report::{ReportError, Subscriber};
use runner_event::{Event, EventKind, FlowStatus};

/// Which flows failed in a run, and which ran and did not.
#[derive(Debug, Clone, Default)]
pub(super) struct Failures(Arc<Mutex<Ended>>);

#[derive(Debug, Default)]
struct Ended {
    ran: BTreeSet<Utf8PathBuf>,
    failed: BTreeSet<Utf8PathBuf>,
}

impl Failures {
    fn add(&self, flow: &Utf8Path, is_failed: bool) {
        let mut ended = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ended.ran.insert(flow.to_owned());
        if is_failed {
            ended.failed.insert(flow.to_owned());
        }
    }

    /// Adds those that failed, and takes out those that ran and did not.
    pub fn keep_in(&self, failed: &mut BTreeSet<Utf8PathBuf>) {
        let ended = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failed.retain(|flow| !ended.ran.contains(flow));
        failed.extend(ended.failed.iter().cloned());
    }
}

impl Subscriber for Failures {
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
