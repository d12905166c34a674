//! Converts the steps of an attempt: its own steps nested, those of setup and teardown as fixtures.

use super::attachment::attachments;
use super::model::{Details, ExecutableItem, Status};
use crate::text::clean;
use crate::{Attempt, Phase, ReportError, Results, StepRecord};
use runner_base::own_folder::OwnFolder;
use runner_event::StepStatus;

/// Steps of an attempt by the part of the flow.
#[derive(Debug, Default)]
pub(super) struct Phases {
    pub befores: Vec<ExecutableItem>,
    pub steps: Vec<ExecutableItem>,
    pub afters: Vec<ExecutableItem>,
}

/// Converts the steps of `attempt`, sorted into setup, steps, and `on_failure` with teardown, and adds their files to
/// the folder. Inner steps are nested in the step before them. `began` is the run's start in milliseconds since 1970,
/// to which the steps' times are added. Fails only if the folder cannot be written.
pub(super) fn phases(
    results: &Results,
    folder: &mut OwnFolder,
    attempt: &Attempt,
    began: u64,
) -> Result<Phases, ReportError> {
    let mut phases = Phases::default();
    for step in &attempt.steps {
        let item = ExecutableItem {
            attachments: attachments(results, folder, &step.artifacts)?,
            ..item(step, began)
        };
        let list = match step.phase() {
            Phase::Setup => &mut phases.befores,
            Phase::Steps => &mut phases.steps,
            Phase::OnFailure | Phase::Teardown => &mut phases.afters,
        };
        innermost(list, step.depth()).push(item);
    }
    Ok(phases)
}

/// Returns the list for a step of this depth: inside the last step above it. If steps in between are missing, as in a
/// stream that begins late, returns the deepest list. With depth 0 or an empty list it is `list` itself.
fn innermost(mut list: &mut Vec<ExecutableItem>, depth: usize) -> &mut Vec<ExecutableItem> {
    for _ in 0..depth {
        if list.is_empty() {
            break;
        }
        let last = list.len() - 1;
        list = &mut list[last].steps;
    }
    list
}

/// Creates the item of a step without its inner steps and attachments. A warned step is broken, as the flow went on;
/// one without an end is unknown. Message and trace are the masked message and details of the failure, if there are
/// any.
fn item(step: &StepRecord, began: u64) -> ExecutableItem {
    let failure = step.failure.as_ref();
    let words = |text: &str| clean(text).into_owned();
    let trace = failure.map(|failure| {
        let lines: Vec<String> = failure
            .details
            .iter()
            .map(|line| words(line.masked_text()))
            .collect();
        lines.join("\n")
    });
    let start = began.saturating_add(step.t_ms);
    ExecutableItem {
        name: words(&step.title),
        status: match step.status {
            Some(StepStatus::Passed) => Status::Passed,
            Some(StepStatus::Failed) => Status::Failed,
            // The flow went on, so the step is not its failure.
            Some(StepStatus::Warned) => Status::Broken,
            Some(StepStatus::Skipped) => Status::Skipped,
            None => Status::Unknown,
        },
        status_details: Details {
            message: failure.map(|failure| words(failure.message.masked_text())),
            trace: trace.filter(|trace| !trace.is_empty()),
            ..Details::default()
        },
        stage: "finished",
        start,
        stop: start.saturating_add(step.duration_ms),
        steps: Vec::new(),
        attachments: Vec::new(),
    }
}
