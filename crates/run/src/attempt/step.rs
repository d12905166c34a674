//! Runs one step: its modifiers, its tries, its events.

use std::pin::Pin;
use std::time::Instant;

use serde_json::Value;

use super::Attempt;
use super::action::reader;
use super::debugger_steps::NextPosition;
use crate::debugger::steps_at;
use crate::evaluate::block_in_place;
use crate::evidence::{Evidence, EvidenceLimits};
use crate::maestro::Interpreter;
use crate::soft_failures::{ContinuePolicy, GroupOutcome};
use crate::step_result::{FailedStep, FailedTry, StepResult};
use runner_device::Cost;
use runner_event::{EventKind, SourceLocation, StepStatus};
use runner_flow::{Assert, Step, StepAction, StepPath};
use runner_tools::{Failure, FailureKind, StepSyntax, WaitTime, Words};

/// Boxed future of a list of steps: steps hold steps, so that the future would contain itself.
type Steps<'a> = Pin<Box<dyn Future<Output = Result<(), FailedStep>> + Send + 'a>>;

/// Returns true if a Maestro command's selector is `optional`; false for steps of ours. The step's own `optional`
/// does not count.
fn is_optional(step: &Step) -> bool {
    match &step.action {
        StepAction::Maestro(command) => command.is_optional(),
        _ => false,
    }
}

