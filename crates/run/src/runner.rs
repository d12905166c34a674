//! Runs a whole plan: devices, retries, and totals.

mod device_mismatch;
mod device_steps;
mod fit;
mod order;
mod pool;
mod queue;
mod workers;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use tokio_util::sync::CancellationToken;

use self::device_steps::DeviceSteps;
use self::fit::DeviceFacts;
use self::pool::Pool;
use super::app_versions::AppVersions;
use super::artifacts::{ArtifactFolder, ArtifactNames};
use super::attempt::{Attempt, AttemptEnd};
use super::call_stack::CallStack;
use super::context::{AttemptContext, header_properties};
use super::devices::{self, Target};
use super::emit::Emitter;
use super::evaluate::block_in_place;
use super::maestro::MaestroState;
use super::recorder::{Recorder, RunRecording};
use super::reporter::Reporter;
use super::screen_names::ScreenNameRecorder;
use super::settings::{Options, Settings};
use super::sources::{self, Sources};
use super::trace::TraceRecorder;
use super::typed_secrets::TypedSecrets;
use super::{OpenConnection, Plan, PlannedCase};
use super::{host, names, quarantine, secrets};
use runner_base::context::Context;
use runner_base::exit_code::ExitCode;
use runner_config::Config;
use runner_device::{Device, DeviceError, DeviceInfo};
use runner_engine::Session;
use runner_event::{
    Event, EventKind, FlowId, FlowStatus, RunFailure, RunFailureKind, SCHEMA, SourceLocation,
    StopReason,
};
use runner_flow::{CaseName, Flow, Quarantine};
use runner_history::Durations;
use runner_recording::{FirstDifference, Head};
use runner_text::secret::Scrubber;
use runner_tools::{Caller, Failure, FailureKind, Words};

/// Runs a plan and sends all events to `sink`. Returns the exit code.
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

/// Runs a plan as [`run`] does, on a device that is open already and stays open. Flows are not spread over
/// devices. The caller must have exclusive access to it. Returns the exit code.
pub async fn run_on(
    opened: &OpenConnection,
    mut config: Config,
    context: &Context,
    plan: Plan,
    options: Options,
    sink: Sender<Event>,
    cancel: CancellationToken,
) -> ExitCode {
    // There is only one device.
    config.spread.value = false;
    let run = Run::begin(config, context, plan, options, sink, cancel);
    run.emit_plan(std::slice::from_ref(&opened.target));
    // Boxed, as the future of a whole run is large.
    Box::pin(run.on_open_device(&opened.target, opened.device())).await;
    run.finish()
}

fn now() -> String {
    chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
}

pub(super) struct Run {
    plan: Plan,
    settings: Settings,
    emitter: Emitter,
    sources: Sources,
    cancel: CancellationToken,
    /// Folders of the artifacts. Set once the devices are known.
    artifact_names: OnceLock<ArtifactNames>,
    stopping: AtomicBool,
    /// A flow fits no device, so nothing runs.
    is_unfit: AtomicBool,
    /// A person ended a flow in the debugger: no later one begins.
    is_given_up: AtomicBool,
    /// Number of runs that the flows of a folder of goldens still have. A folder sorts right before those
    /// below it.
    to_do: Mutex<BTreeMap<Utf8PathBuf, usize>>,
    began: Instant,
    /// Day by which quarantines end, the same for the whole run.
    today: chrono::NaiveDate,
    /// Shared state of the recordings.
    recording: Option<Arc<RunRecording>>,
    /// A recording could not be begun. One warning is enough.
    recording_failed: AtomicBool,
}

/// A case of a flow to run once, on any device or on a certain one.
#[derive(Debug, Clone)]
struct WorkItem {
    case: PlannedCase,
    /// Index of the device that must run it. None allows any.
    bound: Option<usize>,
    /// Number of finished attempts. Clones share it, so that it survives a lost device.
    attempts: Arc<AtomicU32>,
    /// Number of failed attempts that did not lose the device.
    failures: u32,
    /// Labels of the devices that were lost during it.
    lost_on: Vec<String>,
    /// Failure of its last attempt, while it waits to run again.
    failed: Option<Box<FailedAttempt>>,
    /// Items of a sequence that the same device runs after it.
    rest: VecDeque<WorkItem>,
}

/// Failed attempt that another one follows.
#[derive(Debug, Clone)]
struct FailedAttempt {
    status: FlowStatus,
    recording: Option<Utf8PathBuf>,
    failure: Option<Failure>,
    at: Option<SourceLocation>,
}

