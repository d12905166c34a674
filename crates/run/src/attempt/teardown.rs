//! End of an attempt: steps after a failure, teardown, a recording that is still running, and settings to put
//! back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::{Attempt, AttemptEnd};
use crate::evidence::{EvidenceLimits, FAILURE};
use crate::soft_failures::ContinuePolicy;
use crate::step_result::FailedStep;
use runner_device::Elapsed;
use runner_engine::UnfinishedRequest;
use runner_event::{Artifact, ArtifactKind, FlowStatus};
use runner_flow::{Flow, Limits, Step, StepList, StepPath};
use runner_text::units::HumanDuration;

/// Chosen: limits each part of the end after an interruption, and putting settings back always. A person who
/// pressed Ctrl-C waits no longer.
pub(crate) const CLEAN_UP_LIMIT: Duration = Duration::from_secs(20);

/// Completes [`CLEAN_UP_LIMIT`] after an interruption of the run; never without one. After an earlier interruption
/// the time counts from the call.
pub(super) async fn hurry(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(CLEAN_UP_LIMIT).await;
}

/// Failures of the teardown, with the evidence of each.
struct TeardownFailures {
    /// All steps before the teardown passed.
    flow_passed: bool,
    failures: Vec<(FailedStep, Vec<Artifact>)>,
}

/// Steps that all run, whatever the result of those before.
#[derive(Clone, Copy)]
struct LastSteps<'a> {
    list: StepList,
    steps: &'a [Step],
}

impl TeardownFailures {
    /// Begins a list without failures, for steps that run after this end of an attempt.
    fn after(ended: &AttemptEnd) -> Self {
        Self {
            flow_passed: ended.status == FlowStatus::Passed,
            failures: Vec::new(),
        }
    }
}

