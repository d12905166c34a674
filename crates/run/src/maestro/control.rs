//! Commands that hold commands, and scripts.

use std::sync::Arc;

use super::super::step_result::{FailedStep, FailedTry, StepResult};
use super::CommandResult;
use super::Interpreter;
use super::texts::{at, finite_number};
use runner_flow::maestro::{Body, Condition, EnvEntries, RawText};
use runner_flow::{Flow, Step, StepList, StepPath};
use runner_text::diagnostic::Source;
use runner_tools::{Failure, FailureKind};

/// Maestro's limit for `maxRetries`: `MAX_RETRIES_ALLOWED` of `Orchestra.kt`.
const MAX_RETRIES: u32 = 3;
/// Chosen: a `repeat` that never ends fails instead of running for ever.
const MAX_ROUNDS: u32 = 10_000;

impl Interpreter<'_, '_> {
    /// Runs `runFlow`, or returns `None` if its condition does not hold. The condition is tested in the caller's
    /// scope, without `env`.
    pub(super) async fn run_flow_command(
        &mut self,
        step: &Step,
        body: &Body,
        when: Option<&Condition>,
        env: &EnvEntries,
        path: &StepPath,
    ) -> CommandResult {
        if let Some(condition) = when
            && !self.condition(condition, true).await?
        {
            return Ok(None);
        }
        self.run_body(step, body, env, path, None).await?;
        Ok(Some(StepResult::default()))
    }

    /// Runs the commands of a body, or the flow of its file, with `env` and names in a scope of its own,
    /// which is left after a failure too. `round` is the number of the try, from 1, for `retry`; it only
    /// changes the path of the steps.
    async fn run_body(
        &mut self,
        step: &Step,
        body: &Body,
        env: &EnvEntries,
        path: &StepPath,
        round: Option<usize>,
    ) -> Result<(), FailedTry> {
        let path = match round {
            Some(round) => path.list(StepList::Retry).number(round),
            None => path.clone(),
        };
        let apps = self.state().apps.len();
        let depth = self.attempt.stack().depth();
        self.state().enter();
        let result = match self.set_names(env).await {
            Ok(()) => match body {
                Body::Commands(steps) => {
                    let list = match round {
                        Some(_) => path,
                        None => path.list(StepList::Run),
                    };
                    self.attempt
                        .steps(steps, &list)
                        .await
                        .map_err(FailedTry::from)
                }
                Body::File(flow) => {
                    let folder = runner_flow::folder_of_run(step, flow);
                    let inner = self.attempt.stack().scope().for_sub_flow();
                    self.attempt.stack().enter(inner, folder);
                    self.sub_flow(flow, &path.list(StepList::Run)).await
                }
            },
            Err(failed) => Err(failed),
        };
        self.attempt.stack().unwind(depth);
        self.state().apps.truncate(apps);
        self.state().leave();
        result
    }

    /// Runs the flow of a file with its own hooks. A header that cannot be evaluated fails before any of them. After a
    /// failure `onFlowFailure` runs, whose own failure is only a warning; `onFlowComplete` always runs. A failure of
    /// the flow takes precedence over one of `onFlowComplete`.
    async fn sub_flow(&mut self, flow: &Arc<Flow>, path: &StepPath) -> Result<(), FailedTry> {
        if let Some(header) = flow.maestro() {
            self.enter_header(header).await?;
        }
        let result = self.run_setup_and_steps(flow, path).await;
        if result.is_err() {
            let steps = path.list(StepList::OnFailure);
            if let Err(failed) = self.attempt.steps(&flow.on_failure, &steps).await {
                let message = &failed.failure.message;
                self.context
                    .reporter
                    .warn(format!("onFlowFailure failed: {message}"));
            }
        }
        let end = path.list(StepList::Teardown);
        let ended = self.attempt.steps(&flow.teardown, &end).await;
        Ok(result.and(ended)?)
    }

    /// Runs the hooks before the flow and, if they pass, its commands.
    async fn run_setup_and_steps(
        &mut self,
        flow: &Arc<Flow>,
        path: &StepPath,
    ) -> Result<(), FailedStep> {
        self.attempt
            .steps(&flow.setup, &path.list(StepList::Setup))
            .await?;
        self.attempt.steps(&flow.steps, path).await
    }

