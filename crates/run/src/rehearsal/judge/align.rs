//! Finds the place of a flow's step in the recording, which was made before the flow was edited.

use crate::rehearsal::steps::{FlowStep, place, verb};
use runner_flow::Step;
use runner_recording::RecordedStep;

/// Position of a step in the recording.
pub(super) enum Alignment {
    /// Index of the step in the recording, where no act comes before it.
    Same(usize),
    /// The recording has it only after this act, which the flow no longer has.
    Behind(usize),
    /// The recording does not have the step, or only after an act that the flow still has.
    None,
}

/// Searches the recording from `cursor` on for a step of this title, up to the next recorded step that acted.
/// Beyond that step, the flow was reordered if it no longer has that act. If it still has it, the step counts as
/// not recorded.
pub(super) fn align(
    recorded: &[RecordedStep],
    edited: &[FlowStep],
    title: &str,
    cursor: usize,
) -> Alignment {
    let mut blocking: Option<usize> = None;
    for (place, step) in leaves(recorded, cursor) {
        match (step.title == title, blocking) {
            (true, None) => return Alignment::Same(place),
            // The flow no longer has the act. If it still had it, this step would have been moved before it.
            (true, Some(act)) if !has(edited, &recorded[act].title) => {
                return Alignment::Behind(act);
            }
            (true, Some(_)) => return Alignment::None,
            (false, None) if step.acted() => blocking = Some(place),
            (false, _) => {}
        }
    }
    Alignment::None
}

/// Returns the recorded step that an edited step replaces: the first from `cursor` on, that one included,
/// with the same verb in its title. The search ends before the flow's next unchanged step, and with the
/// first step that acted, which may itself be the match. `None` if there is none.
pub(super) fn replaced(
    recorded: &[RecordedStep],
    edited: &[FlowStep],
    step: &Step,
    cursor: usize,
) -> Option<usize> {
    let place = place(step);
    let later = edited.iter().skip_while(|it| it.at != place).skip(1);
    let mut later = later.filter_map(|it| {
        let mut later = leaves(recorded, cursor);
        later.find(|(_, step)| step.title == it.title)
    });
    let next = later.next().map_or(usize::MAX, |(place, _)| place);
    for (place, candidate) in leaves(recorded, cursor) {
        if place >= next {
            break;
        }
        if verb(&candidate.title) == verb(&step.title) {
            return Some(place);
        }
        if candidate.acted() {
            break;
        }
    }
    None
}

fn leaves(recorded: &[RecordedStep], from: usize) -> impl Iterator<Item = (usize, &RecordedStep)> {
    let steps = recorded.iter().enumerate().skip(from);
    steps.filter(|(_, step)| !step.has_steps)
}

fn has(steps: &[FlowStep], title: &str) -> bool {
    steps.iter().any(|step| step.title == title)
}
