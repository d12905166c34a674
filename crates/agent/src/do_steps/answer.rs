//! Builds the answer of `runner_do`: the steps that passed, the failure of the one that did not, and the
//! screen.

use serde_json::json;

use runner_tools::{Failure, Outcome, Words};

/// Lines of a failure's details that an answer holds. Chosen: a few near misses fit; an agent pays for each line.
const MAX_DETAIL_LINES: usize = 12;

/// Step that failed, which ends the call.
#[derive(Debug)]
pub(super) struct FailedStep {
    /// Index among the steps, from 0.
    pub index: usize,
    /// Title without the text that the step types.
    pub title: String,
    pub failure: Failure,
    /// True if the device was lost with it.
    pub is_lost: bool,
}

/// Returns the answer to `total` steps: the notes of those that passed, the failure if there is one, and the
/// look at the end if one was asked for. A look that failed is a line of the text and no failure. The outcome
/// fails exactly if a step did.
pub(super) fn outcome(
    total: usize,
    failed: Option<FailedStep>,
    notes: Vec<Words>,
    look: Option<Result<Outcome, Failure>>,
) -> Outcome {
    let mut lines = Vec::new();
    let value = match &failed {
        None => {
            let what = if total == 1 { "step" } else { "steps" };
            lines.push(Words::format("{} {} passed", &[&total, &Words::from(what)]));
            json!({ "passed": total, "steps": total })
        }
        Some(failed) => {
            lines.extend(failure_lines(failed, total));
            json!({
                "passed": failed.index,
                "steps": total,
                "failed": {
                    "step": failed.index + 1,
                    "title": failed.title,
                    "kind": failed.failure.kind,
                    "message": failed.failure.message,
                },
            })
        }
    };
    lines.extend(notes);
    match look {
        None => {}
        Some(Ok(look)) => lines.push(look.words()),
        Some(Err(failure)) => lines.push(Words::format("no look: {}", &[&failure.message])),
    }
    let outcome = Outcome::value(Words::joined(lines, "\n"), value);
    match failed {
        Some(failed) => outcome.failed(failed.failure),
        None => outcome,
    }
}

/// Returns lines that say which step failed and why, which passed and which were not done. At most 12 details
/// are included. If the device was lost, a line says what to do.
fn failure_lines(failed: &FailedStep, total: usize) -> Vec<Words> {
    let FailedStep {
        index,
        title,
        failure,
        is_lost,
    } = failed;
    let number = index + 1;
    let mut lines = vec![Words::format(
        "step {} of {} failed: {}",
        &[&number, &total, title],
    )];
    lines.push(failure.message.clone());
    for (name, value) in [
        ("expected: {}", &failure.expected),
        ("actual: {}", &failure.actual),
    ] {
        lines.extend(value.iter().map(|value| Words::format(name, &[value])));
    }
    lines.extend(failure.details.iter().take(MAX_DETAIL_LINES).cloned());
    if *is_lost {
        lines.push(Words::from(
            "the device was lost; connect it again and call again: it is looked for anew",
        ));
    }
    let passed = match index {
        0 => Words::from("no step passed"),
        1 => Words::from("step 1 passed"),
        _ => Words::format("steps 1 to {} passed", &[index]),
    };
    let next = number + 1;
    lines.push(match total - number {
        0 => passed,
        1 => Words::format("{}, step {} was not done", &[&passed, &next]),
        _ => Words::format(
            "{}, steps {} to {} were not done",
            &[&passed, &next, &total],
        ),
    });
    lines
}
