//! The debugger: somebody whom an attempt asks before its steps and after a failure. Without one nothing is asked.

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
pub(super) use debug_state::{DebugState, Next};
pub(super) use resume::steps_at;
pub use resume::{ResumeError, resumable, same_before, step_at};
pub use values::NamedValue;

/// What a debugger is asked about a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepPlace {
    /// Where it stands in its flow.
    pub path: StepPath,
    /// Where it stands in its file.
    pub at: SourceLocation,
    /// As a person wrote it, secrets masked.
    pub title: String,
}

/// A run that waits for its debugger.
#[derive(Debug, Clone)]
pub struct Pause {
    /// The step it stands before, or that failed.
    pub place: StepPlace,
    /// The step itself.
    pub step: Step,
    /// Why the step failed, where it did.
    pub failure: Option<Failure>,
    /// The flow as it runs now: as it was read, or as it was edited last.
    pub flow: Arc<Flow>,
    /// What names in expressions stand for here.
    pub values: Vec<NamedValue>,
}

/// What is to be done at a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebugChoice {
    /// Run the step; one that failed, again.
    Go,
    /// Go on behind the step.
    Skip,
    /// End the flow, with its teardown.
    Stop,
}

/// The end of a pause.
#[derive(Debug, Clone)]
pub struct Decision {
    /// What is to be done.
    pub choice: DebugChoice,
    /// The flow that runs from here on, where it was edited; [`resumable`] said that it can.
    pub flow: Option<Arc<Flow>>,
    /// The result of a step that is skipped, which `as` keeps.
    pub value: Option<serde_json::Value>,
}

impl Decision {
    /// A choice in the same flow.
    pub fn new(choice: DebugChoice) -> Self {
        Self {
            choice,
            flow: None,
            value: None,
        }
    }
}

/// What a debugger is waited for.
pub type DebuggerFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Somebody who steers a run. The clock of the flow's limits stands while a decision is waited for.
pub trait Debugger: fmt::Debug + Send + Sync {
    /// Whether the run pauses before this step.
    fn pauses_before(&self, place: &StepPlace) -> bool;

    /// Whether it pauses after this step failed, so that the flow would end.
    fn pauses_after(&self, place: &StepPlace, failure: &Failure) -> bool;

    /// Waits for what is to be done. Dropped where the run is interrupted or the device is lost.
    fn decide(&self, pause: Pause) -> DebuggerFuture<'_, Decision>;

    /// Nothing more is asked: the flow ends with these values, and its teardown needs the device.
    fn ends(&self, values: Vec<NamedValue>) -> DebuggerFuture<'_, ()>;
}
