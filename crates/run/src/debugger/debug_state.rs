//! Asks the debugger around each step of an attempt.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::attempt::Attempt;
use super::super::liveness::silence_of;
use super::super::step_result::FailedStep;
use super::values::named_values;
use super::{AttemptClock, DebugChoice, Debugger, Pause, StepPlace};
use runner_event::SourceLocation;
use runner_event::scrub::Scrub as _;
use runner_flow::{Flow, Step, StepPath};
use runner_tools::{Failure, FailureKind};

/// Interval of checks that the device answers while a run is paused. Chosen: a person sees a lost device
/// soon; each check is one request.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// State of the debugger in one attempt.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each flag may be set beside any other, so no enum replaces them"
)]
pub(crate) struct DebugState {
    /// Debugger to ask. None during teardown.
    pub(crate) debugger: Option<Arc<dyn Debugger>>,
    pub(crate) clock: Arc<AttemptClock>,
    /// Last edited version of the flow.
    pub(crate) edited: Option<Arc<Flow>>,
    /// The debugger ends the flow: nothing is retried. Reset before teardown.
    pub(crate) gives_up: bool,
    /// Value of `gives_up` when teardown began.
    pub(crate) given_up: bool,
    /// The flow ends because a person stopped it at a pause, not because of a failure.
    pub(crate) stopped: bool,
    /// Number of steps around the current one that retry or may fail: a failure inside them does not fail the
    /// flow yet.
    pub(crate) tries: usize,
    /// The debugger has decided on the next step already.
    is_decided: bool,
}

impl DebugState {
    /// Creates a state without a debugger.
    pub(crate) fn new(clock: AttemptClock) -> Self {
        Self {
            clock: Arc::new(clock),
            ..Self::default()
        }
    }
}

impl Attempt<'_> {
    /// Detaches the debugger before teardown, and hands it the final values; without one only the state is
    /// reset. The rest of the flow runs without pauses. Remembers that the debugger gave the flow up.
    pub(crate) async fn detach_debugger(&mut self) {
        if let Some(debugger) = self.debug_state.debugger.take() {
            debugger
                .ends(named_values(&self.stack, self.context.reporter.scrubber()))
                .await;
        }
        self.debug_state.given_up = std::mem::take(&mut self.debug_state.gives_up);
        self.debug_state.tries = 0;
    }
}

/// Position after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Go on with the next step.
    Step,
    /// Run the step at the same place again.
    Again,
}

impl Attempt<'_> {
    /// Runs a step. Asks the debugger before it and after a failure, and does as it decides: run it (again),
    /// skip it, or stop. A skipped step counts as passed; stopping before a step is a failure of usage.
    /// Nobody is asked about failed snapshots, a device that is gone, and once the flow was given up. Without
    /// a debugger it just runs the step.
    pub(crate) async fn run_debugged(
        &mut self,
        step: &Step,
        path: StepPath,
    ) -> Result<Next, FailedStep> {
        let Some(debugger) = self.debug_state.debugger.clone() else {
            self.step(step, path).await?;
            return Ok(Next::Step);
        };
        let place = StepPlace {
            path: path.clone(),
            at: SourceLocation::from_offset(&step.source, step.span.start),
            title: step.title.clone(),
        };
        let is_decided = std::mem::take(&mut self.debug_state.is_decided);
        if !is_decided && !self.debug_state.gives_up && debugger.pauses_before(&place) {
            return match self.paused(&*debugger, (step, &place), None).await? {
                DebugChoice::Go => {
                    self.debug_state.is_decided = true;
                    Ok(Next::Again)
                }
                DebugChoice::Skip => Ok(self.skipped(&place)),
                DebugChoice::Stop => {
                    self.debug_state.gives_up = true;
                    self.debug_state.stopped = true;
                    Err(FailedStep {
                        failure: Failure::usage("stopped while it was paused"),
                        at: place.at,
                    })
                }
            };
        }
        let Err(failed) = self.step(step, path).await else {
            return Ok(Next::Step);
        };
        let asks = !self.debug_state.gives_up
            && self.debug_state.tries == 0
            && debugger.pauses_after(&place, &failed.failure);
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
            DebugChoice::Go => {
                self.debug_state.is_decided = true;
                Ok(Next::Again)
            }
            DebugChoice::Skip => Ok(self.skipped(&place)),
            DebugChoice::Stop => {
                self.debug_state.gives_up = true;
                Err(failed)
            }
        }
    }

    /// Ends a list of steps: a pending decision does not apply to the steps that follow.
    pub(crate) fn end_list(&mut self) {
        self.debug_state.is_decided = false;
    }

    fn skipped(&self, place: &StepPlace) -> Next {
        let message = format!("skipped by hand: {}", place.title);
        self.context.reporter.info(message);
        Next::Step
    }

    /// Waits for the debugger's decision while the clock is stopped; the flow's deadline moves by as much. An
    /// edited flow and a value that the decision holds are taken over. Fails if the device stops answering
    /// meanwhile. The last look is forgotten, as the person may have used the device.
    async fn paused(
        &mut self,
        debugger: &dyn Debugger,
        (step, place): (&Step, &StepPlace),
        failure: Option<Failure>,
    ) -> Result<DebugChoice, FailedStep> {
        let clock = Arc::clone(&self.debug_state.clock);
        let flow = match &self.debug_state.edited {
            Some(edited) => Arc::clone(edited),
            None => Arc::clone(self.context.flow),
        };
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
                    self.debug_state.edited = Some(flow);
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
                self.debug_state.gives_up = true;
                Err(FailedStep {
                    failure: Failure::device("the device was lost while the run was paused"),
                    at: place.at.clone(),
                })
            }
        }
    }

    /// Completes with a message when the device no longer answers, which is asked every 5 s. Never completes
    /// as long as it does.
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
