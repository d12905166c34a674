//! Watches the device's log for crashes and hangs of the app under test.

use std::time::Duration;

use super::context::AttemptContext;
use super::crash_log::{CrashLog, CrashLook};
use super::step_result::{FailedTry, StepResult};
use runner_device::Feature;
use runner_device::crash::{self, AppCrash, CrashKind};
use runner_engine::MIN_REQUEST_LIMIT;
use runner_flow::{Flow, Step, StepAction, StepList, StepPath};
use runner_tools::{Effect, Failure, FailureKind, Words};

/// Chosen: a healthy device needs milliseconds for a marker line; more than this means that the log hangs.
const MARKER_LIMIT: Duration = Duration::from_secs(10);
/// Time between an input and the log lines of a crash that it causes. Chosen: with less, a crash at the last
/// step is missed; more delays every flow.
const SETTLE: Duration = Duration::from_millis(300);
/// Wait for the stack trace of a hanging app: the system writes it only after it has asked all processes for
/// theirs.
const TRACE_PAUSE: Duration = Duration::from_secs(2);
/// Chosen: other apps may crash all the time; further crashes are not reported.
const MAX_OTHER_CRASHES: usize = 5;

/// Watch for crashes during one attempt. It watches nothing until [`Self::begin`].
#[derive(Default)]
pub(super) struct CrashWatch {
    log: CrashLog,
    /// App of the flow's header, or those that a flow without one has launched.
    apps: Vec<String>,
    /// Process id of the app's crash that was reported last.
    ended: Option<u32>,
}

impl CrashWatch {
    /// Begins to watch an app; waits up to some 20 s for its device's log. If the log cannot be opened, a note says why,
    /// and no crash is ever reported, not even of apps that are added later.
    pub(super) async fn begin(&mut self, context: &AttemptContext<'_>, app: &str) {
        let opened = CrashLog::open(&context.session.shared_device()).await;
        self.apps.push(app.to_owned());
        match opened {
            Ok(log) => self.log = log,
            Err(why) => context.reporter.info(format!(
                "a crash of {app} cannot be seen: the device gives no log ({why})"
            )),
        }
    }

    /// Watches an app that is launched by a flow without an app in its header; in others only the header's counts. The
    /// first app begins the watch, and each further one is added.
    pub(super) async fn watch_launched(&mut self, context: &AttemptContext<'_>, app: &str) {
        if context.flow.app.is_some() {
            return;
        }
        if self.apps.is_empty() {
            self.begin(context, app).await;
        } else if !self.apps.iter().any(|known| known == app) {
            self.apps.push(app.to_owned());
        }
    }

    /// Number of requests for the log that were sent to the device.
    pub(super) fn round_trips(&self) -> u64 {
        self.log.round_trips()
    }

    /// Returns the process id of the last crash of a watched app that was found; `None` without one.
    pub(super) fn ended(&self) -> Option<u32> {
        self.ended
    }

    /// Returns the failure for a new crash of the flow's app that is in the log by now. Crashes of other apps
    /// are only noted. `None` if nothing is watched.
    pub(super) async fn crash_by_now(&mut self, context: &AttemptContext<'_>) -> Option<Failure> {
        self.crash(context, CrashLook::Complete).await
    }

    /// Returns the failure for the first new crash of the flow's app; others that came with it are dropped. Crashes of
    /// other apps are only noted. A settled look first waits until 0.3 s have passed since the last input, unless the
    /// device logs at once. The missing stack trace of an app that hangs is read from the device, on a phone once more
    /// after 2 s if it is not there yet. `None` if nothing is watched.
    async fn crash(&mut self, context: &AttemptContext<'_>, look: CrashLook) -> Option<Failure> {
        if self.apps.is_empty() {
            return None;
        }
        let session = context.session;
        let device = session.device();
        if look == CrashLook::Settled && !device.info().offers(Feature::ImmediateLog) {
            // A step that read back its text has waited for some of this time already.
            let waited = session.time_since_input().unwrap_or_default();
            tokio::time::sleep(SETTLE.saturating_sub(waited)).await;
        }
        let mut crashed = None;
        // These requests do not change the screen.
        let began = session.began().await;
        let limit = match look {
            CrashLook::Briefly => MIN_REQUEST_LIMIT,
            _ => session.bound(MARKER_LIMIT),
        };
        let crashes = self.log.take_crashes(device, look, began, limit);
        for crash in session.reading(crashes).await {
            if !self.apps.iter().any(|app| crash.is_of(app)) {
                self.note_other(context, &crash);
            } else if crashed.is_none() {
                crashed = Some(crash);
            }
        }
        let mut crash = crashed?;
        self.ended = crash.pid;
        if crash.kind == CrashKind::NotResponding && crash.stack.is_empty() {
            crash.stack = crash::trace_of(device, &crash.process, crash.pid).await;
            let is_immediate = device.info().offers(Feature::ImmediateLog);
            let may_come = !is_immediate && device.system().is_none();
            if crash.stack.is_empty() && may_come {
                tokio::time::sleep(TRACE_PAUSE).await;
                crash.stack = crash::trace_of(device, &crash.process, crash.pid).await;
            }
        }
        Some(Failure::crash(crash))
    }

