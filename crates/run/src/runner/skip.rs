//! Ends items that do not run, each with its reason.

use std::sync::atomic::Ordering;

use camino::{Utf8Path, Utf8PathBuf};

use super::state::{Run, now};
use super::work_item::{FailedAttempt, WorkItem};
use crate::quarantine;
use runner_device::DeviceError;
use runner_event::{EventKind, FlowStatus, SourceLocation};
use runner_flow::Flow;
use runner_tools::{Failure, FailureKind, Words};

impl Run {
    /// Returns the failed flow that ends the sequence to which this flow belongs, on this device. `None` if
    /// none before it failed, or it belongs to no sequence.
    pub(super) fn broken_by(&self, flow: &Flow, device: &str) -> Option<Utf8PathBuf> {
        if self.plan.sequences.is_empty() {
            return None;
        }
        let summary = self.emitter.summary();
        let sequences = self.plan.sequences.iter();
        let mut broken = sequences.filter_map(|sequence| {
            sequence.broken_by(&flow.source.path, device, summary.not_passed())
        });
        broken.next().map(Utf8Path::to_owned)
    }

    /// Ends an item as skipped, since the flow `failed` came before it in its sequence.
    pub(super) fn not_after(&self, item: &WorkItem, device: &str, failed: &Utf8Path) {
        let because = format!(
            "not run: {failed} failed before it (executionOrder, continueOnFailure: false)"
        );
        let failure = Failure::new(FailureKind::Usage, because);
        self.finish_unstarted(item, device, FlowStatus::Skipped, failure, None);
    }

    /// Ends an item that did not begin as interrupted, with the reason why the run stopped.
    pub(super) fn not_run(&self, item: &WorkItem, device: &str) {
        let because = if self.cancel.is_cancelled() {
            "interrupted"
        } else if self.is_unfit.load(Ordering::Relaxed) {
            "not run: a flow fits no device"
        } else if self.is_given_up.load(Ordering::Relaxed) {
            "not run: the run was ended in the debugger"
        } else if self.settings.options.is_fail_fast() {
            "not run: an earlier flow failed (--fail-fast)"
        } else {
            "not run: too many flows failed (--max-failures)"
        };
        self.finish_unstarted(
            item,
            device,
            FlowStatus::Interrupted,
            Failure::new(FailureKind::Usage, because),
            None,
        );
    }

    pub(super) fn no_device(&self, item: &WorkItem, device: &str, error: &DeviceError) {
        let failure = Failure::new(FailureKind::Infrastructure, error.to_string());
        self.finish_unstarted(item, device, FlowStatus::Error, failure, None);
    }

    /// Reports the last result of an item that does not run (again), as an attempt without duration. An item that was
    /// to be retried keeps its earlier status, failure and place, with the given failure as a detail, and its
    /// quarantine counts; but after a lost device the given result counts. Its run counts as done for
    /// [`Self::count_done`].
    pub(super) fn finish_unstarted(
        &self,
        item: &WorkItem,
        device: &str,
        status: FlowStatus,
        failure: Failure,
        failed_at: Option<SourceLocation>,
    ) {
        let (status, failure, failed_at) = final_result(item, (status, failure, failed_at));
        let id = item.next_id(device);
        let quarantine = item.flow().quarantine.as_ref();
        let quarantine = quarantine.filter(|_| earlier_failure(item).is_some());
        let status = quarantine.map_or(status, |it| self.in_quarantine(status, false, &id, it));
        self.emitter.emit(EventKind::FlowFinished {
            id,
            status,
            last: true,
            started: now(),
            duration_ms: 0,
            cost: runner_device::Cost::default(),
            failure,
            failed_at,
            artifacts: Vec::new(),
            app_version: None,
            quarantine: quarantine.map(|it| quarantine::note(it, self.today)),
            met: None,
        });
        self.count_done(item.flow());
    }
}

/// Returns the result of an item that does not run again: its earlier failure, with the given one as a
/// detail, if it was to be retried; else the given one. After a lost device it is always the given one.
fn final_result(
    item: &WorkItem,
    (status, why, at): (FlowStatus, Failure, Option<SourceLocation>),
) -> (FlowStatus, Option<Failure>, Option<SourceLocation>) {
    let Some(failed) = earlier_failure(item) else {
        return (status, Some(why), at);
    };
    let why = Words::format("it was to run again: {}", &[&why.message]);
    let failure = failed
        .failure
        .clone()
        .map(|failure| failure.with_details([why]));
    (failed.status, failure, failed.at.clone())
}

/// Returns the failed attempt whose result counts if the item does not run again; `None` after a lost device, and if no
/// attempt failed.
fn earlier_failure(item: &WorkItem) -> Option<&FailedAttempt> {
    let failed = item.failed.as_deref();
    failed.filter(|_| item.lost_on.is_empty())
}
