//! Runs the action of a step once: a tool, an assertion, a snapshot, a control step or a command of Maestro.

use serde_json::Value;

use super::Attempt;
use crate::evaluate::block_in_place;
use crate::final_arguments;
use crate::front_app::command_effect;
use crate::maestro::{Interpreter, MaestroReader};
use crate::step_result::{FailedTry, StepResult};
use runner_flow::{Argument, Assert, SnapshotStep, Spanned, Step, StepAction, StepPath};
use runner_screen::Selector;
use runner_tools::{CountCondition, Entry, Failure, FlowReader, Outcome, Reader, Verdict};

/// Returns the language in which failures of a step advise its author: Maestro's or ours.
pub(super) fn reader(step: &Step) -> &'static dyn Reader {
    match &step.action {
        StepAction::Maestro(_) => &MaestroReader,
        _ => &FlowReader,
    }
}

/// Converts the outcome of an assertion: value and bounds if it passed, else its failure.
fn assertion_result(outcome: Outcome) -> Result<StepResult, FailedTry> {
    match outcome.verdict {
        Verdict::Passed => Ok(StepResult {
            value: outcome.value,
            bounds: outcome.bounds,
            ..StepResult::default()
        }),
        Verdict::Failed(failure) => Err(failure.into()),
    }
}

