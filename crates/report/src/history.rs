//! Writes a run's file of the history from its events.

use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;

use super::records::{Attempt, FlowRecord, StepRecord};
use super::{ReportError, Results, Subscriber};
use runner_event::{
    Event, EventKind, FlowId, FlowStatus, RunFailureKind, SourceLocation, StepStatus,
};
use runner_history::{
    FailureNote, FlowResult, HistoryWarning, Outcome, ResultId, ScreenNames, StepOutcome,
    StepResult, Writer,
};
use runner_text::secret::MASK;

/// Characters of a step's title. Chosen: tables of `runner history` have no room for more.
const MAX_TITLE_CHARS: usize = 80;
/// Characters of a failure's message. Chosen: about two lines of a terminal.
const MAX_MESSAGE_CHARS: usize = 160;
/// Own steps kept per flow. Chosen: more than people write in one flow; it bounds the file.
const MAX_STEPS: usize = 200;

/// Subscriber that writes the history's file. It never fails a run: errors are in [`HistoryWarningCell`].
pub struct HistoryFile {
    folder: Utf8PathBuf,
    writer: Option<Writer>,
    warning_cell: HistoryWarningCell,
    /// Flows that are still running.
    open: Results,
}

/// Shared place for the error that kept a run out of the history. It is complete once the reports are
/// finished.
#[derive(Debug, Clone, Default)]
pub struct HistoryWarningCell(Arc<Mutex<Option<HistoryWarning>>>);

impl HistoryWarningCell {
    /// Takes the first error, if there was one. A second call returns `None`.
    pub fn take(&self) -> Option<HistoryWarning> {
        let mut warning = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        warning.take()
    }

    fn note(&self, warning: HistoryWarning) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(warning);
    }
}

impl HistoryFile {
    /// Creates the report of one run. `folder` and the file in it are created when the run begins, not here.
    pub fn new(folder: Utf8PathBuf) -> Self {
        Self {
            folder,
            writer: None,
            warning_cell: HistoryWarningCell::default(),
            open: Results::default(),
        }
    }

    /// Returns the place where errors will be, to be read after the run.
    pub fn warning_cell(&self) -> HistoryWarningCell {
        self.warning_cell.clone()
    }

    /// Writes to the file. The first error is noted and ends all further writing; it does not fail the run. Does
    /// nothing after that, or before the run has begun. The closure is not called then.
    fn write(&mut self, write: impl FnOnce(&mut Writer) -> Result<(), HistoryWarning>) {
        if let Some(writer) = &mut self.writer
            && let Err(warning) = write(writer)
        {
            self.warning_cell.note(warning);
            self.writer = None;
        }
    }

    /// Forgets a flow that ended, and writes its last result with the steps of its last attempt and the names it met.
    /// Writes nothing for a flow that is unknown or whose last attempt has no end.
    fn flow_ended(&mut self, id: &FlowId, met: Option<&ScreenNames>) {
        let Some(record) = self.open.take_flow(id) else {
            return;
        };
        if let Some(result) = flow_result(id, &record) {
            let steps = record.attempts.last().map(own_steps).unwrap_or_default();
            let met = met.map(without_masked);
            self.write(|writer| writer.flow(result, steps, met));
        }
    }
}

/// Copies the names of screens, ids and texts, without those in which a secret was masked: no code holds
/// these.
fn without_masked(met: &ScreenNames) -> ScreenNames {
    let list = |names: &[String]| {
        let clean = names.iter().filter(|name| !name.contains(MASK));
        clean.cloned().collect()
    };
    ScreenNames {
        screens: list(&met.screens),
        ids: list(&met.ids),
        texts: list(&met.texts),
    }
}

impl Subscriber for HistoryFile {
    /// Begins the file at the start, writes each flow once, after its last attempt, and completes the file at the
    /// end. A flow that cannot be read counts as an error of 0 ms. Never fails: the first problem with the history is
    /// noted as a warning, and nothing more is written.
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        match &event.kind {
            EventKind::Start {
                run_id,
                version,
                started,
                ..
            } => match Writer::begin(&self.folder, run_id, started, version) {
                Ok(writer) => self.writer = Some(writer),
                Err(warning) => self.warning_cell.note(warning),
            },
            EventKind::Plan { flows, .. } => {
                self.open.register_plan(flows);
                let cases: Vec<ResultId> = flows.iter().map(result_id).collect();
                self.write(|writer| writer.planned(&cases));
            }
            EventKind::Unreadable { flow, message, at } => {
                let result = FlowResult {
                    id: ResultId {
                        flow: flow.to_string(),
                        case: None,
                        repeat: 1,
                        device: None,
                    },
                    outcome: Outcome::Error,
                    ms: 0,
                    attempts: 1,
                    quarantined: false,
                    failure: Some(FailureNote {
                        step: None,
                        at: at.as_ref().map(place),
                        message: first_line(message, MAX_MESSAGE_CHARS),
                    }),
                };
                self.write(|writer| writer.flow(result, Vec::new(), None));
            }
            EventKind::FlowStarted { .. }
            | EventKind::StepStarted { .. }
            | EventKind::StepFinished { .. } => self.open.add(event),
            EventKind::FlowFinished { id, last, met, .. } => {
                self.open.add(event);
                if *last {
                    self.flow_ended(id, met.as_deref());
                }
            }
            EventKind::Finish {
                duration_ms,
                exit_code,
                because,
                ..
            } => {
                let mut because = because.iter();
                let fail_on_flaky = because.any(|failure| failure.kind == RunFailureKind::Flaky);
                if let Some(writer) = self.writer.take()
                    && let Err(warning) = writer.finish(*duration_ms, *exit_code, fail_on_flaky)
                {
                    self.warning_cell.note(warning);
                }
            }
            EventKind::Source { .. }
            | EventKind::Device { .. }
            | EventKind::DeviceLost { .. }
            | EventKind::Session { .. }
            | EventKind::Snapshot { .. }
            | EventKind::Dialog { .. }
            | EventKind::Log { .. }
            | EventKind::Trace { .. }
            | EventKind::Video { .. }
            | EventKind::Stopping { .. }
            | EventKind::Unknown => {}
        }
        Ok(())
    }
}