impl WorkItem {
    fn new(case: &PlannedCase, bound: Option<usize>) -> Self {
        Self {
            case: case.clone(),
            bound,
            attempts: Arc::default(),
            failures: 0,
            lost_on: Vec::new(),
            failed: None,
            rest: VecDeque::new(),
        }
    }

    /// Returns a unit of the plan as its first item, with the others as its rest, in order. `None` for an
    /// empty one.
    fn unit(items: Vec<Self>) -> Option<Self> {
        let mut items = VecDeque::from(items);
        let first = items.pop_front()?;
        Some(Self {
            rest: items,
            ..first
        })
    }

    /// Takes the next item of the sequence, bound to the device at index `at`, which ran this one. The rest
    /// moves to it. `None` after the last.
    fn next(&mut self, at: usize) -> Option<Self> {
        let mut rest = std::mem::take(&mut self.rest);
        let next = rest.pop_front()?;
        Some(Self {
            bound: Some(at),
            rest,
            ..next
        })
    }

    /// Returns this item and those after it, each alone.
    fn all(mut self) -> impl Iterator<Item = Self> {
        let rest = std::mem::take(&mut self.rest);
        std::iter::once(self).chain(rest)
    }

    /// Returns the identity of its next attempt.
    fn next_id(&self, device: &str) -> FlowId {
        let attempt = self.attempts.load(Ordering::Relaxed) + 1;
        self.case.id().attempt(device, attempt)
    }

    fn flow(&self) -> &Arc<Flow> {
        &self.case.flow
    }
}

/// Next state of an item that a device had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemNext {
    /// Finished.
    Over,
    /// Another device should take it.
    Again,
    /// It runs again when no other work waits.
    Later,
}

/// Result of an item on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ItemEnd {
    next: ItemNext,
    /// Message that says why the device is gone, if it is.
    lost: Option<String>,
}

