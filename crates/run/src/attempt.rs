//! One attempt at one flow on one device: setup, steps, teardown, and what is kept of a failure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use tokio_util::sync::CancellationToken;

use super::call_stack::CallStack;
use super::context::AttemptContext;
use super::crash_watch::CrashWatch;
use super::debugger::{AttemptClock, DebugState};
use super::evaluate::block_in_place;
use super::evidence::{EvidenceLimits, FAILURE};
use super::liveness::silence_of;
use super::maestro::MaestroState;
use super::soft_failures::{CollectedFailures, GoesOn};
use super::step_result::FailedStep;
use super::teardown::hurry;
use super::trace::VideoRecorder;
use runner_device::remote::RemoteSession;
use runner_device::settings::Setting;
use runner_device::{Clock, ClockTime};
use runner_engine::CutOff;
use runner_event::{Artifact, FlowStatus, Met, SourceLocation};
use runner_flow::{Flow, Limits, Scope, StepList, StepPath};
use runner_text::units::HumanDuration;
use runner_tools::{Failure, FailureKind, Words};

/// One attempt at a flow: what is fixed, and what its steps change.
pub(super) struct Attempt<'a> {
    pub(super) context: AttemptContext<'a>,
    pub(super) stack: CallStack,
    pub(super) soft_failures: CollectedFailures,
    pub(super) progress: AttemptProgress,
    /// What it changes of the device stays changed when it ends.
    pub(super) keeps_changes: bool,
    /// Why the device is gone: it did not answer any more.
    pub(super) gone: Option<String>,
    /// Reports crashes of the app, where the flow names one.
    pub(super) crashes: Option<CrashWatch>,
    /// The session in which a server lends the device, as it was last reported.
    pub(super) cloud_session: Option<RemoteSession>,
    /// What Maestro's commands share, where the flow is Maestro's.
    pub(super) maestro: Option<Box<MaestroState>>,
    /// Who steers it, and what came of that.
    pub(super) debug_state: DebugState,
}

/// How far an attempt has come, for what is reported and kept when it is cut short.
#[derive(Default)]
pub(super) struct AttemptProgress {
    /// Where the step stands that began last: where the flow is when its time is up.
    pub(super) begun: Option<SourceLocation>,
    /// Its setup has begun, and not its own steps.
    is_in_setup: bool,
    /// The flow's limit, until teardown.
    pub(super) deadline: Option<Deadline>,
    /// The step that began last was a snapshot that failed: it has kept the screen and its picture.
    pub(super) screen_stored: bool,
}

/// A limit that runs by the device's clock.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    pub(super) began: ClockTime,
    pub(super) limit: Duration,
}

impl Deadline {
    /// The time that is left.
    pub(super) fn remaining(self, clock: &Clock) -> Duration {
        self.limit.saturating_sub(clock.since(self.began))
    }
}

impl AttemptProgress {
    /// Where the flow is.
    pub(super) fn place(&self, flow: &Flow) -> SourceLocation {
        self.begun
            .clone()
            .unwrap_or_else(|| SourceLocation::from_offset(&flow.source, 0))
    }
}

/// How an attempt ended.
pub(super) struct AttemptEnd {
    pub(super) status: FlowStatus,
    pub(super) failure: Option<Failure>,
    pub(super) failed_at: Option<SourceLocation>,
    pub(super) artifacts: Vec<Artifact>,
    /// A snapshot was not its golden, whatever else failed.
    pub(super) has_differences: bool,
    /// The device does not answer any more.
    pub(super) gone: bool,
    /// Somebody wanted it to end.
    pub(super) given_up: bool,
    /// The flow's app, as it came to be.
    pub(super) app: Option<String>,
    /// What it met on the screens of the app.
    pub(super) met: Option<Box<Met>>,
    /// Its recording in the history.
    pub(super) recording: Option<Utf8PathBuf>,
}

impl AttemptEnd {
    pub(super) fn with_status(status: FlowStatus) -> Self {
        Self {
            status,
            failure: None,
            failed_at: None,
            artifacts: Vec::new(),
            has_differences: false,
            gone: false,
            given_up: false,
            app: None,
            met: None,
            recording: None,
        }
    }

    /// An attempt that could not begin.
    pub(super) fn unstarted(failure: Failure, at: SourceLocation) -> Self {
        Self::failed(FlowStatus::Error, FailedStep { failure, at }, Vec::new())
    }

    pub(super) fn failed(status: FlowStatus, failed: FailedStep, artifacts: Vec<Artifact>) -> Self {
        Self {
            status,
            failure: Some(failed.failure),
            failed_at: Some(failed.at),
            artifacts,
            has_differences: false,
            gone: false,
            given_up: false,
            app: None,
            met: None,
            recording: None,
        }
    }
}

