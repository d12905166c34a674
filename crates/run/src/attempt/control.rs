//! Control steps: steps that hold other steps, or set names.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;

use super::Attempt;
use super::rounds::RoundLooks;
use crate::debugger::text_of;
use crate::evaluate::{evaluate, name_error};
use crate::liveness::silence_of;
use crate::names::set_header;
use crate::sources;
use crate::step_result::{FailedTry, StepResult};
use runner_flow::{
    Argument, Condition, Control, Flow, InterpolationError, Spanned, Step, StepList, StepPath,
};
use runner_tools::{Failure, FailureKind};

/// Result of a control step; none if its condition or its number of rounds leaves no step to run.
type ControlResult = Result<Option<StepResult>, FailedTry>;

impl Attempt<'_> {
    /// Runs a control step, within its `timeout` if it has one. If the time is up, its sub-flows and repetitions are
    /// left, and the failure is a timeout, or one of the device if that left a request unanswered. The device is
    /// asked shortly before; if it does not answer, it counts as gone. `None` if a condition or 0 rounds leave the
    /// control step without any step to run.
    pub(super) async fn control(
        &mut self,
        step: &Step,
        control: &Control,
        path: &StepPath,
    ) -> ControlResult {
        let Some(limit) = step.modifiers.timeout else {
            return self.unlimited(step, control, path).await;
        };
        let depth = self.stack.depth();
        let clock = Arc::clone(&self.clock);
        // The device is asked before the limit is up, so that a lost one costs no extra time.
        let context = self.context;
        let silence = silence_of(context.session, &context.reporter.id().device);
        let steps = Box::pin(self.unlimited(step, control, path));
        let ended = clock.limit(limit.0, steps, silence).await;
        ended.unwrap_or_else(|silence| {
            self.health.note(silence);
            self.stack.unwind(depth);
            Err(self.context.timeout_failure(limit).into())
        })
    }

    /// Runs a control step without a limit of its own. The value of `run` is a map of its sub-flow's outputs; other
    /// control steps have none. Of `if` one of the lists runs; `None` if that is empty. `pause` waits for a person, or
    /// only warns if nobody is at a terminal. The first failing step inside is returned.
    async fn unlimited(
        &mut self,
        step: &Step,
        control: &Control,
        path: &StepPath,
    ) -> ControlResult {
        let done = match control {
            Control::Run { flow, env } => self.run_flow(step, flow, env, path).await,
            Control::Repeat {
                times,
                condition,
                max,
                steps,
            } => {
                let condition = condition.as_ref();
                return self
                    .repeat(step, times.as_ref(), condition, *max, steps, path)
                    .await;
            }
            Control::Retry { times, steps } => self.retry(*times, steps, path).await,
            Control::If {
                condition,
                then,
                otherwise,
            } => {
                let (list, steps) = if self.decides(condition, step).await? {
                    (StepList::Then, then)
                } else {
                    (StepList::Else, otherwise)
                };
                if steps.is_empty() {
                    return Ok(None);
                }
                self.nested(steps, &path.list(list)).await
            }
            Control::Group { steps } => self.nested(steps, &path.list(StepList::Group)).await,
            Control::Pause { message } => {
                let message = match message {
                    Some(message) => self.stack.resolve(message).await?,
                    None => Value::Null,
                };
                let text = (!message.is_null()).then(|| text_of(&message));
                self.context.pause(text.as_deref()).await
            }
            Control::Set { values } => {
                // One meter for all values: together they may be no larger than one.
                let meter = self.stack.scope().meter();
                for (name, value) in values {
                    let value =
                        evaluate(|| runner_flow::resolve_within(value, self.stack.scope(), &meter))
                            .await?;
                    self.stack.keep(name, value)?;
                }
                Ok(StepResult::default())
            }
        };
        done.map(Some)
    }

    /// Runs the steps of the list at the path `list`, and returns no value. The failure that ended the list is
    /// returned.
    async fn nested(&mut self, steps: &[Step], list: &StepPath) -> Result<StepResult, FailedTry> {
        self.steps(steps, list).await?;
        Ok(StepResult::default())
    }

    /// Runs the main steps of a sub-flow in a scope of its own; its setup and teardown do not run. It sees the
    /// caller's variables, its header's `env`, which replaces none of the command line, and what the caller passes, which
    /// wins and is evaluated in the caller's scope. A value of its header that cannot be evaluated fails at its place.
    /// Only its `outputs` that have a value are kept in the caller's scope; they are also the step's value. Leaves the
    /// scope after a failure too, and keeps no outputs then.
    async fn run_flow(
        &mut self,
        step: &Step,
        flow: &Flow,
        env: &IndexMap<String, Spanned<Argument>>,
        path: &StepPath,
    ) -> Result<StepResult, FailedTry> {
        self.learn_display_for(&flow.source.text).await?;
        let mut inner = self.stack.scope().for_sub_flow();
        inner.add_secrets(&flow.secrets);
        // The command line beats the header of a sub-flow too, and so does what an outer `run` gave in its place.
        let command_env = &self.context.settings.config.command_env;
        let of_command = flow
            .env
            .keys()
            .filter(|name| command_env.contains_key(*name));
        let given: Vec<(String, String)> = of_command
            .filter_map(|name| Some((name.clone(), inner.env(name)?.to_owned())))
            .collect();
        let mut wrong = None;
        let note = |error: &InterpolationError| wrong = Some(error.span.start);
        let set = evaluate(|| set_header(&mut inner, flow).inspect_err(note)).await;
        set.map_err(|failure| {
            let secrets = &self.context.settings.config.secrets;
            let place = |offset| sources::locate(flow, secrets, &flow.source, offset);
            FailedTry {
                at: wrong.map(place),
                ..FailedTry::from(failure)
            }
        })?;
        for (name, value) in given {
            inner.set_env(name, value).map_err(name_error)?;
        }
        let meter = self.stack.scope().meter();
        for (name, value) in env {
            let text =
                evaluate(|| runner_flow::resolve_text(value, self.stack.scope(), &meter)).await?;
            inner.set_env(name, text).map_err(name_error)?;
        }
        let folder = runner_flow::folder_of_run(step, flow);
        let depth = self.stack.enter(inner, folder);
        let result = self.steps(&flow.steps, &path.list(StepList::Run)).await;
        // Before a failure is returned, so that the caller's names are restored in any case.
        let inner = self.stack.leave(depth);
        result?;
        let mut outputs = serde_json::Map::new();
        for name in &flow.outputs {
            if let Some(value) = inner.result(name) {
                self.stack.keep(name, value.clone())?;
                outputs.insert(name.clone(), value.clone());
            }
        }
        Ok(StepResult {
            value: Value::Object(outputs),
            ..StepResult::default()
        })
    }

    /// Repeats the steps while the condition holds, `times` times or else `max` times. The condition is tested before
    /// each round, without one it always holds. Without any round the step is skipped. Without `times`, a condition
    /// that still holds after `max` rounds is a timeout. The first failing round ends the step. Each further round
    /// looks anew.
    async fn repeat(
        &mut self,
        step: &Step,
        times: Option<&Spanned<Argument>>,
        condition: Option<&Condition>,
        max: u32,
        steps: &[Step],
        path: &StepPath,
    ) -> ControlResult {
        let rounds = match times {
            Some(times) => integer(&self.stack.resolve(times).await?)?,
            None => max,
        };
        let mut round = 0;
        let mut looks = RoundLooks::default();
        while round < rounds {
            if round > 0 {
                self.learn_display(step).await?;
                self.context.session.forget_look();
            }
            let goes_on = match condition {
                None => true,
                // Later the element is gone, as the loop wants.
                Some(condition) if round > 0 => self.holds(condition).await?,
                Some(condition) => self.decides(condition, step).await?,
            };
            looks.add(self.context.session.last_screen());
            if !goes_on {
                return Ok((round > 0).then(StepResult::default));
            }
            round += 1;
            self.stack.begin_round(round);
            let result = self
                .steps(steps, &path.list(StepList::Repeat).number(round as usize))
                .await;
            self.stack.end_round();
            result?;
        }
        self.learn_display(step).await?;
        match condition {
            // With `times` the number is what the author wants; `max` alone guards against an endless loop.
            Some(condition) if times.is_none() && self.holds(condition).await? => {
                looks.add(self.context.session.last_screen());
                let failure = self.held_too_long(condition, max, steps, &looks);
                Err(failure.await.into())
            }
            _ => Ok((round > 0).then(StepResult::default)),
        }
    }

    /// Runs the steps from the first until they pass, at most `times` + 1 times. A failure that another try cannot
    /// change ends it at once. The last failure is returned. Inside, the first failure ends a try, also that of a
    /// snapshot or a soft one.
    async fn retry(
        &mut self,
        times: u32,
        steps: &[Step],
        path: &StepPath,
    ) -> Result<StepResult, FailedTry> {
        self.enter_try();
        let mut attempt: u32 = 1;
        loop {
            match self
                .steps(steps, &path.list(StepList::Retry).number(attempt as usize))
                .await
            {
                Ok(()) => return Ok(StepResult::default()),
                Err(failed) if attempt > times || self.is_final(&failed.failure).await => {
                    return Err(failed.into());
                }
                Err(_) => {
                    attempt += 1;
                    self.context.begin_another_try();
                }
            }
        }
    }
}

fn usage(message: String) -> Failure {
    Failure::new(FailureKind::Usage, message)
}

/// Converts a number, or a text of digits, to a count from 0 to 10 000. Anything else is a failure of usage that
/// names `times`.
fn integer(value: &Value) -> Result<u32, Failure> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64().and_then(|number| u32::try_from(number).ok()),
    };
    number.filter(|number| *number <= 10_000).ok_or_else(|| {
        usage(format!(
            "`times` must be a whole number from 0 to 10000, but is {value}"
        ))
    })
}