    /// Runs `repeat`: the commands up to `times` times, while the condition holds, which is checked before each round.
    /// A fraction of `times` is cut off, a negative number is 0, and a text that is no number is a failure of usage.
    /// Without any round the command counts as skipped. After 10 000 rounds it is a timeout, unless `times` is just
    /// that; the condition is not tested again. The first failure ends it.
    pub(super) async fn repeat_command(
        &mut self,
        times: Option<&RawText>,
        condition: Option<&Condition>,
        steps: &[Step],
        path: &StepPath,
    ) -> CommandResult {
        let rounds = match times {
            Some(raw) => {
                let text = self.words(raw).await?;
                finite_number(&text).ok_or_else(|| {
                    let why = format!("`times` must be a whole number, but is `{text}`");
                    at(raw, Failure::usage(why))
                })? as u32
            }
            None => u32::MAX,
        };
        let mut round = 0;
        while round < rounds.min(MAX_ROUNDS) {
            tokio::task::yield_now().await;
            if round > 0 {
                self.context.session.forget_look();
            }
            if let Some(condition) = condition
                && !self.condition(condition, round == 0).await?
            {
                break;
            }
            round += 1;
            let list = path.list(StepList::Repeat).number(round as usize);
            self.attempt.stack().begin_round(round);
            self.state().enter();
            let result = self.attempt.steps(steps, &list).await;
            self.state().leave();
            self.attempt.stack().end_round();
            result?;
        }
        if round == MAX_ROUNDS && rounds > MAX_ROUNDS {
            let message = format!("`repeat` did not end after {MAX_ROUNDS} rounds");
            return Err(Failure::new(FailureKind::Timeout, message).into());
        }
        Ok((round > 0).then(StepResult::default))
    }

    /// Runs `retry`: the commands, and after a failure again from the first, at most `max_retries` times (at most 3; 1
    /// by default and for anything that is no whole number from 0). A failed snapshot is retried too. A crash, a script
    /// that failed, a lost device and a flow that a person ended are returned at once. Returns the last try's failure.
    pub(super) async fn retry_command(
        &mut self,
        step: &Step,
        max_retries: Option<&RawText>,
        body: &Body,
        env: &EnvEntries,
        path: &StepPath,
    ) -> CommandResult {
        let retries = match max_retries {
            Some(raw) => self.words(raw).await?.trim().parse().unwrap_or(1),
            None => 1,
        };
        let retries: u32 = u32::min(retries, MAX_RETRIES);
        self.attempt.enter_try();
        let mut attempt = 1;
        loop {
            match self
                .run_body(step, body, env, path, Some(attempt as usize))
                .await
            {
                Ok(()) => return Ok(Some(StepResult::default())),
                Err(failed)
                    if attempt > retries || self.attempt.is_final(&failed.failure).await =>
                {
                    return Err(failed);
                }
                Err(_) => {
                    attempt += 1;
                    self.context.begin_another_try();
                }
            }
        }
    }

    /// Evaluates a script for its effects; its value is dropped. If it sent a request, the last look is forgotten. Its
    /// failure is at the text's place.
    pub(super) async fn eval_script(&mut self, raw: &RawText) -> Result<StepResult, FailedTry> {
        let evaluated = self.state().scope.evaluate(&raw.text).await;
        self.note_requests();
        match evaluated {
            Ok(()) => Ok(StepResult::default()),
            Err(error) => Err(at(raw, self.script_failure(error).await)),
        }
    }

    /// Runs a script file with `env` as its names, or returns `None` if its condition does not hold. Names are
    /// evaluated in the caller's scope, so they do not see each other. If it sent a request, the last look is
    /// forgotten.
    pub(super) async fn run_script_command(
        &mut self,
        script: &Source,
        env: &EnvEntries,
        when: Option<&Condition>,
    ) -> CommandResult {
        if let Some(condition) = when
            && !self.condition(condition, true).await?
        {
            return Ok(None);
        }
        let mut names = Vec::new();
        for (name, raw) in env {
            names.push((name.clone(), self.words(raw).await?));
        }
        let file = script.path.as_str();
        let scope = &mut self.state().scope;
        let done = scope.run_script(file, &script.text, names).await;
        self.note_requests();
        match done {
            Ok(()) => Ok(Some(StepResult::default())),
            Err(error) => Err(self.script_failure(error).await.into()),
        }
    }
}
