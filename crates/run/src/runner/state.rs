//! State of a run, with the results of work that does not run.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use tokio_util::sync::CancellationToken;

use super::work_item::WorkItem;
use crate::Plan;
use crate::artifacts::{ArtifactFolder, ArtifactNames};
use crate::emit::Emitter;
use crate::recorder::RunRecording;
use crate::settings::Settings;
use crate::sources::Sources;
use runner_device::{Device, DeviceError};
use runner_engine::Session;
use runner_event::{EventKind, FlowId, FlowStatus, SourceLocation, StopReason};
use runner_flow::Flow;
use runner_tools::{Failure, FailureKind, Words};

pub(crate) struct Run {
    pub(super) plan: Plan,
    pub(super) settings: Settings,
    pub(super) emitter: Emitter,
    pub(super) sources: Sources,
    pub(super) cancel: CancellationToken,
    /// Folders of the artifacts. Set once the devices are known.
    pub(super) artifact_names: OnceLock<ArtifactNames>,
    pub(super) stopping: AtomicBool,
    /// A flow fits no device, so nothing runs.
    pub(super) is_unfit: AtomicBool,
    /// A person ended a flow in the debugger: no later one begins.
    pub(super) is_given_up: AtomicBool,
    /// Number of runs that the flows of a folder of goldens still have. A folder sorts right before those
    /// below it.
    pub(super) to_do: Mutex<BTreeMap<Utf8PathBuf, usize>>,
    pub(super) began: Instant,
    /// Day by which quarantines end, the same for the whole run.
    pub(super) today: chrono::NaiveDate,
    /// Shared state of the recordings.
    pub(super) recording: Option<Arc<RunRecording>>,
    /// A recording could not be begun. One warning is enough.
    pub(super) recording_failed: AtomicBool,
}

impl Run {
    pub(super) fn spreads(&self) -> bool {
        self.settings.config.spread.value
    }

    /// Reports that the run stops. A later reason is reported only if it is the user.
    pub(super) fn stop(&self, because: StopReason) {
        let reported = self.stopping.swap(true, Ordering::Relaxed);
        // A second reason is reported only if the user gave it, as that outranks the program's.
        if !reported || because == StopReason::User {
            self.emitter.emit(EventKind::Stopping { because });
        }
    }

    /// Returns true if no further flow may begin: too many did not pass, a person gave up, a flow fits no device,
    /// or the run was interrupted. Reports the reason of the first two.
    pub(super) fn stops(&self) -> bool {
        let most = self.settings.options.max_failures;
        if most.is_some_and(|most| self.emitter.summary().not_passed().len() >= most as usize) {
            self.stop(StopReason::FailFast);
            return true;
        }
        if self.is_given_up.load(Ordering::Relaxed) {
            self.stop(StopReason::User);
            return true;
        }
        self.is_unfit.load(Ordering::Relaxed) || self.cancel.is_cancelled()
    }

    pub(super) fn session(&self, device: &Arc<dyn Device>) -> Session {
        Session::new(Arc::clone(device))
            .with_locations(self.settings.config.storage.value.clone())
            .with_dialogs(Arc::clone(&self.settings.config.dialogs))
    }

    /// Returns the folder of an attempt's artifacts.
    pub(super) fn artifact_folder(&self, id: &FlowId, emitter: &Emitter) -> ArtifactFolder {
        self.folder_in(&self.settings.config.artifacts.value, id, emitter)
    }

    pub(super) fn folder_in(
        &self,
        base: &Utf8Path,
        id: &FlowId,
        emitter: &Emitter,
    ) -> ArtifactFolder {
        let names = self.artifact_names.get_or_init(ArtifactNames::default);
        ArtifactFolder::new(base, names, id, emitter.scrubber().clone())
    }

    /// Counts a finished run of a flow. The store forgets a flow's old goldens once no device needs them,
    /// unless another flow of the run has its goldens in a folder below.
    pub(super) fn count_done(&self, flow: &Flow) {
        let folder = self.settings.golden_folder(&flow.key);
        let mut to_do = self.to_do.lock().unwrap_or_else(PoisonError::into_inner);
        let number = to_do.entry(folder.clone()).or_default();
        *number = number.saturating_sub(1);
        if *number > 0 {
            return;
        }
        if !has_below(&to_do, &folder) {
            self.settings.store.forget_flow(&folder);
        }
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

    /// Reports the last result of an item that does not run (again). An item that was to be retried keeps its
    /// earlier failure, with the given one as a detail.
    pub(super) fn finish_unstarted(
        &self,
        item: &WorkItem,
        device: &str,
        status: FlowStatus,
        failure: Failure,
        failed_at: Option<SourceLocation>,
    ) {
        let (status, failure, failed_at) = final_result(item, (status, failure, failed_at));
        self.emitter.emit(EventKind::FlowFinished {
            id: item.next_id(device),
            status,
            last: true,
            started: now(),
            duration_ms: 0,
            cost: runner_device::Cost::default(),
            failure,
            failed_at,
            artifacts: Vec::new(),
            app_version: None,
            quarantine: None,
            met: None,
        });
        self.count_done(item.flow());
    }
}

pub(super) fn now() -> String {
    chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
}

/// Returns true if one of the folders lies below this one, as the goldens of `shop/pay.yaml` lie below those
/// of `shop.yaml`.
pub(super) fn has_below<T>(folders: &BTreeMap<Utf8PathBuf, T>, folder: &Utf8PathBuf) -> bool {
    let mut behind = folders.range::<Utf8PathBuf, _>((Bound::Excluded(folder), Bound::Unbounded));
    behind
        .next()
        .is_some_and(|(next, _)| next.starts_with(folder))
}

/// Returns the result of an item that does not run again: its earlier failure, with the given one as a
/// detail, if it was to be retried; else the given one. After a lost device it is always the given one.
fn final_result(
    item: &WorkItem,
    (status, why, at): (FlowStatus, Failure, Option<SourceLocation>),
) -> (FlowStatus, Option<Failure>, Option<SourceLocation>) {
    let failed = item.failed.as_ref().filter(|_| item.lost_on.is_empty());
    let Some(failed) = failed else {
        return (status, Some(why), at);
    };
    let why = Words::format("it was to run again: {}", &[&why.message]);
    let failure = failed
        .failure
        .clone()
        .map(|failure| failure.with_details([why]));
    (failed.status, failure, failed.at.clone())
}