impl Attempt<'_> {
    /// Runs steps in order until one fails, and returns that failure. Failures that are collected (soft, or of
    /// snapshots) and those of optional steps do not end it. `prefix` is the path of the list; an empty list passes.
    /// If a person edited the flow during a pause, goes on in the edited list at the same number.
    pub(crate) fn steps<'s>(&'s mut self, steps: &'s [Step], prefix: &'s StepPath) -> Steps<'s> {
        Box::pin(async move {
            let mut index = 0;
            loop {
                // An edit during a pause may have replaced this list.
                let edited = self.debug.edited();
                let edited = edited.as_deref().and_then(|flow| steps_at(flow, prefix));
                let Some(step) = edited.unwrap_or(steps).get(index) else {
                    self.debug.end_list();
                    return Ok(());
                };
                // Otherwise steps that never wait would keep a limit or Ctrl-C from having an effect.
                tokio::task::yield_now().await;
                if self.run_debugged(step, prefix.number(index)).await? == NextPosition::Step {
                    index += 1;
                }
            }
        })
    }

    /// Runs one step with its modifiers and reports its beginning and end. Returns a failure only if it ends the
    /// list: an optional step's failure is a warning unless [`Self::is_final`] says otherwise, and a collected one is
    /// noted so that later steps run. A soft failure takes a picture, and a selector that matches nothing leaves
    /// evidence for its repair, which a pass removes. If the step passed or only warns, and may have changed the flow's
    /// app, the app's version is read again. Does not ask the debugger.
    pub(super) async fn step(&mut self, step: &Step, path: StepPath) -> Result<(), FailedStep> {
        let at = SourceLocation::from_offset(&step.source, step.span.start);
        let title = match step.modifiers.label.clone() {
            Some(label) => Interpreter::new(self).label(label).await,
            None => self.title(step),
        };
        self.step_starts(step, &path, &title, &at);
        let trace = self.context.trace.clone();
        let outer = trace.as_ref().and_then(|trace| trace.step_begins());
        let recorder = self.context.recorder.clone();
        if let Some(recorder) = &recorder {
            recorder.step_begins(&path, &step.title, &at);
        }
        let began = Instant::now();
        let cost_before = self.step_cost();
        let (before, tries) = (self.failures.begin_step(), self.debug.tries());
        if step.modifiers.optional || step.modifiers.retry > 0 || is_optional(step) {
            self.enter_try();
        }
        let result = self.run_timed(step, &path).await;
        self.debug.leave_tries(tries);
        let GroupOutcome { result, is_noted } = self.failures.end_step(&before, result);
        let result = self.apply_message(step, result).await;
        let cost = self.step_cost() - cost_before;
        let optional = step.modifiers.optional || is_optional(step);
        let recorded = recorder.map(|recorder| {
            let done = result.as_ref().ok().and_then(Option::as_ref);
            (recorder, done.map(|done| done.value.clone()))
        });
        let (status, mut failure, mut artifacts, bounds, inner_at) = match result {
            Ok(Some(done)) => (StepStatus::Passed, None, done.artifacts, done.bounds, None),
            Ok(None) => (StepStatus::Skipped, None, Vec::new(), None, None),
            Err(failed) => {
                // A lost device is never just a warning.
                let status = if optional && !self.is_final(&failed.failure).await {
                    StepStatus::Warned
                } else {
                    StepStatus::Failed
                };
                (
                    status,
                    Some(failed.failure),
                    failed.artifacts,
                    None,
                    failed.at,
                )
            }
        };
        self.note_skipped(status, &title, failure.as_ref());
        let own_failure = failure.as_mut().filter(|_| inner_at.is_none());
        artifacts.extend(self.context.mend(step, status, own_failure));
        let continue_policy = match &failure {
            Some(_) if self.debug.gives_up() => status != StepStatus::Failed,
            Some(failure) if status == StepStatus::Failed => {
                is_noted || self.failures.goes_on_after(failure, step.modifiers.soft)
            }
            _ => true,
        };
        let soft = step.modifiers.soft && status == StepStatus::Failed && continue_policy;
        if soft {
            let name = format!("soft-{}", self.failures.len() + 1);
            let evidence = Evidence::new(self.context, EvidenceLimits::USUAL);
            artifacts.extend(evidence.picture(&name).await);
        }
        if let Some(trace) = &trace {
            trace.step_ends(outer).await;
        }
        if let Some((recorder, value)) = recorded {
            recorder.step_ends(&path, status, value.unwrap_or_default());
        }
        self.context.reporter.emit(|id| EventKind::StepFinished {
            id,
            step: path,
            title,
            at: at.clone(),
            status,
            duration_ms: began.elapsed().as_millis() as u64,
            cost,
            failure: failure.clone(),
            artifacts,
            bounds,
            soft,
        });
        if matches!(status, StepStatus::Passed | StepStatus::Warned) {
            self.context.learn_version_after(step).await;
        }
        let failed = failure.filter(|_| status == StepStatus::Failed);
        let Some(failure) = failed else {
            return Ok(());
        };
        let at = inner_at.unwrap_or(at);
        let failed = FailedStep { failure, at };
        if !continue_policy {
            return Err(failed);
        }
        if !is_noted {
            self.failures.note(failed);
        }
        Ok(())
    }

    /// Notes that a step begins, takes the size of the display from the last look, and reports the beginning. A step
    /// with a `timeout` of its own that waits for a change forgets the last look, as an old one does not count. Asks
    /// nothing of the device.
    fn step_starts(&mut self, step: &Step, path: &StepPath, title: &str, at: &SourceLocation) {
        if let Some(screen) = self.context.session.last_screen() {
            self.stack.update_display(screen.display());
        }
        if step.modifiers.timeout.is_some() && step.action.waits_for_change() {
            // The step waits for a change, so an old look does not count.
            self.context.session.forget_look();
        }
        self.progress.begin_step(at.clone());
        self.context.reporter.emit(|id| EventKind::StepStarted {
            id,
            step: path.clone(),
            title: title.to_owned(),
            at: at.clone(),
        });
    }

    /// Replaces the message of a failure with the step's `message`. Faults of the device and crashes keep their own.
    /// If `message` cannot be evaluated, the failure keeps its own too, and a detail says so. Successes are left alone.
    async fn apply_message(
        &mut self,
        step: &Step,
        result: Result<Option<StepResult>, FailedTry>,
    ) -> Result<Option<StepResult>, FailedTry> {
        let Some(message) = &step.modifiers.message else {
            return result;
        };
        let mut failed = match result {
            Err(failed) => failed,
            done => return done,
        };
        let kind = failed.failure.kind;
        if kind == FailureKind::Infrastructure || kind.is_crash() {
            return Err(failed);
        }
        // A display that is not known hides no failure.
        let _ = self.learn_display(step).await;
        failed.failure = match self.stack.resolve(message).await {
            Ok(Value::String(text)) => failed.failure.with_message(text),
            Ok(value) => failed.failure.with_message(value.to_string()),
            Err(error) => {
                let why = Words::format("its `message` cannot be told: {}", &[&error.message]);
                failed.failure.with_details([why])
            }
        };
        Err(failed)
    }

    /// Enters steps that are retried or may fail, until the current step ends: inside them the first failure ends the
    /// try, also a soft one or that of a snapshot, and the debugger does not ask after failures.
    pub(crate) fn enter_try(&mut self) {
        self.failures.set_policy(ContinuePolicy::NEVER);
        self.debug.enter_try();
    }

    /// Returns the cost of all steps so far. Requests of the crash watch count for the flow, not for a step.
    fn step_cost(&self) -> Cost {
        let mut cost = self.context.session.device().counters().read();
        cost.round_trips = cost.round_trips.saturating_sub(self.crashes.round_trips());
        cost
    }

    /// Returns the title for reports, for a step without a label. Steps that find an element show the evaluated
    /// selector, masked and cut, if it can be evaluated; values of others, and of Maestro's commands, stay
    /// expressions, as they may be private.
    pub(super) fn title(&self, step: &Step) -> String {
        let finds = match &step.action {
            StepAction::Call { entry, .. } => entry.writing == StepSyntax::Element,
            StepAction::Assert(assert) => !matches!(**assert, Assert::That(_)),
            _ => false,
        };
        let resolved = finds
            .then(|| {
                block_in_place(|| runner_flow::title::resolved(&step.title, self.stack.scope()))
            })
            .flatten();
        match resolved {
            // Masked before it is cut, as the mask only knows whole secrets.
            Some(title) => runner_flow::title::cut(
                self.context
                    .reporter
                    .scrubber()
                    .scrub_outside(&title)
                    .into_owned(),
            ),
            None => step.title.clone(),
        }
    }

    /// Runs a step like [`Self::run_guarded`]. To its failure it adds the time that the step waited, and advice for
    /// its author.
    async fn run_timed(
        &mut self,
        step: &Step,
        path: &StepPath,
    ) -> Result<Option<StepResult>, FailedTry> {
        // Resets the time that earlier steps waited.
        WaitTime::take(self.context.session);
        let result = self.run_guarded(step, path).await;
        // A condition of the step may have failed too.
        let result = result.map_err(|failed| failed.advise(reader(step)));
        result.map_err(|failed| failed.with_wait(self.context.session))
    }

    /// Runs a step if its `when` holds, with as many further tries as `retry` allows, and keeps its value under the
    /// name that it gives (`as`). `when` is checked once, before the first try; its failure is the step's. Returns
    /// `None` if it, or a condition of the action, does not hold; nothing is kept then. Failures that another try
    /// cannot change are returned at once, else the last one. Each further try looks anew, without a pause before it.
    async fn run_guarded(
        &mut self,
        step: &Step,
        path: &StepPath,
    ) -> Result<Option<StepResult>, FailedTry> {
        self.learn_display(step).await?;
        if let Some(condition) = &step.modifiers.when {
            match self.decides(condition, step).await {
                Ok(true) => {}
                Ok(false) => {
                    self.context.emit_dialogs(path);
                    return Ok(None);
                }
                Err(failure) => return self.context.report_dialogs(path, Err(failure.into())),
            }
        }
        let mut tries_left = step.modifiers.retry;
        loop {
            match self.run_watched(step, path).await {
                Ok(None) => return Ok(None),
                Ok(Some(done)) => {
                    if let Some(name) = &step.modifiers.keep_as {
                        self.stack.keep(name, done.value.clone())?;
                    }
                    return Ok(Some(done));
                }
                Err(failed) if tries_left == 0 || self.is_final(&failed.failure).await => {
                    return Err(failed);
                }
                Err(_) => {
                    tries_left -= 1;
                    self.context.begin_another_try();
                    self.learn_display(step).await?;
                }
            }
        }
    }

    /// Returns true if a failure forbids further tries: a person ended the flow, the app crashed, a script threw, or
    /// the device is gone. A failure of the infrastructure asks the device, and notes if it is gone.
    pub(crate) async fn is_final(&mut self, failure: &Failure) -> bool {
        self.debug.gives_up()
            || failure.kind.is_crash()
            || failure.is_of_script
            || failure.kind == FailureKind::Infrastructure && self.health.ask(self.context).await
    }
}
