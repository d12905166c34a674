//! Runs an item on a device until it passes or has no attempts left.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use camino::Utf8Path;

use super::fit;
use super::state::{Run, now};
use super::work_item::{FailedAttempt, ItemEnd, ItemNext, WorkItem};
use crate::app_versions::AppVersions;
use crate::attempt::AttemptEnd;
use crate::devices::Target;
use crate::evaluate::block_in_place;
use crate::quarantine;
use runner_device::Device;
use runner_event::{EventKind, FlowId, FlowStatus};
use runner_flow::{Flow, Quarantine};
use runner_recording::FirstDifference;
use runner_tools::{Failure, Words};

impl Run {
    /// Runs attempts at one item on this device until it passes or has no retries left, and reports the end of each.
    /// Returns earlier if the item goes to another device, because this one was lost, or is to be retried after all
    /// others. A success after a failure is flaky. An item of a sequence that an earlier flow has broken is not run but
    /// reported as skipped, and one whose needs the device did not answer as an error.
    pub(super) async fn item(
        &self,
        item: &mut WorkItem,
        target: &Target,
        device: &Arc<dyn Device>,
        apps: &AppVersions,
    ) -> ItemEnd {
        let flow = Arc::clone(item.flow());
        if let Some(failed) = self.broken_by(&flow, &target.label) {
            self.not_after(item, &target.label, &failed);
            return ItemEnd {
                next: ItemNext::Over,
                lost: None,
            };
        }
        if let Err(error) = fit::check_answered(flow.needs.as_ref(), device.info()) {
            self.no_device(item, &target.label, &error);
            return ItemEnd {
                next: ItemNext::Over,
                lost: None,
            };
        }
        let retries = flow.retries.unwrap_or(self.settings.config.retries.value);
        loop {
            let began = Instant::now();
            let started = now();
            let id = item.next_id(&target.label);
            let cost_before = device.counters().read();
            let emitter = self.emitter.for_attempt();
            let mut ended = self
                .attempt(&item.case, id.clone(), target, device, apps, &emitter)
                .await;
            if ended.status == FlowStatus::Passed && item.failures > 0 {
                ended.status = FlowStatus::Flaky;
                let failed = item.failed.as_ref().and_then(|it| it.recording.as_deref());
                if let Some(difference) = first_difference(ended.recording.as_deref(), failed) {
                    emitter.info(Some(&id), format!("the attempts: {difference}"));
                }
            }
            if ended.given_up {
                self.is_given_up.store(true, Ordering::Relaxed);
            }
            let has_failed = matches!(ended.status, FlowStatus::Failed | FlowStatus::Error);
            let is_given_back = ended.gone && has_failed && self.may_give_back(item);
            let is_over =
                !is_given_back && (item.failures >= retries || !self.may_pass_next_time(&ended));
            if is_over && let Some(quarantine) = &flow.quarantine {
                ended.status = self.in_quarantine(ended.status, ended.gone, &id, quarantine);
            }
            let quarantine = flow.quarantine.as_ref().filter(|_| is_over);
            let lost = ended.gone.then(|| loss_message(&mut ended, item, target));
            item.failed = (!is_over && has_failed).then(|| {
                Box::new(FailedAttempt {
                    status: ended.status,
                    recording: ended.recording.clone(),
                    failure: ended.failure.clone(),
                    at: ended.failed_at.clone(),
                })
            });
            emitter.emit(EventKind::FlowFinished {
                id,
                status: ended.status,
                last: is_over,
                started,
                duration_ms: began.elapsed().as_millis() as u64,
                cost: device.counters().read() - cost_before,
                failure: ended.failure,
                failed_at: ended.failed_at,
                artifacts: ended.artifacts,
                app_version: ended.app.as_deref().and_then(|app| apps.get(app)),
                quarantine: quarantine.map(|it| quarantine::note(it, self.today)),
                met: ended.met.filter(|_| is_over),
            });
            item.attempts.fetch_add(1, Ordering::Relaxed);
            if is_over {
                self.count_done(&flow);
            }
            if let Some(why) = &lost {
                tracing::debug!(target: "run", device = %target.label, why, "lost");
                item.lost_on.push(target.label.clone());
            } else {
                item.failures += 1;
            }
            let next = if is_over {
                ItemNext::Over
            } else if is_given_back {
                ItemNext::Again
            } else if self.retries_last(&flow) {
                ItemNext::Later
            } else {
                continue;
            };
            return ItemEnd { next, lost };
        }
    }

