//! One attempt at one flow on one device: setup, steps, teardown, and the evidence of a failure.

mod action;
mod condition;
mod control;
mod debugger_steps;
mod display;
mod end;
mod rounds;
mod step;
mod teardown;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::call_stack::CallStack;
use super::context::AttemptContext;
use super::crash_watch::CrashWatch;
use super::debugger::{AttemptClock, DebugState, Debugger};
use super::evaluate::{block_in_place, interpolation_failure};
use super::evidence::{Evidence, EvidenceLimits, FAILURE};
use super::fault::DeviceHealth;
use super::front_app::FrontApp;
use super::liveness::silence_of;
use super::maestro::Interpreter;
use super::progress::Progress;
use super::soft_failures::{CollectedFailures, ContinuePolicy};
use super::step_result::FailedStep;
use super::trace::VideoRecorder;
pub(super) use end::AttemptEnd;
use runner_device::settings::Setting;
use runner_engine::UnfinishedRequest;
use runner_event::{Artifact, FlowStatus, SourceLocation};
use runner_flow::{Flow, InterpolationError, Limits, StepList, StepPath};
use runner_text::units::HumanDuration;
use runner_tools::{Failure, FailureKind, Words};
pub(super) use teardown::CLEAN_UP_LIMIT;
use teardown::hurry;

/// One attempt at a flow. Its parts know nothing of each other; what is told goes through the context's
/// reporter.
pub(super) struct Attempt<'a> {
    context: &'a AttemptContext<'a>,
    // What runs.
    stack: CallStack,
    progress: Progress,
    clock: Arc<AttemptClock>,
    debug: DebugState,
    // What is found and kept.
    health: DeviceHealth,
    crashes: CrashWatch,
    failures: CollectedFailures,
    front: FrontApp,
    /// Notes that were sent about selectors.
    notes: HashSet<String>,
}

impl<'a> Attempt<'a> {
    /// Creates an attempt that has not begun: asks nothing of the device and reports nothing.
    pub(super) fn new(
        context: &'a AttemptContext<'a>,
        stack: CallStack,
        debugger: Option<Arc<dyn Debugger>>,
    ) -> Self {
        Self {
            context,
            stack,
            progress: Progress::default(),
            clock: Arc::new(AttemptClock::new(context.session.clock().clone())),
            debug: DebugState::new(debugger),
            health: DeviceHealth::default(),
            crashes: CrashWatch::default(),
            failures: CollectedFailures::default(),
            front: FrontApp::default(),
            notes: HashSet::new(),
        }
    }

    pub(super) fn context(&self) -> &'a AttemptContext<'a> {
        self.context
    }

    pub(super) fn stack(&mut self) -> &mut CallStack {
        &mut self.stack
    }

    /// Returns the time that the flow has left. `None` before its limit begins and during teardown, which has a limit
    /// of its own.
    pub(super) fn remaining(&self) -> Option<Duration> {
        self.progress.remaining(self.context.session.clock())
    }

    /// Runs the attempt once, with teardown, from the request for the device to its return, and reports its
    /// beginning. A flow that must be skipped ends as skipped at once, and one whose `skip` cannot be evaluated as an
    /// error; nothing is removed or run then. Old artifacts, and evidence for repairs of selectors that the flow no
    /// longer has, are removed first; if that fails, it only warns. Settings are put back. The caller reports the end:
    /// only the caller knows whether another attempt follows.
    pub(super) async fn run(&mut self, cancel: &CancellationToken) -> AttemptEnd {
        let flow = Arc::clone(self.context.flow);
        self.context.emit_start();
        match self.must_skip(&flow) {
            Ok(None) => {}
            Ok(Some(because)) => {
                let mut ended = AttemptEnd::with_status(FlowStatus::Skipped);
                ended.failure = Some(Failure::assertion(because));
                return ended;
            }
            Err(failed) => return AttemptEnd::failed(FlowStatus::Error, failed, Vec::new()),
        }
        // Done before the first step, so that no file of an earlier run counts as one of this run.
        if let Err(error) = self.context.folder.clean() {
            self.context
                .reporter
                .warn(format!("old artifacts could not be removed: {error}"));
        }
        self.context.prune_evidence();
        let clock = Arc::clone(&self.clock);
        let began = clock.stopwatch();
        let mut ended = match self.context.lend(cancel).await {
            Ok(lent) => {
                let video = self.context.record().await;
                let ended = self.body(&flow, cancel).await;
                let ended = self.finish(&flow, ended, cancel).await;
                self.restore().await;
                self.keep_record(video, &ended, cancel).await;
                self.context.give_back(lent.as_ref(), &ended).await;
                ended
            }
            Err(ended) => ended,
        };
        self.report_slow(began.elapsed());
        if let (Some(failure), Some(seed)) = (&mut ended.failure, self.stack.scope().used_seed()) {
            let message = Words::format(
                "made with random data; --seed {} makes the same again",
                &[&seed],
            );
            failure.details.push(message);
        }
        for note in self.context.session.device().take_notes() {
            self.context.reporter.warn(note);
        }
        AttemptEnd {
            has_differences: self.failures.has_snapshot(),
            gone: ended.gone || self.health.is_gone(),
            given_up: self.debug.given_up(),
            ..ended
        }
    }