impl Attempt<'_> {
    /// Ends an attempt: runs `on_failure` if it failed, then teardown always, also after an interruption, and keeps a
    /// recording that is running. Returns the end with failures of these steps added. If the device is gone nothing
    /// is run on it. Detaches the debugger first; steps of an edited flow are those of the edit. Settings that were
    /// changed stay until [`Self::restore`].
    pub(super) async fn finish(
        &mut self,
        flow: &Arc<Flow>,
        mut ended: AttemptEnd,
        cancel: &CancellationToken,
    ) -> AttemptEnd {
        self.detach_debugger().await;
        let edited = self.debug.edited();
        let flow = edited.as_ref().unwrap_or(flow);
        if !self.health.is_gone() {
            self.stack.leave_all();
            self.failures.set_policy(ContinuePolicy::NEVER);
            // Teardown has a limit of its own.
            self.progress.end_limit();
            self.after_failure(flow, &mut ended, cancel).await;
        }
        // The device may have been lost meanwhile.
        if !self.health.is_gone() {
            let mut torn = TeardownFailures::after(&ended);
            let last = LastSteps {
                list: StepList::Teardown,
                steps: &flow.teardown,
            };
            self.tear_down_in_time(flow, last, &mut torn, cancel).await;
            self.stack.leave_all();
            ended = self.add_teardown_failures(ended, torn);
        }
        // Also for a lost device, so that the user learns that there is no video.
        self.keep_recording(&mut ended, cancel).await;
        ended
    }

    /// Runs the flow's `on_failure` steps if it ended as failed or as an error and nobody gave it up in the debugger.
    /// All of them run. Their own failures are reported beside the flow's as warnings, with their evidence, and do
    /// not change it.
    async fn after_failure(
        &mut self,
        flow: &Arc<Flow>,
        ended: &mut AttemptEnd,
        cancel: &CancellationToken,
    ) {
        let has_failed = matches!(ended.status, FlowStatus::Failed | FlowStatus::Error);
        if !has_failed || self.debug.given_up() || flow.on_failure.is_empty() {
            return;
        }
        let mut torn = TeardownFailures::after(ended);
        let last = LastSteps {
            list: StepList::OnFailure,
            steps: &flow.on_failure,
        };
        self.tear_down_in_time(flow, last, &mut torn, cancel).await;
        self.stack.leave_all();
        for (failed, artifacts) in torn.failures {
            ended.artifacts.extend(artifacts);
            let place = format!("{}:{}", failed.at.file, failed.at.line);
            self.context.reporter.warn(format!(
                "on_failure failed ({place}): {}",
                failed.failure.message
            ));
        }
    }

    /// Runs the list's steps within the flow's or else the configured teardown limit, and adds their failures to
    /// `torn`. A limit that runs out, also the shorter one after an interruption ([`hurry`]), is one more failure,
    /// with little evidence; steps that are left do not run.
    async fn tear_down_in_time(
        &mut self,
        flow: &Arc<Flow>,
        last: LastSteps<'_>,
        torn: &mut TeardownFailures,
        cancel: &CancellationToken,
    ) {
        let limit = flow.teardown_timeout.map_or(
            self.context.settings.config.teardown_timeout.value,
            |limit| limit.0,
        );
        let ran_out = tokio::select! {
            ended = self.tear_down(last, torn, limit) => match ended {
                Ok(()) => return,
                Err(_) => format!("{} took longer than its timeout of {}", last.list.as_str(), HumanDuration(limit)),
            },
            () = hurry(cancel) => format!("{} took too long after the interruption", last.list.as_str()),
        };
        let mut failed = FailedStep {
            failure: self.context.limit_failure(ran_out),
            at: self.progress.place(flow),
        };
        self.health.blame(self.context, &mut failed.failure).await;
        let hangs = self
            .context
            .session
            .cut_off()
            .filter(UnfinishedRequest::hangs);
        let hangs = hangs.map(|cut| cut.request);
        self.keep_teardown_failure(
            torn,
            last,
            (failed, last.steps.len()),
            EvidenceLimits::ONCE.without(hangs),
        )
        .await;
    }

    /// Runs every step, even after failures: each puts back something else. Stops only if the device is gone,
    /// or if `limit` is up, which is the error. Only the steps count against `limit`, not their evidence. The
    /// caller ends it some time after an interruption.
    async fn tear_down(
        &mut self,
        last: LastSteps<'_>,
        torn: &mut TeardownFailures,
        limit: Duration,
    ) -> Result<(), Elapsed> {
        let mut left = limit;
        for (index, step) in last.steps.iter().enumerate() {
            let path = StepPath::default().list(last.list).number(index);
            let clock = self.context.session.clock().clone();
            let began = clock.now();
            // An interruption does not end these expressions: `hurry` leaves teardown its time.
            let limits = Limits {
                until: Instant::now().checked_add(left),
                stop: None,
            };
            self.stack.limit(limits);
            let tried = clock.timeout(left, self.step(step, path)).await;
            left = left.saturating_sub(clock.since(began));
            let Err(mut failed) = tried? else {
                continue;
            };
            self.health.blame(self.context, &mut failed.failure).await;
            self.keep_teardown_failure(torn, last, (failed, index), EvidenceLimits::ONCE)
                .await;
            if self.health.is_gone() {
                break;
            }
        }
        Ok(())
    }

    /// Keeps a failed step and its evidence, which is gathered now. The first failure of a flow that passed otherwise
    /// is the flow's, so its files are named like a flow's failure; others are named by the list and the step's
    /// number: `index`, from 0, plus 1.
    async fn keep_teardown_failure(
        &mut self,
        torn: &mut TeardownFailures,
        last: LastSteps<'_>,
        (failed, index): (FailedStep, usize),
        limits: EvidenceLimits,
    ) {
        let name = if torn.flow_passed && torn.failures.is_empty() {
            FAILURE.to_owned()
        } else {
            format!("{}-{}", last.list.as_str(), index + 1)
        };
        // Noted before the evidence is gathered, which an interruption may end.
        torn.failures.push((failed, Vec::new()));
        let screen = !self.failures.has_screen();
        let artifacts = self.evidence(&name, screen, limits).await;
        if let Some((_, stored)) = torn.failures.last_mut() {
            *stored = artifacts;
        }
    }

    /// Adds the failures of the teardown: the first one becomes the flow's if all else passed, as an error
    /// (for a Maestro flow, as a failure). All others are logged as warnings, with their evidence added.
    fn add_teardown_failures(&self, mut ended: AttemptEnd, torn: TeardownFailures) -> AttemptEnd {
        // Maestro's hooks are a part of the flow.
        let status = match self.context.flow.maestro() {
            Some(_) => FlowStatus::Failed,
            None => FlowStatus::Error,
        };
        for (failed, artifacts) in torn.failures {
            if ended.status == FlowStatus::Passed {
                ended = AttemptEnd::failed(status, failed, artifacts);
                continue;
            }
            ended.artifacts.extend(artifacts);
            let place = format!("{}:{}", failed.at.file, failed.at.line);
            self.context.reporter.warn(format!(
                "teardown failed too ({place}): {}",
                failed.failure.message
            ));
        }
        ended
    }

    /// Stops a recording that is still running, and keeps it as `recording-N.mp4`. A warning if it cannot be
    /// kept: the device is gone, or it takes more than 20 s after an interruption. Does nothing if none is
    /// running.
    async fn keep_recording(&self, ended: &mut AttemptEnd, cancel: &CancellationToken) {
        if !self.context.session.is_recording().await {
            return;
        }
        let stopped = if self.health.is_gone() {
            Err("the device is gone".to_owned())
        } else {
            tokio::select! {
                stopped = self.context.session.stop_recording() => stopped.map_err(|error| error.to_string()),
                () = hurry(cancel) => Err("it took too long after the interruption".to_owned()),
            }
        };
        let stored = stopped.and_then(|video| {
            let Some(video) = video else {
                return Ok(None);
            };
            let name = format!("recording-{}.mp4", self.context.session.next_number());
            let written = self
                .context
                .folder
                .write(ArtifactKind::Video, &name, &video);
            written.map(Some).map_err(|error| error.to_string())
        });
        match stored {
            Ok(artifact) => ended.artifacts.extend(artifact),
            Err(why) => self
                .context
                .reporter
                .warn(format!("the recording could not be kept: {why}")),
        }
    }

    /// Puts the settings back that the attempt changed, unless the device is gone. If that fails or takes more than
    /// 20 s, it only warns.
    pub(crate) async fn restore(&self) {
        if self.health.is_gone() {
            return;
        }
        match tokio::time::timeout(CLEAN_UP_LIMIT, self.context.session.restore()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self
                .context
                .reporter
                .warn(format!("settings could not be put back: {error}")),
            Err(_) => self
                .context
                .reporter
                .warn("settings could not be put back in time"),
        }
    }
}