    /// Notes a crash of an app that is not watched. Does nothing once more than 5 crashes of any apps were taken.
    fn note_other(&self, context: &AttemptContext<'_>, crash: &AppCrash) {
        if self.log.taken_count() > MAX_OTHER_CRASHES {
            return;
        }
        let text = Failure::crash(crash.clone()).message;
        let apps = self.apps.join(", ");
        let note = format!("another app than {apps}: {text}");
        context.reporter.info(note);
    }

    /// Returns the result of a step, or the failure for a crash of the app if it crashed meanwhile. The crash replaces
    /// the step's own failure, which becomes a detail; the step's artifacts stay. Looks after every step: thoroughly
    /// after a failure, as [`look_after`] says after success, and only at the lines that have come after a skipped step
    /// or a fault of the device. Failures of a nested step and crashes are returned as they are.
    pub(super) async fn check(
        &mut self,
        context: &AttemptContext<'_>,
        (step, path): (&Step, &StepPath),
        result: Result<Option<StepResult>, FailedTry>,
    ) -> Result<Option<StepResult>, FailedTry> {
        let look = match &result {
            // The nested step has looked already.
            Err(failed) if failed.at.is_some() || failed.failure.kind.is_crash() => return result,
            Err(failed) if failed.failure.kind == FailureKind::Infrastructure => {
                CrashLook::Streamed
            }
            Err(_) => CrashLook::Complete,
            Ok(None) => CrashLook::Streamed,
            Ok(Some(_)) => look_after(context, step, path),
        };
        let Some(mut failure) = self.crash(context, look).await else {
            return result;
        };
        let artifacts = match result {
            Ok(done) => done.map_or_else(Vec::new, |done| done.artifacts),
            Err(failed) => {
                let observed = Words::format("the step itself: {}", &[&failed.failure.message]);
                failure.details.push(observed);
                failed.artifacts
            }
        };
        Err(FailedTry {
            failure,
            artifacts,
            at: None,
        })
    }

    /// Replaces the failure of a flow whose time is up by a crash, if the app crashed or hangs; otherwise leaves it
    /// alone. Its message and details become details of the crash. Any kind of failure is replaced: the caller checks
    /// that it is a timeout. Waits at most 3 s for the log, and up to 8 s more for the stack of an app that hangs.
    pub(super) async fn attribute(&mut self, context: &AttemptContext<'_>, failure: &mut Failure) {
        if let Some(mut crash) = self.crash(context, CrashLook::Briefly).await {
            let details = std::mem::take(&mut failure.details);
            crash.details.push(failure.message.clone());
            crash.details.extend(details);
            *failure = crash;
        }
    }
}

/// Chooses how to look for a crash after a step that passed. Everything is read after the flow's or the
/// teardown's last step, on a phone after a short wait if that step acts, and on the virtual device,
/// which logs at once, after every step that acts. After other steps only the lines that have come count:
/// on a phone the stream is as quick as the input, and another request would cost time.
fn look_after(context: &AttemptContext<'_>, step: &Step, path: &StepPath) -> CrashLook {
    let acts = match &step.action {
        StepAction::Call { entry, .. } => {
            entry.effect != Effect::Reads && !step.action.is_assertion()
        }
        StepAction::Maestro(command) => command.moves(),
        StepAction::Control(_) | StepAction::Assert(_) | StepAction::Snapshot(_) => false,
    };
    let info = context.session.device().info();
    let is_immediate = info.offers(Feature::ImmediateLog);
    match (acts, is_immediate, is_last(context.flow, path)) {
        (true, true, _) => CrashLook::Complete,
        (true, false, true) => CrashLook::Settled,
        (false, _, true) => CrashLook::Complete,
        _ => CrashLook::Streamed,
    }
}

/// Returns true for the last step of the flow's main list, or of its teardown. Steps inside other steps
/// are never the last.
fn is_last(flow: &Flow, path: &StepPath) -> bool {
    let last = |list: StepPath, number: usize| number > 0 && *path == list.number(number - 1);
    last(StepPath::default(), flow.steps.len())
        || last(
            StepPath::default().list(StepList::Teardown),
            flow.teardown.len(),
        )
}