impl Attempt<'_> {
    /// Runs the step's action once, reports its dialogs, and checks for a crash of the app, which replaces its
    /// result, also a success. A snapshot is not taken if the app has crashed before it. A device that is gone is not
    /// asked.
    pub(super) async fn run_watched(
        &mut self,
        step: &Step,
        path: &StepPath,
    ) -> Result<Option<StepResult>, FailedTry> {
        let is_snapshot = matches!(step.action, StepAction::Snapshot(_));
        if is_snapshot && let Some(failure) = self.crashes.crash_by_now(self.context).await {
            // Before the snapshot is taken: nobody should accept the screen after a crash as a golden.
            return Err(failure.into());
        }
        let result = self.act(step, path).await;
        let result = result.map_err(|failed| self.front.explain(failed, self.context));
        // Before others add to the failure, or replace it by that of a crash.
        let result = result.map_err(|failed| failed.advise(reader(step)));
        let result = self.context.report_dialogs(path, result);
        // Nothing is asked of a device that is gone.
        if self.health.is_gone() {
            return result;
        }
        self.crashes.check(self.context, (step, path), result).await
    }

    /// Runs the step's action once. Returns `None` if a condition of the action does not hold, which only control
    /// steps and Maestro's commands have. A secret that is typed is masked; if typing it fails, the field with the
    /// focus is hidden in pictures. An app that is launched is watched for crashes from before its launch.
    async fn act(&mut self, step: &Step, path: &StepPath) -> Result<Option<StepResult>, FailedTry> {
        let done = match &step.action {
            StepAction::Call { entry, arguments } => {
                let arguments = self.arguments(step, entry, arguments).await?;
                let text = arguments.get("text").and_then(Value::as_str);
                let secret = text.filter(|text| self.context.types_secret(step, text));
                let is_secret = secret.is_some();
                if let Some(secret) = secret {
                    self.context.typed_secrets.add(secret);
                }
                if entry.name == "shell" {
                    self.context.typed_secrets.note_words(&arguments);
                }
                if entry.name == "launch"
                    && let Some(app) = arguments.get("app").and_then(Value::as_str)
                {
                    self.crashes.watch_launched(self.context, app).await;
                }
                let effect = entry.front_effect(&arguments);
                let locale = arguments.get("locale").and_then(Value::as_str);
                let locale = locale.filter(|_| entry.name == "set_device");
                let locale = locale.map(ToOwned::to_owned);
                let before = self.context.session.last_screen();
                let done = self.context.run_tool(step, entry, arguments).await;
                if done.is_ok() {
                    self.front.note(effect, before);
                    self.context.forget_dialogs(effect);
                    if let Some(locale) = locale {
                        self.stack.update_locale(&locale);
                    }
                }
                if is_secret && done.is_err() {
                    self.context.hide_focused_field();
                }
                done
            }
            StepAction::Snapshot(snapshot) => self.snapshot(step, snapshot, path).await,
            StepAction::Assert(assert) => self.assert(step, assert).await,
            StepAction::Control(control) => return self.control(step, control, path).await,
            StepAction::Maestro(command) => {
                let before = self.context.session.last_screen();
                let done = Interpreter::new(self).run(step, command, path).await;
                if matches!(done, Ok(Some(_))) {
                    let effect = command_effect(command);
                    self.front.note(effect, before);
                    self.context.forget_dialogs(effect);
                }
                return done;
            }
        };
        done.map(Some)
    }

    /// Evaluates the arguments of a tool, and checks them if they have expressions; plain ones were checked when the
    /// flow was read. A wrong value is a failure of usage. The text of a step with `secret` is masked from now on.
    async fn arguments(
        &self,
        step: &Step,
        entry: &Entry,
        written: &Spanned<Argument>,
    ) -> Result<Value, FailedTry> {
        let arguments = self.stack.resolve(written).await?;
        // Before the first request, as its error may repeat the text.
        if step.modifiers.secret
            && let Some(text) = arguments.get("text").and_then(Value::as_str)
        {
            self.context.reporter.scrubber().add(text);
        }
        if !runner_flow::has_expressions(&written.value) {
            // Plain arguments were checked when the flow was read.
            return Ok(arguments);
        }
        let scrubber = self.context.reporter.scrubber();
        Ok(final_arguments::checked(entry, &arguments, scrubber)?)
    }

    /// Checks an assertion. Elements and counts are waited for within the step's limit, and give value and bounds; an
    /// expression is evaluated once and gives none. A failed expression tells the values of its parts. A selector,
    /// number or expression that cannot be evaluated is a failure of usage, or of the device if it did not report a
    /// value that it uses.
    async fn assert(&self, step: &Step, assert: &Assert) -> Result<StepResult, FailedTry> {
        match assert {
            Assert::Element(selector) => {
                let selector: Selector = self.stack.selector(selector).await?;
                self.context.session.begin_step(self.context.timeout(step));
                let outcome = runner_tools::expect_element(
                    self.context.session,
                    &selector,
                    self.context.timeout(step),
                )
                .await?;
                assertion_result(outcome)
            }
            Assert::Count { selector, count } => {
                let selector: Selector = self.stack.selector(selector).await?;
                let count = self.stack.resolve(count).await?;
                let count = CountCondition::try_from(count)
                    .map_err(|error| Failure::usage(error.to_string()))?;
                let limit = self.context.timeout(step);
                self.context.session.begin_step(limit);
                let outcome =
                    runner_tools::expect_count(self.context.session, &selector, count, limit)
                        .await?;
                assertion_result(outcome)
            }
            Assert::That(expression) => {
                if self.stack.condition(expression).await? {
                    return Ok(StepResult::default());
                }
                let mut failure =
                    Failure::assertion(format!("`{}` does not hold", expression.value));
                failure.expected = Some("true".into());
                failure.actual = Some("false".into());
                let details =
                    block_in_place(|| runner_flow::explain(&expression.value, self.stack.scope()));
                Err(failure.with_details(details).into())
            }
        }
    }

    /// Takes a snapshot and compares it with its golden in the names and goldens' folders of the current flow. A
    /// difference and a missing golden are failures unless the run accepts them. Notes for the evidence whether the
    /// screen was stored.
    pub(crate) async fn snapshot(
        &mut self,
        step: &Step,
        snapshot: &SnapshotStep,
        path: &StepPath,
    ) -> Result<StepResult, FailedTry> {
        self.context
            .snapshot(&self.stack, &mut self.failures, step, snapshot, path)
            .await
    }
}