    /// Ends trace and video of an attempt, and keeps what the settings want of a passed or failed one. A video of a
    /// device that is gone is dropped. 20 s after an interruption ([`hurry`]) it gives up with a warning.
    async fn keep_record(
        &self,
        video: Option<VideoRecorder>,
        ended: &AttemptEnd,
        cancel: &CancellationToken,
    ) {
        let video = video.filter(|_| !self.health.is_gone());
        let passed = ended.status == FlowStatus::Passed;
        tokio::select! {
            () = self.context.keep_record(video, passed) => {}
            () = hurry(cancel) => self.context.reporter.warn("what was recorded could not be kept in time after the interruption"),
        }
    }

    /// Runs steps of the project that belong to the device and to no flow, with their teardown, and reports their
    /// beginning. Neither trace nor video is taken, and a server that lends the device is not notified. Old artifacts
    /// are removed first. Settings that the steps change stay until [`Self::restore`]. The caller reports the end.
    pub(super) async fn run_on_device(&mut self, cancel: &CancellationToken) -> AttemptEnd {
        let flow = Arc::clone(self.context.flow);
        self.context.emit_start();
        if let Err(error) = self.context.folder.clean() {
            self.context
                .reporter
                .warn(format!("old artifacts could not be removed: {error}"));
        }
        let ended = self.body(&flow, cancel).await;
        let ended = self.finish(&flow, ended, cancel).await;
        AttemptEnd {
            gone: self.health.is_gone(),
            ..ended
        }
    }

    /// Warns if the attempt took longer than `slow_after` of the configuration. Without that setting it does
    /// nothing.
    fn report_slow(&self, took: Duration) {
        if let Some(limit) = self
            .context
            .settings
            .config
            .slow_after
            .value
            .filter(|limit| took > *limit)
        {
            self.context.reporter.warn(format!(
                "slow: it took {}, longer than `slow_after: {}`",
                HumanDuration(Duration::from_millis(took.as_millis() as u64)),
                HumanDuration(limit)
            ));
        }
    }

    /// Returns the reason why the flow must be skipped: the one it gives, or else its condition. `None` if it has no
    /// `skip` or that does not hold. An error of the condition is a failure of usage; about a value that the device did
    /// not report it is one of the infrastructure.
    fn must_skip(&self, flow: &Flow) -> Result<Option<String>, FailedStep> {
        let Some((condition, because)) = &flow.skip else {
            return Ok(None);
        };
        let holds = block_in_place(|| runner_flow::condition(condition, self.stack.scope()));
        let holds = holds.map_err(|error| FailedStep {
            failure: interpolation_failure(InterpolationError {
                message: format!("skip: {error}"),
                ..error
            }),
            at: SourceLocation::from_offset(&flow.source, condition.span.start),
        })?;
        Ok(holds.then(|| {
            because
                .clone()
                .unwrap_or_else(|| format!("{} holds", condition.value))
        }))
    }

