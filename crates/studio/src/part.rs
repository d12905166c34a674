//! Parts of a flow that run alone, and how they are found again after the flow was edited.

use std::sync::Arc;

use serde::Deserialize;

use runner_flow::Flow;
use runner_run::{ResumeError, same_before};
use runner_text::diagnostic::line_column;

/// Part of a flow to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FlowPart {
    /// The whole flow: all its cases, setup and teardown.
    All,
    /// The step at the line.
    Step,
    /// Steps from the first to that at the line.
    To,
    /// Steps from that at the line to the last.
    From,
    /// Single step at the line that takes a snapshot, wherever it is in the flow: compares the current screen.
    Snapshot,
    /// Same as `Snapshot`, in each case of the flow.
    Cases,
}

impl FlowPart {
    /// Returns true if only a snapshot of the current screen is taken.
    pub(super) fn is_snapshot(self) -> bool {
        matches!(self, Self::Snapshot | Self::Cases)
    }
}

/// Steps of a flow that run, in a form that finds them again after an edit.
#[derive(Debug, Clone)]
pub(super) struct Outline {
    pub(super) part: FlowPart,
    /// Index of the step.
    pub(super) at: usize,
    /// Flow as it was when the run began.
    pub(super) flow: Arc<Flow>,
}

impl Outline {
    /// Returns the edited flow reduced to these steps, as [`Self::select`] does.
    ///
    /// # Errors
    /// Returns an error if steps before a part that does not begin at the start changed, so that it cannot be
    /// found.
    pub(super) fn select_edited(&self, flow: &Flow) -> Result<Flow, ResumeError> {
        if matches!(self.part, FlowPart::Step | FlowPart::From) {
            same_before(&self.flow, flow, self.at)?;
        }
        Ok(self.select(flow))
    }

    /// Returns the flow reduced to these steps. A part begins at the same index as before; steps that were added during
    /// a pause, wherever, belong to it, and it becomes shorter by those removed. A part that begins within the flow has
    /// no setup, one that ends there no teardown. A whole flow and snapshots stay as they are.
    pub(super) fn select(&self, flow: &Flow) -> Flow {
        let mut flow = flow.clone();
        // Steps added during a pause belong to the part.
        let steps = self.flow.steps.len();
        let added = flow.steps.len().saturating_sub(steps);
        let removed = steps.saturating_sub(flow.steps.len());
        let at = self.at.min(flow.steps.len());
        match self.part {
            FlowPart::All | FlowPart::Snapshot | FlowPart::Cases => return flow,
            FlowPart::Step => {
                flow.steps.drain(..at);
                flow.steps.truncate(1 + added);
            }
            FlowPart::To => flow
                .steps
                .truncate((self.at + 1 + added).saturating_sub(removed)),
            FlowPart::From => {
                flow.steps.drain(..at);
            }
        }
        // A part that begins or ends within the flow takes the device as it is, and leaves it so.
        if matches!(self.part, FlowPart::Step | FlowPart::From) {
            flow.setup.clear();
        }
        if matches!(self.part, FlowPart::Step | FlowPart::To) {
            flow.teardown.clear();
        }
        flow
    }
}

/// Returns the index under `steps` of the step that covers a line, counted from 1. A line in a block has the index
/// of the outer step. Steps of setup and teardown do not count. `None` if no step covers it.
pub(super) fn step_at(flow: &Flow, line: usize) -> Option<usize> {
    let begin = |step: &runner_flow::Step| line_column(&flow.source.text, step.span.start).0;
    let end = |step: &runner_flow::Step| {
        let text = flow.source.text.get(step.span.clone()).unwrap_or_default();
        line_column(&flow.source.text, step.span.start + text.trim_end().len()).0
    };
    let mut steps = flow.steps.iter();
    steps.position(|step| (begin(step)..=end(step)).contains(&line))
}
