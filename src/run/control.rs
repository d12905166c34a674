//! Control steps: they hold other steps, or change names.

use indexmap::IndexMap;
use serde_json::Value;

use super::attempt::Attempt;
use super::runner::set_header;
use super::step::{Done, Failed, name_error};
use crate::flow::{self, Argument, Condition, Control, Flow, Located, Step, StepPath};
use crate::tools::{Failure, FailureKind};

impl Attempt<'_> {
    pub(super) async fn control(
        &mut self,
        step: &Step,
        control: &Control,
        path: &StepPath,
    ) -> Result<Done, Failed> {
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
                let (name, steps) = if self.holds(condition).await? {
                    ("then", then)
                } else {
                    ("else", otherwise)
                };
                self.nested(steps, path, name).await
            }
            Control::Group { steps } => self.nested(steps, path, "group").await,
            Control::Set { values } => {
                for (name, value) in values {
                    let value = self.resolve(value)?;
                    self.scope.keep(name, value).map_err(name_error)?;
                }
                Ok(Done::default())
            }
        }
    }

    async fn nested(
        &mut self,
        steps: &[Step],
        path: &StepPath,
        name: &str,
    ) -> Result<Done, Failed> {
        self.steps(steps, &below(path, &[name.into()])).await?;
        Ok(Done::default())
    }

    /// A sub-flow sees its own header's env and the caller's, and gives back only its `outputs`.
    async fn run_flow(
        &mut self,
        step: &Step,
        flow: &Flow,
        env: &IndexMap<String, Located<Argument>>,
        path: &StepPath,
    ) -> Result<Done, Failed> {
        let mut inner = self.scope.for_sub_flow();
        set_header(&mut inner, flow)?;
        for (name, value) in env {
            let text =
                flow::resolve_text(value, &self.scope).map_err(|error| usage(error.to_string()))?;
            inner.set_env(name, text).map_err(name_error)?;
        }
        for name in &flow.secrets {
            if let Some(value) = inner.env(name) {
                self.emitter.scrubber().add(value);
            }
        }
        let label = step
            .modifiers
            .label
            .clone()
            .unwrap_or_else(|| flow.key.file_name().unwrap_or("run").to_owned());
        self.outer.push(std::mem::replace(&mut self.scope, inner));
        self.callers.push(label);
        let result = self.steps(&flow.steps, &below(path, &["run".into()])).await;
        self.callers.pop();
        let inner = match self.outer.pop() {
            Some(outer) => std::mem::replace(&mut self.scope, outer),
            None => self.scope.clone(),
        };
        result?;
        let mut outputs = serde_json::Map::new();
        for name in &flow.outputs {
            if let Some(value) = inner.result(name) {
                self.scope.keep(name, value.clone()).map_err(name_error)?;
                outputs.insert(name.clone(), value.clone());
            }
        }
        Ok(Done {
            value: Value::Object(outputs),
            ..Done::default()
        })
    }

    async fn repeat(
        &mut self,
        times: Option<&Located<Argument>>,
        condition: Option<&Condition>,
        max: u32,
        steps: &[Step],
        path: &StepPath,
    ) -> Result<Done, Failed> {
        let rounds = match times {
            Some(times) => whole_number(&self.resolve(times)?)?,
            None => max,
        };
        let mut round = 0;
        while round < rounds {
            if let Some(condition) = condition
                && !self.holds(condition).await?
            {
                return Ok(Done::default());
            }
            round += 1;
            self.rounds.push(round);
            let result = self
                .steps(steps, &below(path, &["repeat".into(), round.into()]))
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
            _ => Ok(Done::default()),
        }
    }

    async fn retry(&mut self, times: u32, steps: &[Step], path: &StepPath) -> Result<Done, Failed> {
        let mut attempt: u32 = 1;
        loop {
            match self
                .steps(steps, &below(path, &["retry".into(), attempt.into()]))
                .await
            {
                Ok(()) => return Ok(Done::default()),
                Err(failed)
                    if attempt > times || failed.failure.kind == FailureKind::Infrastructure =>
                {
                    return Err(failed.into());
                }
                Err(_) => attempt += 1,
            }
        }
    }
}

fn below(path: &StepPath, names: &[Value]) -> StepPath {
    let mut path = path.clone();
    path.0.extend_from_slice(names);
    path
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
