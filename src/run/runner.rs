//! A whole run: flows × devices, retries, and the totals.

mod workers;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use camino::Utf8PathBuf;
use tokio_util::sync::CancellationToken;

use super::app_versions::AppVersions;
use super::artifacts::{ArtifactFolder, ArtifactNames};
use super::attempt::{Attempt, AttemptEnd, AttemptProgress};
use super::call_stack::CallStack;
use super::context::AttemptContext;
use super::devices::{self, OpenDevice, OpenOptions, Target};
use super::differed::DifferedSnapshots;
use super::emit::Emitter;
use super::evaluate::aside;
use super::settings::{Options, Settings};
use super::sources::{self, Sources};
use super::{
    Event, EventKind, FlowId, FlowStatus, OpenConnection, Plan, SourceLocation, StopReason,
    event::SCHEMA,
};
use super::{host, names, secrets};
use crate::config::Config;
use crate::context::Context;
use crate::device::uia2::Use;
use crate::device::{Device, DeviceError, DeviceInfo};
use crate::engine::Session;
use crate::exit_code::ExitCode;
use crate::flow::Flow;
use crate::secret::Scrubber;
use crate::tools::{Caller, Failure, FailureKind};
use workers::Workers;

/// Runs a plan, telling everything to `sink`. Gives the exit code.
pub async fn run(
    config: Config,
    context: &Context,
    plan: Plan,
    options: Options,
    sink: Sender<Event>,
    cancel: CancellationToken,
) -> ExitCode {
    let run = Run::begin(config, context, plan, options, sink, cancel);
    run.on_all_devices().await;
    run.finish()
}

/// Runs a plan as [`run`] does, but on a device that is open already and stays so. The caller keeps others off it.
pub async fn run_on(
    opened: &OpenConnection,
    config: Config,
    context: &Context,
    plan: Plan,
    options: Options,
    sink: Sender<Event>,
    cancel: CancellationToken,
) -> ExitCode {
    let run = Run::begin(config, context, plan, options, sink, cancel);
    run.tell_plan(std::slice::from_ref(&opened.target));
    run.on_open_device(&opened.target, opened.device()).await;
    run.finish()
}

fn now() -> String {
    chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
}

struct Run {
    plan: Plan,
    settings: Settings,
    config: Config,
    emitter: Emitter,
    sources: Sources,
    cancel: CancellationToken,
    /// Where artifacts go; known once the devices are.
    artifact_names: OnceLock<ArtifactNames>,
    stopping: AtomicBool,
    /// What is over on each device: flows, and attempts at the next one.
    over: Mutex<HashMap<String, (usize, u32)>>,
    /// On how many devices a flow is done.
    done: Mutex<HashMap<Utf8PathBuf, usize>>,
    began: Instant,
}

impl Run {
    fn begin(
        config: Config,
        context: &Context,
        plan: Plan,
        options: Options,
        sink: Sender<Event>,
        cancel: CancellationToken,
    ) -> Arc<Self> {
        let began = Instant::now();
        let run_id = format!("{:016x}", fastrand::u64(..));
        let settings = Settings::new(&config, context, options, run_id.clone());
        let emitter = Emitter::new(sink, Scrubber::default());
        // Before the first event: it names paths, and what CI says of the run.
        secrets::of_project(&settings, emitter.scrubber());
        for secret in config.device_secrets() {
            emitter.scrubber().add(secret);
        }
        sources::hide_written(&plan, &settings.secrets, emitter.scrubber());
        emitter.emit(EventKind::Start {
            schema: SCHEMA,
            run_id,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: now(),
            root: settings.root.clone(),
            artifacts: settings.artifacts.clone(),
            host: Some(host::of(context)),
        });
        Arc::new(Self {
            plan,
            settings,
            config,
            emitter,
            sources: Sources::default(),
            cancel,
            artifact_names: OnceLock::new(),
            stopping: AtomicBool::new(false),
            over: Mutex::default(),
            done: Mutex::default(),
            began,
        })
    }

    fn finish(&self) -> ExitCode {
        if self.cancel.is_cancelled() {
            self.stop(StopReason::User);
        }
        let summary = self.emitter.summary();
        let code = summary.exit_code(self.settings.options.fail_on_flaky);
        self.emitter.emit(EventKind::Finish {
            totals: summary.totals(),
            duration_ms: self.began.elapsed().as_millis() as u64,
            exit_code: code as u8,
        });
        code
    }

    /// A task for each device; dropping this ends them all.
    async fn on_all_devices(self: &Arc<Self>) {
        // Where no flow reads, no device is needed to say so.
        let resolved = if self.plan.flows.is_empty() {
            Ok(Vec::new())
        } else {
            devices::resolve(&self.config.devices.value, &self.config.adb_server()).await
        };
        let (targets, missing) = match resolved {
            Ok(targets) => (targets, None),
            Err(error) => (vec![Target::missing()], Some(error)),
        };
        self.tell_plan(&targets);
        if let (Some(error), [target]) = (missing, targets.as_slice()) {
            for flow in &self.plan.flows {
                self.no_device(flow, target, &error);
            }
            return;
        }
        let mut workers = Workers::default();
        for target in targets {
            let run = Arc::clone(self);
            let on = target.clone();
            workers.spawn(target, async move { run.on_device(&on).await });
        }
        self.wait_for(workers).await;
    }

