//! Commands that hold commands, and scripts.

use std::sync::Arc;

use super::super::attempt::Attempt;
use super::super::soft_failures::GoesOn;
use super::super::step_result::{FailedStep, FailedTry, StepResult};
use super::Done;
use super::texts::at;
use runner_flow::maestro::{Body, Condition, EnvEntries, RawText};
use runner_flow::{Flow, Step, StepList, StepPath};
use runner_text::diagnostic::Source;
use runner_tools::{Failure, FailureKind};

/// Most further tries of `retry`.
const MOST_RETRIES: u32 = 3;
/// Most rounds of `repeat`.
const MOST_ROUNDS: u32 = 10_000;

impl Attempt<'_> {
    pub(super) async fn run_flow_command(
        &mut self,
        step: &Step,
        body: &Body,
        when: Option<&Condition>,
        env: &EnvEntries,
        path: &StepPath,
    ) -> Done {
        if let Some(condition) = when
            && !self.condition(condition).await?
        {
            return Ok(None);
        }
        self.run_body(step, body, env, path, None).await?;
        Ok(Some(StepResult::default()))
    }

    /// The commands of a body, in names of their own. `round` is which try of `retry` it is.
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
        let apps = self.maestro_state().apps.len();
        let depth = self.stack.depth();
        self.maestro_state().enter();
        let result = match self.set_names(env).await {
            Ok(()) => match body {
                Body::Commands(steps) => {
                    let list = match round {
                        Some(_) => path,
                        None => path.list(StepList::Run),
                    };
                    self.steps(steps, &list).await.map_err(FailedTry::from)
                }
                Body::File(flow) => {
                    let folder = runner_flow::folder_of_run(step, flow);
                    let inner = self.stack.scope.for_sub_flow();
                    self.stack.enter(inner, folder);
                    self.sub_flow(flow, &path.list(StepList::Run)).await
                }
            },
            Err(failed) => Err(failed),
        };
        self.stack.unwind(depth);
        self.maestro_state().apps.truncate(apps);
        self.maestro_state().leave();
        result
    }

    /// The flow of a file, between its own hooks. What fails the flow counts more than what fails its end.
    async fn sub_flow(&mut self, flow: &Arc<Flow>, path: &StepPath) -> Result<(), FailedTry> {
        if let Some(header) = flow.maestro() {
            self.enter_header(header).await?;
        }
        let result = self.started(flow, path).await;
        if result.is_err() {
            let steps = path.list(StepList::OnFailure);
            if let Err(failed) = self.steps(&flow.on_failure, &steps).await {
                let message = &failed.failure.message;
                self.context
                    .warn(format!("onFlowFailure failed: {message}"));
            }
        }
        let end = path.list(StepList::Teardown);
        let ended = self.steps(&flow.teardown, &end).await;
        Ok(result.and(ended)?)
    }

    async fn started(&mut self, flow: &Arc<Flow>, path: &StepPath) -> Result<(), FailedStep> {
        self.steps(&flow.setup, &path.list(StepList::Setup)).await?;
        self.steps(&flow.steps, path).await
    }

    /// As often as `times` says and as long as the condition holds.
    pub(super) async fn repeat_command(
        &mut self,
        times: Option<&RawText>,
        condition: Option<&Condition>,
        steps: &[Step],
        path: &StepPath,
    ) -> Done {
        let rounds = match times {
            Some(raw) => {
                let text = self.words(raw).await?;
                let number = text.trim().parse::<f64>().ok();
                number.filter(|number| number.is_finite()).ok_or_else(|| {
                    let why = format!("`times` must be a whole number, but is `{text}`");
                    at(raw, Failure::usage(why))
                })? as u32
            }
            None => MOST_ROUNDS,
        };
        let mut round = 0;
        while round < rounds.min(MOST_ROUNDS) {
            tokio::task::yield_now().await;
            if round > 0 {
                self.look_anew();
            }
            if let Some(condition) = condition
                && !self.condition(condition).await?
            {
                break;
            }
            round += 1;
            let list = path.list(StepList::Repeat).number(round as usize);
            self.stack.begin_round(round);
            self.maestro_state().enter();
            let result = self.steps(steps, &list).await;
            self.maestro_state().leave();
            self.stack.end_round();
            result?;
        }
        if round == MOST_ROUNDS && rounds >= MOST_ROUNDS {
            let message = format!("`repeat` did not end after {MOST_ROUNDS} rounds");
            return Err(Failure::new(FailureKind::Timeout, message).into());
        }
        Ok((round > 0).then(StepResult::default))
    }

    /// The commands again from the first, where one failed.
    pub(super) async fn retry_command(
        &mut self,
        step: &Step,
        max_retries: Option<&RawText>,
        body: &Body,
        env: &EnvEntries,
        path: &StepPath,
    ) -> Done {
        let retries = match max_retries {
            Some(raw) => self.words(raw).await?.trim().parse().unwrap_or(1),
            None => 1,
        };
        let retries: u32 = u32::min(retries, MOST_RETRIES);
        // What a snapshot fails with is what is tried again.
        self.soft_failures.goes_on = GoesOn::NEVER;
        self.debug_state.tries += 1;
        let mut attempt = 1;
        loop {
            match self
                .run_body(step, body, env, path, Some(attempt as usize))
                .await
            {
                Ok(()) => return Ok(Some(StepResult::default())),
                Err(failed) if attempt > retries || self.is_final(&failed.failure).await => {
                    return Err(failed);
                }
                Err(_) => {
                    attempt += 1;
                    self.look_anew();
                }
            }
        }
    }

    pub(super) async fn eval_script(&mut self, raw: &RawText) -> Result<StepResult, FailedTry> {
        let evaluated = self.maestro_state().scope.evaluate(&raw.text).await;
        self.note_requests();
        match evaluated {
            Ok(()) => Ok(StepResult::default()),
            Err(error) => Err(at(raw, self.script_failure(error).await)),
        }
    }

    pub(super) async fn run_script_command(
        &mut self,
        script: &Source,
        env: &EnvEntries,
        when: Option<&Condition>,
    ) -> Done {
        if let Some(condition) = when
            && !self.condition(condition).await?
        {
            return Ok(None);
        }
        let mut names = Vec::new();
        for (name, raw) in env {
            names.push((name.clone(), self.words(raw).await?));
        }
        let file = script.path.as_str();
        let scope = &mut self.maestro_state().scope;
        let done = scope.run_script(file, &script.text, names).await;
        self.note_requests();
        match done {
            Ok(()) => Ok(Some(StepResult::default())),
            Err(error) => Err(self.script_failure(error).await.into()),
        }
    }
}
