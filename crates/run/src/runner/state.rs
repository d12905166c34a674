//! State of a run that its devices share: its beginning and its end, the reasons to stop, and what is still to do.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use tokio_util::sync::CancellationToken;

use crate::artifacts::{ArtifactFolder, ArtifactNames};
use crate::devices::Target;
use crate::emit::Emitter;
use crate::recorder::RunRecording;
use crate::settings::{Options, Settings};
use crate::sources::{self, Sources};
use crate::{Plan, host, quarantine, secrets};
use runner_base::context::Context;
use runner_base::exit_code::ExitCode;
use runner_config::Config;
use runner_device::{Device, DeviceInfo};
use runner_engine::Session;
use runner_event::{Event, EventKind, FlowId, RunFailure, RunFailureKind, SCHEMA, StopReason};
use runner_flow::Flow;
use runner_text::secret::Scrubber;

pub(super) fn now() -> String {
    chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
}

pub(crate) struct Run {
    pub(super) plan: Plan,
    pub(super) settings: Settings,
    pub(super) emitter: Emitter,
    pub(super) sources: Sources,
    pub(super) cancel: CancellationToken,
    /// Folders of the artifacts. Set once the devices are known.
    pub(super) artifact_names: OnceLock<ArtifactNames>,
    pub(super) stopping: AtomicBool,
    /// True once a flow fits no device: nothing more runs.
    pub(super) is_unfit: AtomicBool,
    /// True once a person ended a flow in the debugger: no later one begins.
    pub(super) is_given_up: AtomicBool,
    /// Number of runs that the flows of a folder of goldens still have. A folder sorts right before those
    /// below it.
    pub(super) to_do: Mutex<BTreeMap<Utf8PathBuf, usize>>,
    pub(super) began: Instant,
    /// Day by which quarantines end, the same for the whole run.
    pub(super) today: chrono::NaiveDate,
    /// Shared state of the recordings.
    pub(super) recording: Option<Arc<RunRecording>>,
    /// True once a recording could not be begun, which is a warning only the first time.
    pub(super) recording_failed: AtomicBool,
}

impl Run {
    /// Begins a run: draws its identity, masks the project's secrets and those written in flows, and sends the
    /// event of the start. Opens no device.
    pub(crate) fn begin(
        config: Config,
        context: &Context,
        plan: Plan,
        options: Options,
        sink: Sender<Event>,
        cancel: CancellationToken,
    ) -> Arc<Self> {
        let began = Instant::now();
        let run_id = format!("{:016x}", fastrand::u64(..));
        let settings = Settings::new(config, context, options, run_id.clone());
        let known = settings.options.known.as_ref();
        let scrubber = known.map(Scrubber::for_runs).unwrap_or_default();
        let emitter = Emitter::new(sink, scrubber);
        // Before the first event, which contains paths and facts of the CI system.
        secrets::hide_project_values(&settings, emitter.scrubber());
        for secret in settings.config.device_secrets() {
            emitter.scrubber().add(secret);
        }
        sources::hide_written(&plan, &settings.config.secrets, emitter.scrubber());
        emitter.emit(EventKind::Start {
            schema: SCHEMA,
            run_id,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: now(),
            root: settings.config.root.clone(),
            artifacts: settings.config.artifacts.value.clone(),
            host: Some(host::from_context(context)),
            shard: plan.shard.clone(),
            shuffle: settings.options.shuffle,
            changed_since: plan.changed_since.clone(),
        });
        let history = settings.options.recordings.as_deref();
        let recording =
            history.map(|it| RunRecording::begin(it, &settings.run_id, &settings.config.root));
        Arc::new(Self {
            plan,
            settings,
            emitter,
            sources: Sources::default(),
            cancel,
            artifact_names: OnceLock::new(),
            stopping: AtomicBool::new(false),
            is_unfit: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
            to_do: Mutex::default(),
            began,
            today: quarantine::today(),
            recording,
            recording_failed: AtomicBool::new(false),
        })
    }

    /// Ends the run: sends the last event with totals and reasons, and returns the exit code. Too many flows in
    /// quarantine fail it, and are not counted among the totals. Old recordings are removed.
    pub(super) fn finish(&self) -> ExitCode {
        if let Some(recording) = &self.recording {
            recording.prune();
        }
        if self.cancel.is_cancelled() {
            self.stop(StopReason::User);
        }
        let summary = self.emitter.summary();
        let fail_on_flaky = self.settings.options.fail_on_flaky;
        let mut code = summary.exit_code(fail_on_flaky);
        let mut because = summary.run_failures(fail_on_flaky);
        if let Some(limit) = self.settings.config.quarantine_limit.value
            && let Some(why) = self.plan.in_quarantine.and_then(|it| it.exceeds(limit))
        {
            because.push(RunFailure::new(RunFailureKind::QuarantineLimit, why));
            code = code.max(ExitCode::Failed);
        }
        for failure in &because {
            self.emitter.warn(None, failure.message.clone());
        }
        self.emitter.emit(EventKind::Finish {
            totals: summary.totals(),
            duration_ms: self.began.elapsed().as_millis() as u64,
            exit_code: code as u8,
            because,
        });
        code
    }

    pub(super) fn spreads(&self) -> bool {
        self.settings.config.spread.value
    }

    /// Sends the event that the run stops; ends nothing itself. A later reason is sent only if it is the user.
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

    /// Sends the event that describes a device.
    pub(super) fn emit_device(&self, target: &Target, info: &DeviceInfo) {
        self.emitter.emit(EventKind::Device {
            label: target.label.clone(),
            info: Box::new(info.clone()),
        });
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
}

/// Returns true if one of the folders lies below this one, as the goldens of `shop/pay.yaml` lie below those
/// of `shop.yaml`.
fn has_below<T>(folders: &BTreeMap<Utf8PathBuf, T>, folder: &Utf8PathBuf) -> bool {
    let mut behind = folders.range::<Utf8PathBuf, _>((Bound::Excluded(folder), Bound::Unbounded));
    behind
        .next()
        .is_some_and(|(next, _)| next.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_goldens_is_known_to_hold_others() {
        let names = ["a", "a b", "a-b", "a-b/c", "a.b", "a/b", "a/b/c", "b", "b0"];
        let folders: BTreeMap<Utf8PathBuf, u8> = names.map(|name| (name.into(), 0)).into();
        for name in names {
            let has = names
                .iter()
                .any(|other| other.starts_with(&format!("{name}/")));
            assert_eq!(has_below(&folders, &name.into()), has, "{name}");
        }
    }
}