    fn tell_plan(&self, targets: &[Target]) {
        let flows = self.plan.flows.iter();
        let flows: Vec<_> = flows.map(|flow| flow.source.path.as_path()).collect();
        let labels: Vec<_> = targets.iter().map(|target| target.label.as_str()).collect();
        self.artifact_names
            .get_or_init(|| ArtifactNames::new(&flows, &labels));
        let identities = targets
            .iter()
            .flat_map(|target| self.plan.flows.iter().map(|flow| identity(flow, target, 1)))
            .collect();
        let named = |flow: &Arc<Flow>| (flow.source.path.clone(), flow.name.clone());
        self.emitter.emit(EventKind::Plan {
            flows: identities,
            names: self.plan.flows.iter().map(named).collect(),
        });
        for warning in &self.plan.warnings {
            self.emitter
                .warn(None, crate::diagnostic::render_line(warning));
        }
        for (path, diagnostics) in &self.plan.unreadable {
            let at = diagnostics
                .first()
                .map(|first| SourceLocation::of(&first.source, first.span.start));
            let message = crate::diagnostic::render(diagnostics, false, 120);
            self.emitter.emit(EventKind::Unreadable {
                flow: path.clone(),
                message,
                at,
            });
        }
    }

    fn stop(&self, because: StopReason) {
        let told = self.stopping.swap(true, Ordering::Relaxed);
        // A second reason is told only where it is the user's, which outranks the program's.
        if !told || because == StopReason::User {
            self.emitter.emit(EventKind::Stopping { because });
        }
    }

    /// All flows on one device, one after another. A device that is lost is opened again once for each flow.
    async fn on_device(&self, target: &Target) {
        let emitter = self.emitter.clone();
        let options = OpenOptions::new(&self.config, Use::Throughout)
            .telling(move |notice| emitter.info(None, notice));
        let mut open: Option<(OpenDevice, AppVersions)> = None;
        let mut told = false;
        let mut refused = None;
        for flow in &self.plan.flows {
            if self.stops() {
                self.not_run(flow, target);
                continue;
            }
            if let Some(error) = &refused {
                self.no_device(flow, target, error);
                continue;
            }
            if open.is_none() {
                let opening = devices::open(target, &options);
                match self.cancel.run_until_cancelled(opening).await {
                    None => {
                        self.not_run(flow, target);
                        continue;
                    }
                    Some(Ok(device)) => {
                        if !told {
                            self.tell_device(target, device.device.info());
                            told = true;
                        }
                        open = Some((device, AppVersions::default()));
                    }
                    Some(Err(error)) => {
                        self.no_device(flow, target, &error);
                        // Its owner is asked once a run, not before each flow.
                        let final_word = matches!(error, DeviceError::Refused { .. });
                        refused = final_word.then_some(error);
                        continue;
                    }
                }
            }
            if let Some((device, apps)) = &open {
                let state = self.flow(flow, target, &device.device, apps).await;
                if state == DeviceState::Lost || target.is_for_one_flow() {
                    open = None;
                }
            }
        }
    }

    /// All flows on a device that somebody else opened: where it is lost, that is the end.
    async fn on_open_device(&self, target: &Target, device: &Arc<dyn Device>) {
        self.tell_device(target, device.info());
        let mut state = DeviceState::Ready;
        let apps = AppVersions::default();
        for flow in &self.plan.flows {
            if self.stops() {
                self.not_run(flow, target);
            } else if state == DeviceState::Lost {
                let lost = DeviceError::Lost {
                    serial: target.label.clone(),
                    cause: "an earlier flow lost it".to_owned(),
                };
                self.no_device(flow, target, &lost);
            } else {
                state = self.flow(flow, target, device, &apps).await;
            }
        }
    }

    fn stops(&self) -> bool {
        if self.settings.options.fail_fast && !self.emitter.summary().not_passed().is_empty() {
            self.stop(StopReason::FailFast);
            return true;
        }
        self.cancel.is_cancelled()
    }

    fn tell_device(&self, target: &Target, info: &DeviceInfo) {
        self.emitter.emit(EventKind::Device {
            label: target.label.clone(),
            info: Box::new(info.clone()),
        });
    }