/// Returns the key of a result in the history. A missing repeat is the first, 1; an empty device is `None`. The
/// attempt does not count.
fn result_id(id: &FlowId) -> ResultId {
    ResultId {
        flow: id.flow.to_string(),
        case: id.case.as_ref().map(ToString::to_string),
        repeat: id.repeat.unwrap_or(1),
        device: Some(id.device.clone()).filter(|device| !device.is_empty()),
    }
}

/// Returns status and duration of the last attempt; `None` if there is none, it has no end, or another is to follow.
/// The number of attempts counts all. The failure is that of the last attempt that has one, so a flaky flow has one
/// too.
fn flow_result(id: &FlowId, record: &FlowRecord) -> Option<FlowResult> {
    let (_, end) = record.outcome()?;
    // For a flaky flow, the failed attempt.
    let failed = record
        .attempts
        .iter()
        .rfind(|attempt| failure_of(attempt).is_some());
    Some(FlowResult {
        id: result_id(id),
        outcome: outcome(end.status),
        ms: end.duration_ms,
        attempts: u32::try_from(record.attempts.len()).unwrap_or(u32::MAX),
        quarantined: end.status == FlowStatus::Quarantined,
        failure: failed.and_then(failure_of),
    })
}

/// Returns the outcome of the same name; a quarantined flow is a failed one.
fn outcome(status: FlowStatus) -> Outcome {
    match status {
        FlowStatus::Passed => Outcome::Passed,
        FlowStatus::Flaky => Outcome::Flaky,
        FlowStatus::Failed | FlowStatus::Quarantined => Outcome::Failed,
        FlowStatus::Error => Outcome::Error,
        FlowStatus::Skipped => Outcome::Skipped,
        FlowStatus::Interrupted => Outcome::Interrupted,
    }
}

/// Returns the masked first line of the failure, cut to `MAX_MESSAGE_CHARS`, with the title of the failed step if it is
/// known, and the place that the end names, else that of the step. `None` if the attempt has no end or no failure.
fn failure_of(attempt: &Attempt) -> Option<FailureNote> {
    let end = attempt.end.as_ref()?;
    let failure = end.failure.as_ref()?;
    let step = attempt.failed_step();
    let at = end.failed_at.as_ref().or(step.map(|step| &step.at));
    Some(FailureNote {
        step: step.map(|step| first_line(&step.title, MAX_TITLE_CHARS)),
        at: at.map(place),
        message: first_line(failure.message.masked_text(), MAX_MESSAGE_CHARS),
    })
}

fn place(at: &SourceLocation) -> String {
    format!("{}:{}", at.file, at.line)
}

/// Returns the first [`MAX_STEPS`] of the flow's own steps, without steps inside them. Steps of setup, `on_failure`
/// and teardown are among them.
fn own_steps(attempt: &Attempt) -> Vec<StepResult> {
    let own = attempt.steps.iter().filter(|step| step.depth() == 0);
    own.take(MAX_STEPS).map(step_result).collect()
}

/// Returns the step for the history, with the first line of its title cut to `MAX_TITLE_CHARS`. A step without an end
/// is open.
fn step_result(step: &StepRecord) -> StepResult {
    let outcome = match step.status {
        Some(StepStatus::Passed) => StepOutcome::Passed,
        Some(StepStatus::Failed) => StepOutcome::Failed,
        Some(StepStatus::Warned) => StepOutcome::Warned,
        Some(StepStatus::Skipped) => StepOutcome::Skipped,
        None => StepOutcome::Open,
    };
    StepResult {
        title: first_line(&step.title, MAX_TITLE_CHARS),
        ms: step.duration_ms,
        outcome,
    }
}

/// Returns the first line, at most `max_chars` characters of it. A cut line ends in an additional `…`. Safe
/// to cut, as secrets in events are masked already. Empty for an empty text.
fn first_line(text: &str, max_chars: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(max_chars).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
