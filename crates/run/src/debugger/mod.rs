//! Debugger of a run: decides before a step and after a failure whether to pause, and what to do then.

mod clock;
mod debug_state;
mod resume;
mod values;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use runner_event::SourceLocation;
use runner_flow::{Flow, Step, StepPath};
use runner_tools::Failure;

pub(super) use clock::AttemptClock;
pub(super) use debug_state::DebugState;
pub(super) use resume::steps_at;
pub use resume::{ResumeError, resumable, same_before, step_at};
pub use values::NamedValue;
pub(super) use values::{named_values, text_of};

/// Step that a debugger is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepPlace {
    pub path: StepPath,
    pub at: SourceLocation,
    /// The step as written, with secrets masked.
    pub title: String,
}

/// Paused run that waits for its debugger.
#[derive(Debug, Clone)]
pub struct Pause {
    /// Step that comes next, or that failed.
    pub place: StepPlace,
    pub step: Step,
    /// Failure of the step, with secrets masked; `None` before a step.
    pub failure: Option<Failure>,
    /// Flow that runs now: as read, or as edited last.
    pub flow: Arc<Flow>,
    /// Values of the names that expressions can use here.
    pub values: Vec<NamedValue>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebugChoice {
    /// Run the step; a failed step runs again.
    Go,
    /// Go on after the step.
    Skip,
    /// End the flow, and run its teardown but not its `on_failure`.
    Stop,
}

/// Decision that ends a pause.
#[derive(Debug, Clone)]
pub struct Decision {
    pub choice: DebugChoice,
    /// Edited flow that runs from here on. [`resumable`] must have accepted it.
    pub flow: Option<Arc<Flow>>,
    /// Result that the step's `as` stores at once, whatever the choice; meant for a skipped step. Lost without `as`.
    pub value: Option<serde_json::Value>,
}

impl Decision {
    /// Creates a decision that neither edits the flow nor sets a value.
    pub fn new(choice: DebugChoice) -> Self {
        Self {
            choice,
            flow: None,
            value: None,
        }
    }
}

/// Future of a debugger's method.
pub type DebuggerFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Steers a run. Limits of the flow do not count while it waits for a decision.
pub trait Debugger: fmt::Debug + Send + Sync {
    /// Returns true if the run should pause before this step. It is asked before each step, but not again after the
    /// decision to run it, nor in teardown.
    fn pauses_before(&self, place: &StepPlace) -> bool;

    /// Returns true if the run should pause after this step failed. It is asked only if the failure would end the flow;
    /// its answer does not count for a failed snapshot, and if the device is gone.
    fn pauses_after(&self, place: &StepPlace, failure: &Failure) -> bool;

    /// Waits for a decision. The future is dropped if the run is interrupted or the device is lost.
    fn decide(&self, pause: Pause) -> DebuggerFuture<'_, Decision>;

    /// Called before teardown, with the final values. The debugger is asked nothing more.
    fn ends(&self, values: Vec<NamedValue>) -> DebuggerFuture<'_, ()>;
}
