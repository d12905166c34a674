//! State of the debugger in one attempt.

use std::sync::Arc;

use super::{Debugger, StepPlace};
use runner_flow::Flow;
use runner_tools::Failure;

#[derive(Debug, Default)]
pub(crate) struct DebugState {
    /// Debugger to ask. None during teardown.
    debugger: Option<Arc<dyn Debugger>>,
    /// Last edited version of the flow.
    edited: Option<Arc<Flow>>,
    /// The flow was ended at a pause: by a person, or as its device was lost.
    given_up: bool,
    /// The flow ends because a person stopped it at a pause, not because of a failure.
    stopped: bool,
    /// Number of steps around the current one that retry or may fail: a failure inside them does not fail the
    /// flow yet.
    tries: usize,
    /// The debugger has decided on the next step already.
    is_decided: bool,
}

impl DebugState {
    pub(crate) fn new(debugger: Option<Arc<dyn Debugger>>) -> Self {
        Self {
            debugger,
            ..Self::default()
        }
    }

    /// Debugger to ask. None without one, and during teardown.
    pub(crate) fn debugger(&self) -> Option<Arc<dyn Debugger>> {
        self.debugger.clone()
    }

    /// Last edited version of the flow.
    pub(crate) fn edited(&self) -> Option<Arc<Flow>> {
        self.edited.clone()
    }

    /// Replaces the flow by an edited version, also for its teardown.
    pub(crate) fn edit(&mut self, flow: Arc<Flow>) {
        self.edited = Some(flow);
    }

    /// Ends the flow at a pause: nothing is retried and nobody is asked until its teardown.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
    }

    /// Ends the flow as [`Self::give_up`] does, because a person stopped it before a step.
    pub(crate) fn stop(&mut self) {
        self.given_up = true;
        self.stopped = true;
    }

    /// Returns true while the flow ends because it was given up. Its teardown runs as usual.
    pub(crate) fn gives_up(&self) -> bool {
        self.given_up && self.debugger.is_some()
    }

    /// Returns true if the flow was given up, also after its teardown.
    pub(crate) fn given_up(&self) -> bool {
        self.given_up
    }

    /// Returns true if a person stopped the flow before a step.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Notes the decision to run the next step, so that nobody is asked before it.
    pub(crate) fn decide(&mut self) {
        self.is_decided = true;
    }

    /// Ends a list of steps: a pending decision does not apply to the steps that follow.
    pub(crate) fn end_list(&mut self) {
        self.is_decided = false;
    }

    /// Enters steps that are retried or may fail: nobody is asked after a failure inside them.
    pub(crate) fn enter_try(&mut self) {
        self.tries += 1;
    }

    /// Number of [`Self::enter_try`] around the current step, for [`Self::leave_tries`].
    pub(crate) fn tries(&self) -> usize {
        self.tries
    }

    /// Leaves all tries that were entered since there were `tries`.
    pub(crate) fn leave_tries(&mut self, tries: usize) {
        self.tries = tries;
    }

    /// Returns true if the run should pause before this step, which the debugger decides. False right after a decision
    /// to go on, which this uses up, and once the flow was given up. False without a debugger.
    pub(crate) fn pauses_before(&mut self, place: &StepPlace) -> bool {
        let is_decided = std::mem::take(&mut self.is_decided);
        !is_decided
            && !self.given_up
            && self
                .debugger
                .as_ref()
                .is_some_and(|debugger| debugger.pauses_before(place))
    }

    /// Returns true if the run should pause after this step failed, which the debugger decides. False inside a step
    /// that may fail (optional or retried), and once the flow was given up. False without a debugger.
    pub(crate) fn pauses_after(&self, place: &StepPlace, failure: &Failure) -> bool {
        !self.given_up
            && self.tries == 0
            && self
                .debugger
                .as_ref()
                .is_some_and(|debugger| debugger.pauses_after(place, failure))
    }

    /// Takes the debugger before teardown: from then on nobody is asked.
    pub(crate) fn detach(&mut self) -> Option<Arc<dyn Debugger>> {
        self.tries = 0;
        self.debugger.take()
    }
}
