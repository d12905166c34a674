//! Ends items that no device is left for.

use crate::runner::pool::{Availability, Pool};
use crate::runner::state::Run;
use crate::runner::work_item::WorkItem;
use runner_event::FlowStatus;
use runner_tools::{Failure, FailureKind};

impl Run {
    /// Reports the item that a panicked worker leaves, with the rest of its sequence, as errors, so that they
    /// are not lost silently. The device is out for good, and items for it alone end too.
    pub(in crate::runner) fn end_panicked(
        &self,
        pool: &Pool,
        at: usize,
        error: &tokio::task::JoinError,
    ) {
        let why = format!("the work on this device stopped: {error}; this is a bug");
        let targets = pool.targets();
        let label = targets.get(at).map_or("", |target| &target.label);
        for item in pool.take_from(at).into_iter().flat_map(WorkItem::all) {
            let failure = Failure::new(FailureKind::Infrastructure, why.clone());
            self.finish_unstarted(&item, label, FlowStatus::Error, failure, None);
        }
        pool.set(at, Availability::Out { why }, None);
        self.end_unassigned(pool);
    }

    /// Ends the items that no device is left for, as errors of the infrastructure. If a flow lost a device
    /// before, its message says so.
    pub(super) fn end_unassigned(&self, pool: &Pool) {
        for unassigned in pool.take_unassigned() {
            let mut why = unassigned.why;
            if let Some(lost) = unassigned.item.lost_on.first() {
                why = format!("device '{lost}' was lost under this flow, and then {why}");
            }
            let failure = Failure::new(FailureKind::Infrastructure, why);
            let (item, device) = (&unassigned.item, &unassigned.device);
            self.finish_unstarted(item, device, FlowStatus::Error, failure, None);
        }
    }
}
