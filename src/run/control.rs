//! Control steps: they hold other steps, or change names.

use indexmap::IndexMap;
use serde_json::Value;

use super::attempt::Attempt;
use super::names::set_header;
use super::secrets;
use super::step::{StepFailure, StepResult, evaluated, name_error};
use crate::flow::{self, Argument, Condition, Control, Flow, Spanned, Step, StepList, StepPath};
use crate::tools::{Failure, FailureKind};

/// How deep in sub-flows and repetitions an attempt is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NestingDepth {
    scopes: usize,
    rounds: usize,
}

impl Attempt<'_> {
    pub(super) fn depth(&self) -> NestingDepth {
        NestingDepth {
            scopes: self.outer.len(),
            rounds: self.rounds.len(),
        }
    }

    /// Back to the names of an outer flow. A limit that ran out inside a sub-flow leaves it no other way to end.
    pub(super) fn unwind(&mut self, depth: NestingDepth) {
        while self.outer.len() > depth.scopes {
            if let Some(scope) = self.outer.pop() {
                self.scope = scope;
            }
            self.callers.pop();
        }
        self.rounds.truncate(depth.rounds);
    }

    fn is_secret(&self, name: &str) -> bool {
        let secrets = self.flow.secrets.iter().chain(&self.settings.secrets);
        secrets.into_iter().any(|secret| secret == name)
    }

    /// Runs a control step within its `timeout`, if it has one.
    pub(super) async fn control(
        &mut self,
        step: &Step,
        control: &Control,
        path: &StepPath,
    ) -> Result<StepResult, StepFailure> {
        let Some(limit) = step.modifiers.timeout else {
            return self.unlimited(step, control, path).await;
        };
        let depth = self.depth();
        let ended = tokio::time::timeout(limit.0, self.unlimited(step, control, path)).await;
        ended.unwrap_or_else(|_| {
            self.unwind(depth);
            Err(self.too_long(limit).into())
        })
    }

    async fn unlimited(
        &mut self,
        step: &Step,
        control: &Control,
        path: &StepPath,
    ) -> Result<StepResult, StepFailure> {
        match control {
            Control::Run { flow, env } => self.run_flow(step, flow, env, path).await,
            Control::Repeat {
                times,
                condition,
                max,
                steps,
            } => {
                self.repeat(times.as_ref(), condition.as_ref(), *max, steps, path)
                    .await
            }
            Control::Retry { times, steps } => self.retry(*times, steps, path).await,
            Control::If {
                condition,
                then,
                otherwise,
            } => {
                let (list, steps) = if self.holds(condition).await? {
                    (StepList::Then, then)
                } else {
                    (StepList::Else, otherwise)
                };
                self.nested(steps, &path.list(list)).await
            }
            Control::Group { steps } => self.nested(steps, &path.list(StepList::Group)).await,
            Control::Set { values } => {
                // One meter for all: together they may be no larger than one value.
                let meter = self.scope.meter();
                for (name, value) in values {
                    let value =
                        evaluated(|| flow::resolve_within(value, &self.scope, &meter)).await?;
                    if self.is_secret(name) {
                        for text in secrets::texts(&value) {
                            self.emitter.scrubber().add(&text);
                        }
                    }
                    self.scope.keep(name, value).map_err(name_error)?;
                }
                Ok(StepResult::default())
            }
        }
    }

    async fn nested(&mut self, steps: &[Step], list: &StepPath) -> Result<StepResult, StepFailure> {
        self.steps(steps, list).await?;
        Ok(StepResult::default())
    }

    /// A sub-flow sees its own header's env and the caller's, and gives back only its `outputs`.
    async fn run_flow(
        &mut self,
        step: &Step,
        flow: &Flow,
        env: &IndexMap<String, Spanned<Argument>>,
        path: &StepPath,
    ) -> Result<StepResult, StepFailure> {
        let mut inner = self.scope.for_sub_flow();
        evaluated(|| set_header(&mut inner, flow)).await?;
        let meter = self.scope.meter();
        for (name, value) in env {
            let text = evaluated(|| flow::resolve_text(value, &self.scope, &meter)).await?;
            inner.set_env(name, text).map_err(name_error)?;
        }
        let secrets = flow.secrets.iter().chain(&self.flow.secrets);
        for name in secrets.chain(&self.settings.secrets) {
            if let Some(value) = inner.env(name) {
                self.emitter.scrubber().add(value);
            }
        }
        let depth = self.depth();
        self.outer.push(std::mem::replace(&mut self.scope, inner));
        self.callers.push(flow::folder_of_run(step, flow));
        let result = self.steps(&flow.steps, &path.list(StepList::Run)).await;
        let inner = std::mem::take(&mut self.scope);
        // Before a failure is handed on: the names of the caller are back then too.
        self.unwind(depth);
        result?;
        let mut outputs = serde_json::Map::new();
        for name in &flow.outputs {
            if let Some(value) = inner.result(name) {
                self.scope.keep(name, value.clone()).map_err(name_error)?;
                outputs.insert(name.clone(), value.clone());
            }
        }
        Ok(StepResult {
            value: Value::Object(outputs),
            ..StepResult::default()
        })
    }

    async fn repeat(
        &mut self,
        times: Option<&Spanned<Argument>>,
        condition: Option<&Condition>,
        max: u32,
        steps: &[Step],
        path: &StepPath,
    ) -> Result<StepResult, StepFailure> {
        let rounds = match times {
            Some(times) => whole_number(&self.resolve(times).await?)?,
            None => max,
        };
        let mut round = 0;
        while round < rounds {
            if let Some(condition) = condition
                && !self.holds(condition).await?
            {
                return Ok(StepResult::default());
            }
            round += 1;
            self.rounds.push(round);
            let result = self
                .steps(steps, &path.list(StepList::Repeat).number(round as usize))
                .await;
            self.rounds.pop();
            result?;
        }
        match condition {
            // With `times` too, the number is the wish; alone, `max` is a guard against running for ever.
            Some(condition) if times.is_none() && self.holds(condition).await? => {
                Err(Failure::new(
                    FailureKind::Timeout,
                    format!("`while` still held after {max} rounds; raise `max` if that is right"),
                )
                .into())
            }
            _ => Ok(StepResult::default()),
        }
    }

    async fn retry(
        &mut self,
        times: u32,
        steps: &[Step],
        path: &StepPath,
    ) -> Result<StepResult, StepFailure> {
        // What a snapshot fails with is what is tried again.
        self.goes_on = false;
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
                Err(_) => attempt += 1,
            }
        }
    }
}

fn usage(message: String) -> Failure {
    Failure::new(FailureKind::Usage, message)
}

fn whole_number(value: &Value) -> Result<u32, Failure> {
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