    /// Returns true if failed flows run again after all others. Flows of a sequence do not: those after them
    /// wait for the result.
    fn retries_last(&self, flow: &Flow) -> bool {
        let mut sequences = self.plan.sequences.iter();
        let is_waited_for = sequences.any(|sequence| sequence.has(&flow.source.path));
        self.settings.config.retry_last.value && !is_waited_for
    }

    /// Returns true if an item goes to another device after its device was lost: once, if it may run on any device and
    /// the run is not cancelled.
    fn may_give_back(&self, item: &WorkItem) -> bool {
        item.bound.is_none() && item.lost_on.is_empty() && !self.cancel.is_cancelled()
    }

    /// Returns the status that counts for a flow in quarantine: until the quarantine ends, `Quarantined` for a bad
    /// one, and notes it. Bad are failures and errors, and flaky flows if these fail the run. A lost device (`gone`)
    /// is not the flow's fault, so its result stays. In its last 7 days a note says that the quarantine ends soon,
    /// whatever the result. After the end only a note says that a bad result counts again.
    pub(super) fn in_quarantine(
        &self,
        status: FlowStatus,
        gone: bool,
        id: &FlowId,
        quarantine: &Quarantine,
    ) -> FlowStatus {
        let is_bad = match status {
            FlowStatus::Failed | FlowStatus::Error => !gone,
            FlowStatus::Flaky => self.settings.options.fail_on_flaky,
            _ => false,
        };
        if let Some(until) = quarantine.until
            && quarantine.has_ended(self.today)
        {
            if is_bad {
                let note = format!("its quarantine ended on {until}: its failure counts again");
                self.emitter.info(Some(id), note);
            }
            return status;
        }
        if let Some(note) = quarantine::ends_soon(quarantine, self.today) {
            self.emitter.info(Some(id), note);
        }
        if !is_bad {
            return status;
        }
        let described = quarantine::describe(quarantine);
        let note = format!("in quarantine{described}; its failure does not fail the run");
        self.emitter.info(Some(id), note);
        FlowStatus::Quarantined
    }

    /// Returns true if another attempt may pass: it failed, and the run goes on. A new or changed snapshot
    /// would differ again, a lost device stays lost, and a person who ended the flow wants it to end. Retries
    /// left are not considered.
    fn may_pass_next_time(&self, ended: &AttemptEnd) -> bool {
        matches!(ended.status, FlowStatus::Failed | FlowStatus::Error)
            && !ended.gone
            && !ended.given_up
            && !ended.has_differences
            && !ended
                .failure
                .as_ref()
                .is_some_and(Failure::is_about_a_golden)
            && !self.cancel.is_cancelled()
    }
}

/// Compares the recordings of two attempts, and returns the place where they part. `None` if one is missing
/// or cannot be read, or if they do not part. Blocks this thread.
fn first_difference(
    passed: Option<&Utf8Path>,
    failed: Option<&Utf8Path>,
) -> Option<FirstDifference> {
    let (passed, failed) = (passed?, failed?);
    block_in_place(|| {
        let passed = runner_recording::read(passed).ok()?;
        runner_recording::first_difference(&passed, &runner_recording::read(failed).ok()?)
    })
}

/// Returns one line that says why the device is gone: the first line of the failure. If the flow lost a
/// device before, changes its failure so that it names both.
fn loss_message(ended: &mut AttemptEnd, item: &WorkItem, target: &Target) -> String {
    let unknown = || format!("device '{}' was lost", target.label);
    let Some(failure) = &mut ended.failure else {
        return unknown();
    };
    let why = failure.message.first_line();
    let why = if why.is_empty() {
        unknown()
    } else {
        why.to_string()
    };
    if let Some(first) = item.lost_on.first() {
        failure.message = Words::format(
            "{}; device '{}' was lost under this flow, and device '{}' before",
            &[&why, &target.label, first],
        );
    }
    why
}