    /// All attempts at one flow.
    async fn flow(
        &self,
        flow: &Arc<Flow>,
        target: &Target,
        device: &Arc<dyn Device>,
        apps: &AppVersions,
    ) -> DeviceState {
        let retries = flow.retries.unwrap_or(self.settings.retries);
        let attempts = retries.saturating_add(1);
        for attempt in 1..=attempts {
            let began = Instant::now();
            let started = now();
            let id = identity(flow, target, attempt);
            let cost_before = device.counters().read();
            let mut ended = self.attempt(flow, id.clone(), target, device, apps).await;
            if ended.status == FlowStatus::Passed && attempt > 1 {
                ended.status = FlowStatus::Flaky;
            }
            let last = attempt == attempts || !self.worth_retrying(&ended);
            self.emitter.emit(EventKind::FlowFinished {
                id,
                status: ended.status,
                last,
                started,
                duration_ms: began.elapsed().as_millis() as u64,
                cost: device.counters().read() - cost_before,
                failure: ended.failure,
                failed_at: ended.failed_at,
                artifacts: ended.artifacts,
                app_version: flow.app.as_deref().and_then(|app| apps.of(app)),
            });
            self.count_over(target, last);
            if last {
                self.count_done(flow);
                return if ended.gone {
                    DeviceState::Lost
                } else {
                    DeviceState::Ready
                };
            }
        }
        DeviceState::Ready
    }

    /// Where no device needs a flow's old goldens any more, the store may forget them.
    fn count_done(&self, flow: &Flow) {
        let folder = self.settings.golden_folder(&flow.key);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let number = done.entry(folder.clone()).or_default();
        *number += 1;
        if *number < self.config.devices.value.len() {
            return;
        }
        // Goldens of `shop/pay.yaml` lie below those of `shop.yaml`.
        let is_alone = !self.plan.flows.iter().any(|other| {
            let other = self.settings.golden_folder(&other.key);
            other != folder && other.starts_with(&folder)
        });
        if is_alone {
            self.settings.store.forget_flow(&folder);
        }
    }

    /// A new or changed snapshot is the same the next time; a device that is gone stays gone.
    fn worth_retrying(&self, ended: &AttemptEnd) -> bool {
        matches!(ended.status, FlowStatus::Failed | FlowStatus::Error)
            && !ended.gone
            && !ended.differed
            && !ended
                .failure
                .as_ref()
                .is_some_and(Failure::is_about_a_golden)
            && !self.cancel.is_cancelled()
    }

    async fn attempt(
        &self,
        flow: &Arc<Flow>,
        id: FlowId,
        target: &Target,
        device: &Arc<dyn Device>,
        apps: &AppVersions,
    ) -> AttemptEnd {
        // A session for each attempt: no look and no id of an earlier one counts.
        let session =
            Session::new(Arc::clone(device)).with_locations(self.settings.locations.clone());
        let info = device.info();
        let folder = ArtifactFolder::new(
            &self.settings.artifacts,
            self.artifact_names.get_or_init(ArtifactNames::default),
            &id,
            self.emitter.scrubber().clone(),
        );
        // Before the files are told: what is secret in the header's env is hidden here.
        let scope = aside(|| names::at_start(&self.settings, &self.emitter, flow, &id, info));
        self.sources
            .tell(flow, &self.settings.secrets, &self.emitter);
        let scope = match scope {
            Ok(scope) => scope,
            Err(failure) => {
                return AttemptEnd::unstarted(failure, SourceLocation::of(&flow.source, 0));
            }
        };
        let context = AttemptContext {
            flow,
            id,
            session: &session,
            settings: &self.settings,
            emitter: &self.emitter,
            render_class: target.render_class.clone(),
            variant: target.variant.clone(),
            app_versions: apps,
            folder,
            caller: Caller::that_ends(),
        };
        let mut attempt = Attempt {
            context,
            stack: CallStack::new(scope),
            differed: DifferedSnapshots::default(),
            progress: AttemptProgress::default(),
            gone: None,
            lent: None,
        };
        attempt.run(&self.cancel).await
    }

    fn not_run(&self, flow: &Flow, target: &Target) {
        let because = if self.cancel.is_cancelled() {
            "interrupted"
        } else {
            "not run: an earlier flow failed (--fail-fast)"
        };
        self.finish_unstarted(
            flow,
            target,
            1,
            FlowStatus::Interrupted,
            Failure::new(FailureKind::Usage, because),
        );
    }

    fn no_device(&self, flow: &Flow, target: &Target, error: &DeviceError) {
        let failure = Failure::new(FailureKind::Infrastructure, error.to_string());
        self.finish_unstarted(flow, target, 1, FlowStatus::Error, failure);
    }

    fn finish_unstarted(
        &self,
        flow: &Flow,
        target: &Target,
        attempt: u32,
        status: FlowStatus,
        failure: Failure,
    ) {
        let id = identity(flow, target, attempt);
        self.emitter.emit(EventKind::FlowFinished {
            id,
            status,
            last: true,
            started: now(),
            duration_ms: 0,
            cost: crate::device::Cost::default(),
            failure: Some(failure),
            failed_at: None,
            artifacts: Vec::new(),
            app_version: None,
        });
        self.count_over(target, true);
    }
}

fn identity(flow: &Flow, target: &Target, attempt: u32) -> FlowId {
    FlowId {
        flow: flow.source.path.clone(),
        device: target.label.clone(),
        attempt,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeviceState {
    Ready,
    Lost,
}

#[cfg(test)]
mod tests;