    /// Runs setup and steps within the timeout of the flow or else of the configuration, and returns how they ended,
    /// with evidence of a failure. Teardown is not included. An interruption, or a stop by the debugger, ends it as
    /// interrupted without a failure. After a timeout, which is a failure of the step that ran, a device that is
    /// silent is noted as gone.
    async fn body(&mut self, flow: &Arc<Flow>, cancel: &CancellationToken) -> AttemptEnd {
        let limit = flow
            .timeout
            .map_or(self.context.settings.config.timeout.value, |limit| limit.0);
        let clock = self.context.session.clock();
        self.progress.begin_limit(clock, limit);
        // Scripts and expressions run on the host, so their limit is by its clock.
        let limits = Limits {
            until: Instant::now().checked_add(limit),
            stop: Some(cancel.clone()),
        };
        self.stack.limit(limits);
        let context = self.context;
        let silence = silence_of(context.session, &context.reporter.id().device);
        let clock = Arc::clone(&self.clock);
        let steps = Box::pin(self.setup_and_steps(flow));
        let result = tokio::select! {
            () = cancel.cancelled() => None,
            result = clock.limit(limit, steps, silence) => Some(result),
        };
        let Some(result) = result else {
            return AttemptEnd::with_status(FlowStatus::Interrupted);
        };
        match result {
            Ok(Err(_)) if self.debug.is_stopped() => {
                AttemptEnd::with_status(FlowStatus::Interrupted)
            }
            Ok(Ok(())) => AttemptEnd::with_status(FlowStatus::Passed),
            Ok(Err((status, mut failed))) => {
                self.health.blame(self.context, &mut failed.failure).await;
                self.ended(status, failed, None).await
            }
            Err(silence) => {
                self.health.note(silence);
                let what = format!(
                    "the flow took longer than its timeout of {}",
                    HumanDuration(limit)
                );
                let mut failed = FailedStep {
                    failure: self.context.limit_failure(what),
                    at: self.progress.place(flow),
                };
                let failure = &mut failed.failure;
                self.health.add_device_name(self.context, failure);
                // Nothing is asked of a device that is gone.
                if !self.health.is_gone() {
                    self.crashes.attribute(self.context, failure).await;
                }
                let hangs = self
                    .context
                    .session
                    .cut_off()
                    .filter(UnfinishedRequest::hangs)
                    .map(|cut| cut.request);
                let limits = EvidenceLimits::ONCE.without(hangs);
                self.ended(self.progress.failure_status(flow), failed, Some(limits))
                    .await
            }
        }
    }

    /// Returns the end of a failed attempt, with its evidence, which is gathered now, and the activity in front.
    /// `limits` limits the evidence; without it the failure decides. Evidence of a snapshot whose screen is stored
    /// already has no screen. A failure of the infrastructure makes the status an error, whatever `status` is.
    async fn ended(
        &mut self,
        status: FlowStatus,
        mut failed: FailedStep,
        limits: Option<EvidenceLimits>,
    ) -> AttemptEnd {
        let limits = limits.unwrap_or_else(|| {
            EvidenceLimits::after_failure(&failed.failure, self.context.session)
        });
        // A failed snapshot has stored its screen already; a new look may show another one.
        let screen = failed.failure.kind != FailureKind::Snapshot || !self.failures.has_screen();
        let artifacts = self.evidence(FAILURE, screen, limits).await;
        failed.failure.in_front = self.in_front();
        let status = match failed.failure.kind {
            FailureKind::Infrastructure => FlowStatus::Error,
            _ => status,
        };
        AttemptEnd::failed(status, failed, artifacts)
    }

    /// Gathers evidence of a failure, in files named after `name`, within the limits and the rest of the flow's time.
    /// `screen` says whether the screen is stored too. Empty if the device is gone. Never fails.
    async fn evidence(&self, name: &str, screen: bool, limits: EvidenceLimits) -> Vec<Artifact> {
        if self.health.is_gone() {
            return Vec::new();
        }
        let evidence = Evidence::new(self.context, limits.within(self.remaining()));
        evidence.collect(name, screen, self.crashes.ended()).await
    }

    /// Returns the activity in front at the last look, as `PACKAGE/.ACTIVITY`; `None` without a look, or if it told
    /// none. Asks nothing of the device.
    fn in_front(&self) -> Option<Box<str>> {
        let screen = self.context.session.last_screen()?;
        let (package, activity) = screen.foreground()?;
        Some(format!("{package}/{activity}").into())
    }

