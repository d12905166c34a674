//! Executes several steps of the flow language in one call, with one look at the end: the tool `runner_do`.
//!
//! Each step becomes the call that its own tool would make, so it waits, is recorded and is masked like that.

#[cfg(test)]
mod advice_laws;
mod answer;
mod planned_steps;
mod reader;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::look::look_after_steps;
use super::{AgentTool, Workspace};
use answer::FailedStep;
use planned_steps::{MAX_STEPS, PlannedStep};
use reader::StepsReader;
use runner_engine::Session;
use runner_tools::{Call, Effect, Failure, FailureKind, Outcome, Progress, Verdict, Words};

/// Time for all steps together. Chosen: [`MAX_STEPS`] steps may wait 6 s each; with more, an agent that
/// guessed wrong waits for long.
const TOTAL_TIMEOUT: Duration = Duration::from_mins(5);

/// Arguments of `runner_do`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoArgs {
    #[schemars(schema_with = "steps")]
    steps: Vec<Value>,
    /// Look at the end.
    #[serde(default = "yes")]
    look: bool,
}

fn yes() -> bool {
    true
}

/// Returns a short schema of the steps. The full one, which is in `runner://docs/steps`, would fill an
/// agent's context.
fn steps(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": r#"As in a flow: {"launch":"com.a"}, {"type":{"into":{"id":"user"},"text":"ada"}}, {"click":"Sign in"}, {"wait_for":"Hi*"}, "back", …: runner://docs/steps. @e12 works too."#,
        "type": "array",
        "items": { "anyOf": [{ "type": "string" }, { "type": "object" }] },
        "maxItems": MAX_STEPS,
    })
}

#[derive(Debug)]
pub struct Do;

impl AgentTool for Do {
    const NAME: &'static str = "runner_do";
    const SUMMARY: &'static str =
        "Does several steps, to the first that fails, and looks at the end.";
    const EFFECT: Effect = Effect::Destroys;
    type Args = DoArgs;

    /// Checks all steps, does them in order until one fails, and looks at the end if the arguments ask for it. A
    /// failed step is no error of the call's form, but fails it.
    async fn call(
        workspace: &Workspace,
        args: DoArgs,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let steps = planned_steps::read(workspace, &args.steps).await?;
        let session = workspace.connection.opened().await?.session;
        let total = steps.len();
        let mut notes = Vec::new();
        let failed = first_failure(workspace, &session, steps, &mut notes, progress).await;
        let is_lost = failed.as_ref().is_some_and(|failed| failed.is_lost);
        let look = if args.look && !is_lost {
            let look = look_after_steps(&session).await;
            workspace.hide_remains(&session);
            Some(look)
        } else {
            None
        };
        Ok(answer::outcome(total, failed, notes, look))
    }
}

/// Executes the steps in order until one fails, and returns that one; so does the end of the time for all. Adds the
/// notes of those that pass to `notes`, and reports progress.
async fn first_failure(
    workspace: &Workspace,
    session: &Arc<Session>,
    steps: Vec<PlannedStep>,
    notes: &mut Vec<Words>,
    progress: &Progress,
) -> Option<FailedStep> {
    let total = steps.len();
    let deadline = Instant::now() + TOTAL_TIMEOUT;
    let context = workspace.surroundings();
    for (index, step) in steps.into_iter().enumerate() {
        let title = step.title.clone();
        let done = timeout_at(deadline, do_step(workspace, session, step, &context)).await;
        let (failure, is_lost) = match done {
            Ok(Ok(said)) => {
                let done = index + 1;
                let said = said.iter();
                notes.extend(said.map(|note| Words::format("step {}: {}", &[&done, note])));
                progress.say(done as f64, Some(total as f64), &format!("{title}: passed"));
                continue;
            }
            Ok(Err(failed)) => failed,
            Err(_) => (out_of_time(), false),
        };
        return Some(FailedStep {
            index,
            title,
            failure,
            is_lost,
        });
    }
    None
}

/// Executes one step and returns its notes. An error has its secrets masked, and true if the device was lost.
async fn do_step(
    workspace: &Workspace,
    session: &Arc<Session>,
    step: PlannedStep,
    context: &Call,
) -> Result<Vec<Words>, (Failure, bool)> {
    let scrubber = &workspace.scrubber;
    scrubber.begin_step();
    // Registered before the device is used, as the log or an error may repeat it.
    if let Some(secret) = &step.secret {
        // Declared, as in a flow: it is masked in names, too.
        scrubber.add(secret);
        scrubber.add_typed(secret);
    }
    let answer = workspace
        .call_device(session, step.call, context.clone(), None)
        .await;
    let mut failure = match answer.outcome {
        Err(failure) => failure,
        Ok(outcome) => {
            if let Some(hidden) = &outcome.hidden {
                scrubber.add_typed(hidden);
            }
            match outcome.verdict {
                Verdict::Passed => return Ok(outcome.notes),
                Verdict::Failed(failure) => failure,
            }
        }
    };
    failure = failure.advise(&StepsReader);
    runner_event::scrub::Scrub::scrub(&mut failure, scrubber);
    Err((failure, answer.is_lost))
}

/// Builds the failure of steps that took longer than all may together.
fn out_of_time() -> Failure {
    let limit = TOTAL_TIMEOUT.as_secs() / 60;
    Failure::new(
        FailureKind::Timeout,
        format!(
            "all steps together may take {limit} minutes, which are over; do the rest in another call"
        ),
    )
}