impl Run {
    pub(super) fn begin(
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
        let scrubber = Scrubber::with_heir(settings.options.heir.as_ref());
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

    fn finish(&self) -> ExitCode {
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

    fn spreads(&self) -> bool {
        self.settings.config.spread.value
    }

    /// Returns all work items in the order in which to take them. If any device may take a flow, each case is
    /// there once, longest first by the history, or in the shuffled order. Otherwise each device has all
    /// cases, in the plan's order.
    fn items(&self, devices: usize) -> Vec<WorkItem> {
        let units = |device: Option<usize>| {
            let items = self.plan.cases.iter();
            let items = items.map(move |case| WorkItem::new(case, device));
            let units = self.plan.units(items, |item| &item.flow().source.path);
            units.into_iter().filter_map(WorkItem::unit)
        };
        if self.spreads() {
            let items: Vec<_> = units(None).collect();
            // A shuffled order stays as it is.
            if self.settings.options.shuffle.is_some() {
                return items;
            }
            let (took, warnings) = Durations::read(&self.settings.config.history.value);
            for warning in warnings {
                self.emitter.warn(None, warning.to_string());
            }
            let of_case = |item: &WorkItem| {
                let id = item.case.id();
                let case = id.case.as_ref().map(CaseName::as_str);
                took.get(id.flow.as_str(), case)
            };
            // A sequence takes the sum of the known durations of its flows.
            return order::longest_first(items, |item| {
                let all = std::iter::once(item).chain(&item.rest);
                all.filter_map(of_case).reduce(Duration::saturating_add)
            });
        }
        (0..devices)
            .flat_map(|device| units(Some(device)))
            .collect()
    }

    /// Runs all work, with a task for each device. Dropping the future ends them all. If the devices cannot
    /// be determined, each item ends with that error. If no flow can be read, no device is asked for.
    async fn on_all_devices(self: &Arc<Self>) {
        // If no flow can be read, no device is needed to report it.
        let (wanted, server) = (
            &self.settings.config.devices.value,
            self.settings.config.adb_server(),
        );
        let resolved = if self.plan.cases.is_empty() {
            Ok(Vec::new())
        } else if self.spreads() {
            devices::resolve_all(wanted, &server).await
        } else {
            devices::resolve(wanted, &server).await
        };
        let (targets, missing) = match resolved {
            Ok(targets) => (targets, None),
            Err(error) => (vec![Target::missing()], Some(error)),
        };
        self.emit_plan(&targets);
        let items = self.items(targets.len());
        if let Some(error) = missing {
            let device = if self.spreads() { "" } else { "none" };
            for item in items.into_iter().flat_map(WorkItem::all) {
                self.no_device(&item, device, &error);
            }
            return;
        }
        let pool = Arc::new(Pool::new(items, targets));
        self.work_through(&pool).await;
    }

    fn emit_plan(&self, targets: &[Target]) {
        let cases: Vec<_> = self.plan.cases.iter().map(PlannedCase::id).collect();
        let labels: Vec<_> = targets.iter().map(|target| target.label.as_str()).collect();
        self.artifact_names
            .get_or_init(|| ArtifactNames::new(&cases, &labels));
        let spreads = self.spreads();
        let on: Vec<&str> = if spreads { vec![""] } else { labels.clone() };
        let identities: Vec<FlowId> = on
            .into_iter()
            .flat_map(|device| cases.iter().map(move |case| case.attempt(device, 1)))
            .collect();
        let mut to_do = self.to_do.lock().unwrap_or_else(PoisonError::into_inner);
        let times = if spreads { 1 } else { targets.len() };
        for case in &self.plan.cases {
            *to_do
                .entry(self.settings.golden_folder(&case.flow.key))
                .or_default() += times;
        }
        drop(to_do);
        let named = |flow: &Arc<Flow>| (flow.source.path.clone(), flow.name.clone());
        let told = |flow: &Arc<Flow>| {
            let properties = header_properties(flow);
            (!properties.is_empty()).then(|| (flow.source.path.clone(), properties))
        };
        let labels = labels.into_iter().filter(|_| spreads);
        self.emitter.emit(EventKind::Plan {
            flows: identities,
            devices: labels.map(str::to_owned).collect(),
            names: self.plan.flows().map(named).collect(),
            properties: self.plan.flows().filter_map(told).collect(),
        });
        for warning in &self.plan.warnings {
            self.emitter
                .warn(None, runner_text::diagnostic::render_line(warning));
        }
        for (path, diagnostics) in &self.plan.unreadable {
            let at = diagnostics
                .first()
                .map(|first| SourceLocation::from_offset(&first.source, first.span.start));
            let message = runner_text::diagnostic::render(diagnostics, false, 120);
            self.emitter.emit(EventKind::Unreadable {
                flow: path.clone(),
                message,
                at,
            });
        }
    }

    fn stop(&self, because: StopReason) {
        let reported = self.stopping.swap(true, Ordering::Relaxed);
        // A second reason is reported only if the user gave it, as that outranks the program's.
        if !reported || because == StopReason::User {
            self.emitter.emit(EventKind::Stopping { because });
        }
    }

    /// Runs all flows on a device that somebody else opened, one after the other, with its setup before and
    /// its teardown after. Once the device is lost, or its setup failed, the remaining flows end with an
    /// error; there is no teardown of a lost device. Flows to be retried later run after all others.
    pub(super) async fn on_open_device(&self, target: &Target, device: &Arc<dyn Device>) {
        self.emit_device(target, device.info());
        let facts = DeviceFacts::new(device.info(), target);
        let mut is_lost = false;
        let apps = AppVersions::default();
        let mut around = DeviceSteps::new(self, device);
        let mut not_set_up = None;
        let items = self.items(1).into_iter();
        let mut waiting: VecDeque<_> = items.flat_map(WorkItem::all).collect();
        while let Some(mut item) = waiting.pop_front() {
            if !self.stops() && not_set_up.is_none() && !is_lost {
                not_set_up = around.set_up(self, target, &apps).await.err();
            }
            if let Some(error) = &not_set_up {
                self.no_device(&item, &target.label, error);
            } else if self.stops() {
                self.not_run(&item, &target.label);
            } else if is_lost {
                let lost = DeviceError::Lost {
                    serial: target.label.clone(),
                    cause: "an earlier flow lost it".to_owned(),
                };
                self.no_device(&item, &target.label, &lost);
            } else if let Some(reason) = device_mismatch::check_only_device(&item, target, &facts) {
                self.finish_unfit(&item, &target.label, &reason);
            } else {
                let ended = self.item(&mut item, target, device, &apps).await;
                is_lost = ended.lost.is_some();
                if ended.next == ItemNext::Later {
                    waiting.push_back(item);
                }
            }
        }
        if !is_lost {
            around.tear_down(self, target, &apps).await;
        }
    }

    fn stops(&self) -> bool {
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

    fn emit_device(&self, target: &Target, info: &DeviceInfo) {
        self.emitter.emit(EventKind::Device {
            label: target.label.clone(),
            info: Box::new(info.clone()),
        });
    }

    /// Runs attempts at one item on this device until it passes or has no retries left, and reports the end
    /// of each. Returns earlier if the item goes to another device, because this one was lost, or is to be
    /// retried after all others. A success after a failure is flaky. An item of a sequence that an earlier
    /// flow has broken is not run.
    async fn item(
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
                self.apply_quarantine(&mut ended, &id, quarantine);
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

    /// Returns true if an item goes to another device after its device was lost: once, if it may run on any
    /// device.
    fn may_give_back(&self, item: &WorkItem) -> bool {
        item.bound.is_none() && item.lost_on.is_empty() && !self.cancel.is_cancelled()
    }

    /// Changes a bad result of a flow in quarantine to `Quarantined`, until the quarantine ends, and notes
    /// it. Bad are failures and errors, and flaky flows if these fail the run. A lost device is not the
    /// flow's fault, so its result stays. After the end only a note says that a bad result counts again.
    fn apply_quarantine(&self, ended: &mut AttemptEnd, id: &FlowId, quarantine: &Quarantine) {
        let is_bad = match ended.status {
            FlowStatus::Failed | FlowStatus::Error => !ended.gone,
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
            return;
        }
        if let Some(note) = quarantine::ends_soon(quarantine, self.today) {
            self.emitter.info(Some(id), note);
        }
        if !is_bad {
            return;
        }
        ended.status = FlowStatus::Quarantined;
        let described = quarantine::describe(quarantine);
        let note = format!("in quarantine{described}; its failure does not fail the run");
        self.emitter.info(Some(id), note);
    }

    /// Counts a finished run of a flow. The store forgets a flow's old goldens once no device needs them,
    /// unless another flow of the run has its goldens in a folder below.
    fn count_done(&self, flow: &Flow) {
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

    async fn attempt(
        &self,
        case: &PlannedCase,
        id: FlowId,
        target: &Target,
        device: &Arc<dyn Device>,
        apps: &AppVersions,
        emitter: &Emitter,
    ) -> AttemptEnd {
        let flow = &case.flow;
        let reporter = Reporter::new(emitter, id);
        let id = reporter.id();
        // Each attempt has a session of its own, so that no look or id of an earlier one counts.
        let met = Arc::new(ScreenNameRecorder::default());
        let typed_secrets = Arc::new(TypedSecrets::new(emitter.scrubber().clone()));
        let mut session = self
            .session(device)
            .with_observer(Arc::<ScreenNameRecorder>::clone(&met))
            .with_observer(Arc::<TypedSecrets>::clone(&typed_secrets));
        let info = device.info();
        let folder = self.artifact_folder(id, emitter);
        let trace = self.settings.config.trace.value.records(id.attempt);
        let watch = self.settings.options.trace_watch.as_ref();
        let trace = trace.then(|| {
            let folder = watch.map_or_else(
                || folder.clone(),
                |watch| self.folder_in(watch.folder(), id, emitter),
            );
            Arc::new(TraceRecorder::new(&reporter, &folder))
        });
        if let Some(trace) = &trace {
            if let Some(watch) = watch {
                watch.begins(id, trace);
            }
            session = session.with_observer(Arc::<TraceRecorder>::clone(trace));
        }
        // Before the files are emitted, as this masks the secrets in the header's `env`.
        let scope =
            block_in_place(|| names::initial_scope(&self.settings, emitter, case, id, info));
        self.sources
            .emit(flow, &self.settings.config.secrets, emitter);
        let scope = match scope {
            Ok(scope) => scope,
            Err(failure) => {
                return AttemptEnd::unstarted(
                    failure,
                    SourceLocation::from_offset(&flow.source, 0),
                );
            }
        };
        let flow = match block_in_place(|| names::resolve_app(flow, &scope)) {
            Ok(flow) => flow,
            Err(failure) => {
                return AttemptEnd::unstarted(
                    failure,
                    SourceLocation::from_offset(&flow.source, 0),
                );
            }
        };
        let recorder = self.recorder(&flow, id, device, emitter, &typed_secrets);
        if let Some(recorder) = &recorder {
            session = session.with_observer(Arc::<Recorder>::clone(recorder));
        }
        let shard = self.plan.shard.as_ref();
        let maestro = flow
            .maestro()
            .map(|_| MaestroState::new(&self.settings, &flow, id, (info, session.clock()), shard));
        let context = AttemptContext {
            flow: &flow,
            case: case.case.as_deref(),
            reporter,
            session: &session,
            settings: &self.settings,
            target,
            app_versions: apps,
            folder,
            caller: Caller::that_ends(),
            trace,
            recorder: recorder.clone(),
            typed_secrets,
        };
        let stack = CallStack::new(scope, maestro);
        let debugger = self.settings.options.debugger.clone();
        let mut attempt = Attempt::new(&context, stack, debugger);
        let ended = Box::pin(attempt.run(&self.cancel)).await;
        let mut recording = None;
        if let Some(recorder) = recorder {
            let version = context.app_version();
            recording = recorder.finish(ended.status, version).await;
            if ended.status == FlowStatus::Passed
                && let Some(recording) = &recording
            {
                self.note_match_changes(recording, context.reporter.id(), emitter);
            }
        }
        AttemptEnd {
            app: flow.app.clone(),
            met: Some(met.met()),
            recording,
            ..ended
        }
    }

    /// Notes the steps that matched another element than in the last run of the flow that passed. Does
    /// nothing without recordings or such a run. Reads both recordings, and blocks this thread meanwhile.
    fn note_match_changes(&self, recording: &Utf8Path, id: &FlowId, emitter: &Emitter) {
        let Some(history) = self.settings.options.recordings.as_deref() else {
            return;
        };
        let others = block_in_place(|| {
            let case = id.case_id();
            let earlier = runner_recording::find(history, &case, true);
            let before = earlier
                .filter(|path| path != recording)
                .filter_map(|path| runner_recording::read(&path).ok())
                // The hash in a file's name may be another flow's too.
                .find(|before| before.head.id.flow == id.flow)?;
            let now = runner_recording::read(recording).ok()?;
            Some(runner_recording::match_changes(&now, &before))
        });
        for other in others.unwrap_or_default() {
            emitter.info(Some(id), other.to_string());
        }
    }

    /// Starts the recording of an attempt; `None` if the run records nothing. If it fails, warns once in a
    /// run and returns `None`.
    fn recorder(
        &self,
        flow: &Flow,
        id: &FlowId,
        device: &Arc<dyn Device>,
        emitter: &Emitter,
        typed: &Arc<TypedSecrets>,
    ) -> Option<Arc<Recorder>> {
        let run = self.recording.as_ref()?;
        let head = Head {
            version: runner_recording::VERSION,
            run: self.settings.run_id.clone(),
            started: now(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            id: id.clone(),
            device: device.info().clone(),
            app: flow.app.clone(),
            files: sources::digests(flow),
        };
        match Recorder::begin(run, head, emitter.scrubber(), typed, device.clock()) {
            Ok(recorder) => Some(recorder),
            Err(error) => {
                if !self.recording_failed.swap(true, Ordering::Relaxed) {
                    emitter.warn(
                        None,
                        format!("flows are not recorded in the history: {error}"),
                    );
                }
                None
            }
        }
    }

    /// Returns the folder of an attempt's artifacts.
    fn artifact_folder(&self, id: &FlowId, emitter: &Emitter) -> ArtifactFolder {
        self.folder_in(&self.settings.config.artifacts.value, id, emitter)
    }

    fn folder_in(&self, base: &Utf8Path, id: &FlowId, emitter: &Emitter) -> ArtifactFolder {
        let names = self.artifact_names.get_or_init(ArtifactNames::default);
        ArtifactFolder::new(base, names, id, emitter.scrubber().clone())
    }

    /// Returns the failed flow that ends the sequence to which this flow belongs, on this device. `None` if
    /// none before it failed, or it belongs to no sequence.
    fn broken_by(&self, flow: &Flow, device: &str) -> Option<Utf8PathBuf> {
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

    fn not_after(&self, item: &WorkItem, device: &str, failed: &Utf8Path) {
        let because = format!(
            "not run: {failed} failed before it (executionOrder, continueOnFailure: false)"
        );
        let failure = Failure::new(FailureKind::Usage, because);
        self.finish_unstarted(item, device, FlowStatus::Skipped, failure, None);
    }

    fn session(&self, device: &Arc<dyn Device>) -> Session {
        Session::new(Arc::clone(device))
            .with_locations(self.settings.config.storage.value.clone())
            .with_dialogs(Arc::clone(&self.settings.config.dialogs))
    }

    fn not_run(&self, item: &WorkItem, device: &str) {
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

    fn no_device(&self, item: &WorkItem, device: &str, error: &DeviceError) {
        let failure = Failure::new(FailureKind::Infrastructure, error.to_string());
        self.finish_unstarted(item, device, FlowStatus::Error, failure, None);
    }

    fn finish_unstarted(
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

/// Returns true if one of the folders lies below this one, as the goldens of `shop/pay.yaml` lie below those
/// of `shop.yaml`.
fn has_below<T>(folders: &BTreeMap<Utf8PathBuf, T>, folder: &Utf8PathBuf) -> bool {
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

#[cfg(test)]
mod debugger_tests;
#[cfg(test)]
mod tests;