    /// Begins the session, applies the case's settings, and runs setup and steps. Beside the session's beginning it
    /// reads the app's version and begins to watch for crashes. If the session cannot begin, only an unreachable
    /// device is an error; otherwise it warns. A failed setup has its own status; a failed step makes the flow
    /// failed.
    async fn setup_and_steps(&mut self, flow: &Arc<Flow>) -> Result<(), (FlowStatus, FailedStep)> {
        let app = flow.app.as_deref();
        let (context, crashes) = (self.context, &mut self.crashes);
        let learning = async {
            if let Some(app) = app {
                let device = context.session.device();
                context.app_versions.learn(device, app).await;
            }
        };
        let watching = async {
            if let Some(app) = app {
                crashes.begin(context, app).await;
            }
        };
        // At the same time as the session's beginning, so that it costs no time of its own.
        let (began, (), ()) = tokio::join!(context.session.begin(), learning, watching);
        match began {
            Err(error) if error.is_unreachable() => {
                return Err((
                    FlowStatus::Error,
                    FailedStep {
                        failure: error.into(),
                        at: SourceLocation::from_offset(&flow.source, 0),
                    },
                ));
            }
            Err(error) => {
                let message = format!("`assert log` reads older lines too: {error}");
                self.context.reporter.warn(message);
            }
            Ok(()) => {}
        }
        self.set_device(flow).await?;
        self.failures.set_policy(ContinuePolicy::SETUP);
        Interpreter::new(self)
            .begin(flow)
            .await
            .map_err(|failed| (FlowStatus::Failed, failed))?;
        self.progress.begin_setup();
        self.steps(&flow.setup, &StepPath::default().list(StepList::Setup))
            .await
            .map_err(|failed| (self.progress.failure_status(flow), failed))?;
        self.progress.end_setup();
        self.run_flow_steps(flow)
            .await
            .map_err(|failed| (FlowStatus::Failed, failed))
    }

    /// Applies theme, language and font size of the case's matrix, in this order. The end of the attempt puts
    /// them back. Does nothing for a case without a matrix. A failure counts as an error at the flow's first
    /// line.
    async fn set_device(&self, flow: &Flow) -> Result<(), (FlowStatus, FailedStep)> {
        let Some(combination) = self.context.combination() else {
            return Ok(());
        };
        let mut settings: Vec<Setting> = combination.dark.map(Setting::dark).into_iter().collect();
        settings.extend(combination.locale.clone().map(|tag| Setting::Locale {
            tag,
            app: flow.app.clone(),
        }));
        settings.extend(combination.font_percent.map(Setting::FontScale));
        self.context
            .session
            .change(&settings)
            .await
            .map_err(|error| {
                let mut failure = Failure::from(error);
                failure.message = Words::format(
                    "the device could not be set for the case {}: {}",
                    &[&combination.variant(), &failure.message],
                );
                let at = SourceLocation::from_offset(&flow.source, 0);
                (FlowStatus::Error, FailedStep { failure, at })
            })
    }

    /// Runs the flow's own steps. Returns the failure that ended them; else the first one after which the flow went
    /// on, in setup too, so that such a flow fails too. Steps go on after a failed snapshot unless the run is to stop
    /// at the first failure.
    async fn run_flow_steps(&mut self, flow: &Flow) -> Result<(), FailedStep> {
        if !self.context.settings.options.is_fail_fast() {
            self.failures.set_policy(ContinuePolicy::ALWAYS);
        }
        // The path of a step in the main list is its number alone; other lists add their name.
        self.steps(&flow.steps, &StepPath::default()).await?;
        if let Some(trace) = &self.context.trace {
            // The steps are over: what only the trace wants to know takes none of the flow's time.
            let still = self.clock.stop();
            trace.look_after_last_act(self.context.session).await;
            drop(still);
        }
        let Some(first) = self.failures.first().cloned() else {
            return Ok(());
        };
        // The failed step has stored its screen; by now another one is shown.
        self.failures.note_screen(true);
        Err(first)
    }
}
