//! Parts of a flow that run alone, and how they are found again in an edited flow.

use std::sync::Arc;

use serde::Deserialize;

use runner_flow::Flow;
use runner_run::{ResumeError, same_before};
use runner_text::diagnostic::line_column;

/// Which steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Part {
    /// The whole flow: all its cases, setup and teardown.
    All,
    /// The step at the line.
    Step,
    /// From the beginning to the step at the line.
    To,
    /// From the step at the line to the end.
    From,
    /// Only the step at the line that takes a snapshot, wherever it stands in the flow: compares what is there now.
    Snapshot,
    /// The same in each case of the flow.
    Cases,
}

impl Part {
    /// It is what compares the screen that is there now.
    pub(super) fn is_snapshot(self) -> bool {
        matches!(self, Self::Snapshot | Self::Cases)
    }
}

/// Which steps of a flow run, so that they are found again when it was edited.
#[derive(Debug, Clone)]
pub(super) struct Outline {
    pub(super) part: Part,
    /// The place of the step.
    pub(super) at: usize,
    /// The flow as it was when the run began.
    pub(super) flow: Arc<Flow>,
}

impl Outline {
    /// These steps of the flow as it was edited.
    ///
    /// # Errors
    /// What stands before them is another one, so that they cannot be found.
    pub(super) fn of_edited(&self, flow: &Flow) -> Result<Flow, ResumeError> {
        if matches!(self.part, Part::Step | Part::From) {
            same_before(&self.flow, flow, self.at)?;
        }
        Ok(self.of(flow))
    }

    /// These steps of a flow.
    pub(super) fn of(&self, flow: &Flow) -> Flow {
        let mut flow = flow.clone();
        // What was added while it was paused belongs to it.
        let steps = self.flow.steps.len();
        let added = flow.steps.len().saturating_sub(steps);
        let removed = steps.saturating_sub(flow.steps.len());
        let at = self.at.min(flow.steps.len());
        match self.part {
            Part::All | Part::Snapshot | Part::Cases => return flow,
            Part::Step => {
                flow.steps.drain(..at);
                flow.steps.truncate(1 + added);
            }
            Part::To => flow
                .steps
                .truncate((self.at + 1 + added).saturating_sub(removed)),
            Part::From => {
                flow.steps.drain(..at);
            }
        }
        // The device stays as it is before a part that begins in the middle, and after one that ends there.
        if matches!(self.part, Part::Step | Part::From) {
            flow.setup.clear();
        }
        if matches!(self.part, Part::Step | Part::To) {
            flow.teardown.clear();
        }
        flow
    }
}

/// The step of the flow itself in which a line is.
pub(super) fn step_at(flow: &Flow, line: usize) -> Option<usize> {
    let begin = |step: &runner_flow::Step| line_column(&flow.source.text, step.span.start).0;
    let end = |step: &runner_flow::Step| {
        let text = flow.source.text.get(step.span.clone()).unwrap_or_default();
        line_column(&flow.source.text, step.span.start + text.trim_end().len()).0
    };
    let mut steps = flow.steps.iter();
    steps.position(|step| (begin(step)..=end(step)).contains(&line))
}