impl<'a> Attempt<'a> {
    /// One that has not begun. What is changed of the device is put back when it ends, and nobody steers it.
    pub(super) fn new(context: AttemptContext<'a>, scope: Scope) -> Self {
        let clock = AttemptClock::new(context.session.clock().clone());
        Self {
            context,
            stack: CallStack::new(scope),
            soft_failures: CollectedFailures::default(),
            progress: AttemptProgress::default(),
            keeps_changes: false,
            gone: None,
            crashes: None,
            cloud_session: None,
            maestro: None,
            debug_state: DebugState::new(clock),
        }
    }
}

impl Attempt<'_> {
    /// Runs it; reports how it began, but not how it ended: only the caller knows whether another attempt follows.
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
        // Before the first step leaves one, so that no file of an earlier run is taken for this one's.
        if let Err(error) = self.context.folder.clean() {
            self.context
                .warn(format!("old artifacts could not be removed: {error}"));
        }
        self.context.prune_evidence();
        let clock = Arc::clone(&self.debug_state.clock);
        let began = clock.stopwatch();
        let mut ended = match self.lend(&flow, cancel).await {
            Ok(()) => {
                let video = self.context.record().await;
                let ended = self.body(&flow, cancel).await;
                let ended = self.finish(&flow, ended, cancel).await;
                self.keep_record(video, &ended, cancel).await;
                self.give_back(&ended).await;
                ended
            }
            Err(ended) => ended,
        };
        self.report_slow(began.elapsed());
        if let (Some(failure), Some(seed)) = (&mut ended.failure, self.stack.scope.used_seed()) {
            let message = Words::format(
                "made with random data; --seed {} makes the same again",
                &[&seed],
            );
            failure.details.push(message);
        }
        for note in self.context.session.device().take_notes() {
            self.context.warn(note);
        }
        AttemptEnd {
            has_differences: self.soft_failures.has_snapshot(),
            gone: self.gone.is_some(),
            given_up: self.debug_state.given_up,
            ..ended
        }
    }

    /// Ends what is recorded of the attempt, also after an interruption, but then not for long.
    async fn keep_record(
        &self,
        video: Option<VideoRecorder>,
        ended: &AttemptEnd,
        cancel: &CancellationToken,
    ) {
        // A device that is gone gives no video.
        let video = video.filter(|_| self.gone.is_none());
        let passed = ended.status == FlowStatus::Passed;
        tokio::select! {
            () = self.context.keep_record(video, passed) => {}
            () = hurry(cancel) => self.context.warn("what was recorded could not be kept in time after the interruption"),
        }
    }

    /// Runs steps that belong to the device: no server is notified, for no flow begins.
    pub(super) async fn run_on_device(&mut self, cancel: &CancellationToken) -> AttemptEnd {
        let flow = Arc::clone(self.context.flow);
        self.context.emit_start();
        if let Err(error) = self.context.folder.clean() {
            self.context
                .warn(format!("old artifacts could not be removed: {error}"));
        }
        let ended = self.body(&flow, cancel).await;
        let ended = self.finish(&flow, ended, cancel).await;
        AttemptEnd {
            gone: self.gone.is_some(),
            ..ended
        }
    }

    fn report_slow(&self, took: Duration) {
        if let Some(limit) = self
            .context
            .settings
            .config
            .slow_after
            .value
            .filter(|limit| took > *limit)
        {
            self.context.warn(format!(
                "slow: it took {}, longer than `slow_after: {}`",
                HumanDuration(Duration::from_millis(took.as_millis() as u64)),
                HumanDuration(limit)
            ));
        }
    }

    fn must_skip(&self, flow: &Flow) -> Result<Option<String>, FailedStep> {
        let Some((condition, because)) = &flow.skip else {
            return Ok(None);
        };
        let holds = block_in_place(|| runner_flow::condition(condition, &self.stack.scope));
        let holds = holds.map_err(|error| FailedStep {
            failure: Failure::new(FailureKind::Usage, format!("skip: {error}")),
            at: SourceLocation::from_offset(&flow.source, condition.span.start),
        })?;
        Ok(holds.then(|| {
            because
                .clone()
                .unwrap_or_else(|| format!("{} holds", condition.value))
        }))
    }

    async fn body(&mut self, flow: &Arc<Flow>, cancel: &CancellationToken) -> AttemptEnd {
        let limit = flow
            .timeout
            .map_or(self.context.settings.config.timeout.value, |limit| limit.0);
        self.progress.deadline = Some(Deadline {
            began: self.context.session.clock().now(),
            limit,
        });
        // Scripts and expressions take the host's time.
        let limits = Limits {
            until: Instant::now().checked_add(limit),
            stop: Some(cancel.clone()),
        };
        self.limit_scripts(limits.clone());
        self.stack.scope.limit(limits);
        let (session, label) = (self.context.session, self.context.id.device.clone());
        let silence = silence_of(session, &label);
        let clock = Arc::clone(&self.debug_state.clock);
        let steps = Box::pin(self.setup_and_steps(flow));
        let result = tokio::select! {
            () = cancel.cancelled() => None,
            result = clock.limit(limit, steps, silence) => Some(result),
        };
        let Some(result) = result else {
            return AttemptEnd::with_status(FlowStatus::Interrupted);
        };
        match result {
            Ok(Err(_)) if self.debug_state.stopped => {
                AttemptEnd::with_status(FlowStatus::Interrupted)
            }
            Ok(Ok(())) => AttemptEnd::with_status(FlowStatus::Passed),
            Ok(Err((status, mut failed))) => {
                self.blame(&mut failed.failure).await;
                self.ended(status, failed, None).await
            }
            Err(silence) => {
                self.gone = silence;
                let what = format!(
                    "the flow took longer than its timeout of {}",
                    HumanDuration(limit)
                );
                let mut failed = FailedStep {
                    failure: self.context.out_of_time(what),
                    at: self.progress.place(flow),
                };
                self.name_the_device(&mut failed.failure);
                self.attribute_crash(&mut failed.failure).await;
                let hangs = self
                    .context
                    .session
                    .cut_off()
                    .filter(CutOff::hangs)
                    .map(|cut| cut.request);
                let manner = EvidenceLimits::ONCE.without(hangs);
                self.ended(self.failure_status(flow), failed, Some(manner))
                    .await
            }
        }
    }

    /// An attempt that failed, with what is kept of it: in this manner, else as the failure says.
    async fn ended(
        &mut self,
        status: FlowStatus,
        mut failed: FailedStep,
        manner: Option<EvidenceLimits>,
    ) -> AttemptEnd {
        let manner = manner.unwrap_or_else(|| self.context.manner_of(&failed.failure));
        // A snapshot that failed has kept the screen it judged; a look now may show another.
        let screen = failed.failure.kind != FailureKind::Snapshot || !self.progress.screen_stored;
        let artifacts = self.evidence(FAILURE, screen, manner).await;
        failed.failure.in_front = self.in_front();
        let status = match failed.failure.kind {
            FailureKind::Infrastructure => FlowStatus::Error,
            _ => status,
        };
        AttemptEnd::failed(status, failed, artifacts)
    }

    /// Returns the activity in front at the last look, as `PACKAGE/.ACTIVITY`.
    fn in_front(&self) -> Option<Box<str>> {
        let screen = self.context.session.last_screen()?;
        let (package, activity) = screen.foreground()?;
        Some(format!("{package}/{activity}").into())
    }

    /// Returns what a failure of the step under way makes of the flow.
    fn failure_status(&self, flow: &Flow) -> FlowStatus {
        // Maestro's hooks are a part of the flow.
        if self.progress.is_in_setup && flow.maestro().is_none() {
            FlowStatus::Error
        } else {
            FlowStatus::Failed
        }
    }

    async fn setup_and_steps(&mut self, flow: &Arc<Flow>) -> Result<(), (FlowStatus, FailedStep)> {
        let app = flow.app.as_deref();
        let device = self.context.session.shared_device();
        let learning = async {
            if let Some(app) = app {
                let versions = self.context.app_versions;
                versions.learn(device.as_ref(), app).await;
            }
        };
        let watching = async {
            match app {
                Some(app) => Some(CrashWatch::begin(&device, app).await),
                None => None,
            }
        };
        // Beside what has to be waited for anyway.
        let (began, (), watch) = tokio::join!(self.context.session.begin(), learning, watching);
        self.watch_crashes(watch);
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
                self.context.warn(message);
            }
            Ok(()) => {}
        }
        self.set_device(flow).await?;
        self.soft_failures.goes_on = GoesOn {
            after_soft: true,
            after_snapshots: false,
        };
        self.begin_maestro(flow)
            .await
            .map_err(|failed| (FlowStatus::Failed, failed))?;
        self.progress.is_in_setup = true;
        self.steps(&flow.setup, &StepPath::default().list(StepList::Setup))
            .await
            .map_err(|failed| (self.failure_status(flow), failed))?;
        self.progress.is_in_setup = false;
        self.steps_of_the_flow(flow)
            .await
            .map_err(|failed| (FlowStatus::Failed, failed))
    }

    /// Sets what the case's matrix says; it is put back with all else that the flow changes.
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

    /// What ended them early is what failed the flow, else the first failure after which it went on.
    async fn steps_of_the_flow(&mut self, flow: &Flow) -> Result<(), FailedStep> {
        self.soft_failures.goes_on.after_snapshots = !self.context.settings.options.is_fail_fast();
        // Steps of the main list are known by their number alone; those around it say which list they are of.
        self.steps(&flow.steps, &StepPath::default()).await?;
        if let Some(trace) = &self.context.trace {
            trace.look_once_more(self.context.session).await;
        }
        let Some(first) = self.soft_failures.first() else {
            return Ok(());
        };
        // That step kept its own; by now another screen is shown.
        self.progress.screen_stored = true;
        Err(first.clone())
    }
}
