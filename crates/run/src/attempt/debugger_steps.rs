//! Steps under a debugger: asks it around each step, and waits for its decision.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Attempt;
use crate::debugger::{DebugChoice, Debugger, Pause, StepPlace, named_values};
use crate::liveness::silence_of;
use crate::sources;
use crate::step_result::FailedStep;
use runner_event::SourceLocation;
use runner_event::scrub::Scrub as _;
use runner_flow::{Step, StepPath};
use runner_tools::{Failure, FailureKind};

/// Interval of checks that the device answers while a run is paused. Chosen: a person sees a lost device
/// soon; each check is one request.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// Position after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextPosition {
    /// Go on with the next step.
    Step,
    /// Run the step at the same place again.
    Again,
}

impl Attempt<'_> {
    /// Runs a step, or asks the debugger where it wants to pause before it or after its failure, and does as it
    /// decides: run it (again), skip it, or stop. Before a step, `Again` is returned without having run it: the
    /// caller calls again. A skipped step counts as passed; stopping before a step is a failure of usage, after a
    /// failure that failure. Nobody is asked about failed snapshots, a device that is gone, and once the flow was
    /// given up. Without a debugger it just runs.
    pub(super) async fn run_debugged(
        &mut self,
        step: &Step,
        path: StepPath,
    ) -> Result<NextPosition, FailedStep> {
        let Some(debugger) = self.debug.debugger() else {
            self.step(step, path).await?;
            return Ok(NextPosition::Step);
        };
        let place = StepPlace {
            path: path.clone(),
            at: SourceLocation::from_offset(&step.source, step.span.start),
            title: step.title.clone(),
        };
        if self.debug.pauses_before(&place) {
            return match self.paused(&*debugger, (step, &place), None).await? {
                DebugChoice::Go => Ok(self.again()),
                DebugChoice::Skip => Ok(self.skipped(&place)),
                DebugChoice::Stop => {
                    self.debug.stop();
                    Err(FailedStep {
                        failure: Failure::usage("stopped while it was paused"),
                        at: place.at,
                    })
                }
            };
        }
        let Err(failed) = self.step(step, path).await else {
            return Ok(NextPosition::Step);
        };
        let asks = self.debug.pauses_after(&place, &failed.failure);
        // A new or changed snapshot waits for a review anyway, and nobody can use a device that is gone.
        let is_decidable = failed.failure.kind == FailureKind::Snapshot;
        if !asks
            || is_decidable
            || failed.failure.kind == FailureKind::Infrastructure
                && self.health.ask(self.context).await
        {
            return Err(failed);
        }
        let mut failure = failed.failure.clone();
        failure.scrub(self.context.reporter.scrubber());
        let failure = Some(failure);
        match self.paused(&*debugger, (step, &place), failure).await? {
            DebugChoice::Go => Ok(self.again()),
            DebugChoice::Skip => Ok(self.skipped(&place)),
            DebugChoice::Stop => {
                self.debug.give_up();
                Err(failed)
            }
        }
    }

    /// Detaches the debugger before teardown, and hands it the final values, masked. The rest of the flow runs
    /// without pauses. Does nothing without a debugger.
    pub(super) async fn detach_debugger(&mut self) {
        if let Some(debugger) = self.debug.detach() {
            let values = named_values(&self.stack, self.context.reporter.scrubber());
            debugger.ends(values).await;
        }
    }

    /// Returns [`NextPosition::Again`], and notes that nobody is asked before the step then.
    fn again(&mut self) -> NextPosition {
        self.debug.decide();
        NextPosition::Again
    }

    /// Reports that a person skipped the step, and returns [`NextPosition::Step`].
    fn skipped(&self, place: &StepPlace) -> NextPosition {
        let message = format!("skipped by hand: {}", place.title);
        self.context.reporter.info(message);
        NextPosition::Step
    }

    /// Waits without a limit for the debugger's decision while the clock is stopped; the flow's deadline moves by as
    /// much. An edited flow and a value for the step's `as` that the decision holds are taken over. Fails if the
    /// device stops answering meanwhile: it counts as gone. The last look is forgotten, as the person may have used
    /// the device. `failure` is masked already; `None` is a pause before the step.
    async fn paused(
        &mut self,
        debugger: &dyn Debugger,
        (step, place): (&Step, &StepPlace),
        failure: Option<Failure>,
    ) -> Result<DebugChoice, FailedStep> {
        let clock = Arc::clone(&self.clock);
        let edited = self.debug.edited();
        let flow = edited.unwrap_or_else(|| Arc::clone(self.context.flow));
        let pause = Pause {
            place: place.clone(),
            step: step.clone(),
            failure,
            flow,
            values: named_values(&self.stack, self.context.reporter.scrubber()),
        };
        let still = clock.stop();
        let (began, on_device) = (Instant::now(), self.context.session.clock().now());
        let decided = tokio::select! {
            decision = debugger.decide(pause) => Ok(decision),
            why = self.lost() => Err(why),
        };
        drop(still);
        let paused = self.context.session.clock().since(on_device);
        self.progress.delay(paused);
        self.stack.delay(began.elapsed());
        match decided {
            Ok(decision) => {
                // The person may have used the device during the pause.
                self.context.session.forget_look();
                if let Some(flow) = decision.flow {
                    let secrets = &self.context.settings.config.secrets;
                    let scrubber = self.context.reporter.scrubber();
                    // Before the line of an edited step is told.
                    sources::hide_written_in(&flow, secrets, scrubber);
                    self.debug.edit(flow);
                }
                if let (Some(value), Some(name)) = (decision.value, &step.modifiers.keep_as) {
                    let kept = self.stack.keep(name, value);
                    let at = place.at.clone();
                    kept.map_err(|failure| FailedStep { failure, at })?;
                }
                Ok(decision.choice)
            }
            Err(why) => {
                self.health.note(Some(why));
                self.debug.give_up();
                Err(FailedStep {
                    failure: Failure::device("the device was lost while the run was paused"),
                    at: place.at.clone(),
                })
            }
        }
    }

    /// Completes with the reason when the device no longer answers; it is asked every 5 s, first after 5 s. Never
    /// completes as long as it does.
    async fn lost(&self) -> String {
        loop {
            tokio::time::sleep(SIGN_OF_LIFE).await;
            let label = &self.context.reporter.id().device;
            if let Some(why) = silence_of(self.context.session, label).await {
                return why;
            }
        }
    }
}
