//! Runs one step: its modifiers, its call, its events.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use serde_json::Value;

use super::app_versions;
use super::attempt::Attempt;
use super::context::AttemptContext;
use super::crash_watch::{CrashLook, CrashWatch};
use super::debugger::{Next, steps_at};
use super::evaluate::{block_in_place, name_error};
use super::liveness::{ANSWER_LIMIT, silence};
use super::maestro::{Interpreter, MaestroReader};
use super::recorder::CallBegin;
use super::soft_failures::{ContinuePolicy, GroupOutcome};
use super::step_result::{FailedStep, FailedTry, StepResult};
use runner_device::{Cost, in_time_by};
use runner_engine::{EngineError, MIN_REQUEST_LIMIT};
use runner_event::{Artifact, EventKind, SourceLocation, StepStatus};
use runner_flow::{Argument, Assert, Condition, OnScreen, Spanned, Step, StepAction, StepPath};
use runner_screen::Selector;
use runner_text::units::HumanDuration;
use runner_tools::{
    self, CountCondition, Effect, Entry, Failure, FailureKind, FlowReader, Outcome, Reader,
    StepSyntax, Verdict, WaitTime, Words,
};

/// Chosen: time for a tool to end by itself, with a better message, after its step's `timeout`.
const GRACE: Duration = Duration::from_secs(1);

/// Boxed future of a list of steps: steps hold steps, so that the future would contain itself.
pub(super) type Steps<'a> = Pin<Box<dyn Future<Output = Result<(), FailedStep>> + Send + 'a>>;

/// Lowers the tool's `timeout` argument, in milliseconds, to the step's `timeout`, but not below 1. Arguments
/// without a `timeout` that is a whole number, and a lower one, stay.
fn limited(step: &Step, mut arguments: Value) -> Value {
    if let (Some(limit), Some(own)) = (step.modifiers.timeout, arguments.get_mut("timeout"))
        && let Some(given) = own.as_u64()
    {
        let limit = u64::try_from(limit.0.as_millis()).unwrap_or(u64::MAX);
        *own = given.min(limit.max(1)).into();
    }
    arguments
}

impl AttemptContext<'_> {
    /// Reads the app's version again if the step may have changed it. Does nothing for a flow without an app.
    async fn learn_version_after(&self, step: &Step) {
        if let Some(app) = &self.flow.app
            && app_versions::may_change(step)
        {
            let device = self.session.device();
            self.app_versions.refresh_version(device, app).await;
        }
    }

    async fn run_tool(
        &self,
        step: &Step,
        entry: &Entry,
        arguments: Value,
    ) -> Result<StepResult, FailedTry> {
        let arguments = limited(step, arguments);
        let own_limit = arguments.get("timeout").and_then(Value::as_u64);
        self.session
            .begin_step(own_limit.map_or(self.timeout(step), Duration::from_millis));
        let call = self.call(step);
        let arguments = entry.arguments(arguments)?;
        let calling = entry.call(self.session, arguments, &call);
        let calling = async {
            if step.action.is_assertion() {
                self.session.reading(calling).await
            } else {
                self.run_traced(entry, calling).await
            }
        };
        let clock = self.session.clock();
        let outcome = match step.modifiers.timeout {
            // The grace lets a tool end by itself: its error says more about what it waited for.
            Some(limit) => clock
                .timeout(limit.0.max(MIN_REQUEST_LIMIT) + GRACE, calling)
                .await
                .map_err(|_| self.timeout_failure(limit))?,
            None => self.call_unless_silent(self.timeout(step), calling).await?,
        }?;
        if let Some(text) = &outcome.hidden {
            self.emitter.scrubber().add_typed(text);
        }
        // The text is the result of a tool without another one.
        let text = outcome.words();
        for note in outcome.notes {
            let note = format!("{}: {note}", entry.name);
            self.emitter.info(Some(&self.id), note);
        }
        let artifacts = self.register_artifact(outcome.file.as_deref())?;
        let value = match outcome.value {
            Value::Null => String::from(text).into(),
            value => value,
        };
        match outcome.verdict {
            Verdict::Passed => Ok(StepResult {
                value,
                artifacts,
                bounds: outcome.bounds,
            }),
            Verdict::Failed(failure) => Err(FailedTry {
                failure,
                artifacts,
                at: None,
            }),
        }
    }

    /// Returns true if the step's text is a secret or contains one.
    fn types_secret(&self, step: &Step, text: &str) -> bool {
        step.modifiers.secret || self.emitter.scrubber().scrub(text) != text
    }

    /// Masks the text of the focused field: a secret that was typed in part is not known to the mask.
    pub(super) fn hide_focused_field(&self) {
        let screen = self.session.last_screen();
        if let Some(text) = screen.as_deref().and_then(runner_engine::focused_text) {
            self.emitter.scrubber().add(text);
        }
    }

    /// Waits for a tool, which may take longer than the step's `limit` (at least 3 s), such as an
    /// installation. When the limit is up it fails if the device cannot be reached; otherwise it waits on
    /// without a limit.
    async fn call_unless_silent<T>(
        &self,
        limit: Duration,
        calling: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let mut calling = std::pin::pin!(calling);
        let silence = std::pin::pin!(silence(self.session.device()));
        let clock = self.session.clock();
        let sleep = |limit| clock.sleep(limit);
        let ended = in_time_by(
            sleep,
            limit.max(MIN_REQUEST_LIMIT),
            ANSWER_LIMIT,
            calling.as_mut(),
            silence,
        );
        match ended.await {
            Ok(outcome) => Ok(outcome),
            // A server that is busy with this call does not answer another.
            Err(Some(error)) if error.is_unreachable() => Err(EngineError::from(error).into()),
            Err(_) => Ok(calling.await),
        }
    }

    /// Calls a tool, and records it in the trace and the recording if it may have changed the device. A tool
    /// that only reads is just called. Failed calls are recorded too.
    async fn run_traced<T>(&self, entry: &Entry, calling: impl Future<Output = T>) -> T {
        if entry.effect == Effect::Reads {
            return calling.await;
        }
        let recorded = self.call_begins();
        let traced = match &self.trace {
            Some(trace) => Some((trace, trace.call_begins(self.session).await)),
            None => None,
        };
        let outcome = calling.await;
        if let Some((trace, begin)) = traced {
            trace.call_ends(self.session, &begin);
        }
        self.call_ends(recorded.as_ref());
        outcome
    }

    /// Notes the state before a call that may change the device by commands, for the recording.
    pub(super) fn call_begins(&self) -> Option<CallBegin> {
        let recorder = self.recorder.as_ref();
        recorder.map(|recorder| recorder.call_begins(self.session))
    }

    /// Ends what [`Self::call_begins`] began.
    pub(super) fn call_ends(&self, begin: Option<&CallBegin>) {
        if let Some((recorder, begin)) = self.recorder.as_ref().zip(begin) {
            recorder.call_ends(self.session, begin);
        }
    }

    /// Registers the file that a tool wrote into the attempt's folder. A file elsewhere is one that the flow
    /// named, and no artifact: the result is empty. A file whose name holds a secret is removed, which is a
    /// failure.
    fn register_artifact(&self, file: Option<&Utf8Path>) -> Result<Vec<Artifact>, Failure> {
        let Some(path) = file.filter(|path| path.starts_with(self.folder.path())) else {
            return Ok(Vec::new());
        };
        if self.folder.names_secret(path) {
            let _ = fs_err::remove_file(path);
            return Err(Failure::usage(
                "the name of the file holds a secret; give the file another name",
            ));
        }
        match self.folder.register_artifact(path) {
            Ok(artifact) => Ok(vec![artifact]),
            Err(error) => Err(Failure::new(
                FailureKind::Usage,
                format!("{path} could not be kept: {error}"),
            )),
        }
    }

    /// Returns the failure of a step whose own `timeout` ran out.
    pub(super) fn timeout_failure(&self, limit: HumanDuration) -> Failure {
        self.limit_failure(format!("the step took longer than its timeout of {limit}"))
    }
}

/// Returns the language in which a step is written, and its author is advised.
fn reader(step: &Step) -> &'static dyn Reader {
    match &step.action {
        StepAction::Maestro(_) => &MaestroReader,
        _ => &FlowReader,
    }
}

/// Returns true if a Maestro command's selector is `optional`.
fn is_optional(step: &Step) -> bool {
    match &step.action {
        StepAction::Maestro(command) => command.is_optional(),
        _ => false,
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
    /// Runs steps in order until one fails, and returns that failure. Failures that are collected do not end
    /// it. `prefix` is the path of the list. If a person edited the flow during a pause, goes on in the
    /// edited list.
    pub(super) fn steps<'s>(&'s mut self, steps: &'s [Step], prefix: &'s StepPath) -> Steps<'s> {
        Box::pin(async move {
            let mut index = 0;
            loop {
                // An edit during a pause may have replaced this list.
                let edited = self.debug_state.edited.clone();
                let edited = edited.as_deref().and_then(|flow| steps_at(flow, prefix));
                let Some(step) = edited.unwrap_or(steps).get(index) else {
                    self.end_list();
                    return Ok(());
                };
                // Otherwise steps that never wait would keep a limit or Ctrl-C from having an effect.
                tokio::task::yield_now().await;
                if self.run_debugged(step, prefix.number(index)).await? == Next::Step {
                    index += 1;
                }
            }
        })
    }

    pub(super) async fn step(&mut self, step: &Step, path: StepPath) -> Result<(), FailedStep> {
        let at = SourceLocation::from_offset(&step.source, step.span.start);
        let title = match step.modifiers.label.clone() {
            Some(label) => Interpreter::new(self).label(label).await,
            None => self.title(step),
        };
        self.update_display();
        self.step_starts(step, &path, &title, &at);
        let trace = self.context.trace.clone();
        let outer = trace.as_ref().and_then(|trace| trace.step_begins());
        let recorder = self.context.recorder.clone();
        if let Some(recorder) = &recorder {
            recorder.step_begins(&path, &step.title, &at);
        }
        let began = Instant::now();
        let cost_before = self.step_cost();
        let (continue_policy, differed) =
            (self.soft_failures.continue_policy, self.soft_failures.len());
        let tries = self.begin_tries(step);
        let result = self.run_timed(step, &path).await;
        self.debug_state.tries = tries;
        self.soft_failures.continue_policy = continue_policy;
        let GroupOutcome { result, is_noted } = self.soft_failures.fail_around(result, differed);
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
        let own_failure = failure.as_mut().filter(|_| inner_at.is_none());
        artifacts.extend(self.context.mend(step, status, own_failure));
        let continue_policy = match &failure {
            Some(_) if self.debug_state.gives_up => status != StepStatus::Failed,
            Some(failure) if status == StepStatus::Failed => {
                let rule = &self.soft_failures.continue_policy;
                is_noted || rule.after(failure, step.modifiers.soft)
            }
            _ => true,
        };
        let soft = step.modifiers.soft && status == StepStatus::Failed && continue_policy;
        if soft {
            let name = format!("soft-{}", self.soft_failures.len() + 1);
            artifacts.extend(self.context.picture(&name).await);
        }
        if let Some(trace) = &trace {
            trace.step_ends(outer).await;
        }
        if let Some((recorder, value)) = recorded {
            recorder.step_ends(status, value.unwrap_or_default());
        }
        self.context.emitter.emit(EventKind::StepFinished {
            id: self.context.id.clone(),
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
            self.soft_failures.note(failed);
        }
        Ok(())
    }

    /// Notes that a step begins, and reports it. A step with a `timeout` of its own that waits for a change
    /// forgets the last look, as an old one does not count.
    fn step_starts(&mut self, step: &Step, path: &StepPath, title: &str, at: &SourceLocation) {
        self.progress.screen_stored = false;
        if step.modifiers.timeout.is_some() && step.action.waits_for_change() {
            // The step waits for a change, so an old look does not count.
            self.context.session.forget_look();
        }
        self.progress.begun = Some(at.clone());
        self.context.emitter.emit(EventKind::StepStarted {
            id: self.context.id.clone(),
            step: path.clone(),
            title: title.to_owned(),
            at: at.clone(),
        });
    }

    /// Replaces the message of a failure with the one in the flow's `message`. Faults of the device and
    /// crashes keep their own. If it cannot be evaluated, the failure keeps its message, and a detail says
    /// so. Successes are left alone.
    async fn apply_message(
        &self,
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

    /// Enters a step that is retried or may fail: inside it the first failure ends the step, and the debugger
    /// does not ask. Returns the number of such steps around it, to restore later; other steps change
    /// nothing.
    fn begin_tries(&mut self, step: &Step) -> usize {
        let tries = self.debug_state.tries;
        if step.modifiers.optional || step.modifiers.retry > 0 || is_optional(step) {
            self.soft_failures.continue_policy = ContinuePolicy::NEVER;
            self.debug_state.tries += 1;
        }
        tries
    }

    /// Returns the cost of all steps so far. Requests of the crash watch count for the flow, not for a step.
    fn step_cost(&self) -> Cost {
        let mut cost = self.context.session.device().counters().read();
        let queries = self.crashes.as_ref().map_or(0, CrashWatch::round_trips);
        cost.round_trips = cost.round_trips.saturating_sub(queries);
        cost
    }

    /// Returns the title for reports. Steps that find an element show the evaluated selector, masked and cut,
    /// if it can be evaluated; values of others stay expressions, as they may be private.
    fn title(&self, step: &Step) -> String {
        let finds = match &step.action {
            StepAction::Call { entry, .. } => entry.writing == StepSyntax::Element,
            StepAction::Assert(assert) => !matches!(**assert, Assert::That(_)),
            _ => false,
        };
        let resolved = finds
            .then(|| {
                block_in_place(|| runner_flow::title::resolved(&step.title, &self.stack.scope))
            })
            .flatten();
        match resolved {
            // Masked before it is cut, as the mask only knows whole secrets.
            Some(title) => runner_flow::title::cut(
                self.context
                    .emitter
                    .scrubber()
                    .scrub_outside(&title)
                    .into_owned(),
            ),
            None => step.title.clone(),
        }
    }

    /// Updates `device.width` and `device.height` from the last look, as they change when the display turns.
    /// Without a look of a known size they stay.
    fn update_display(&mut self) {
        let Some(screen) = self.context.session.last_screen() else {
            return;
        };
        let display = screen.display();
        if !display.bounds().is_empty() {
            self.stack
                .scope
                .know_of_device("width", display.width.into());
            self.stack
                .scope
                .know_of_device("height", display.height.into());
        }
    }

    /// Like [`Self::run_guarded`]; adds the time that the step waited to its failure.
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

    /// Runs a step if its `when` holds, with as many further tries as `retry` allows, and keeps its value
    /// under the name that it gives. `when` is checked once, before the first try. Returns `None` if it, or a
    /// condition of the action, does not hold. Failures that another try cannot change are returned at once.
    async fn run_guarded(
        &mut self,
        step: &Step,
        path: &StepPath,
    ) -> Result<Option<StepResult>, FailedTry> {
        if let Some(condition) = &step.modifiers.when
            && !self.holds(condition).await?
        {
            return Ok(None);
        }
        let mut tries_left = step.modifiers.retry;
        loop {
            match self.run_watched(step, path).await {
                Ok(None) => return Ok(None),
                Ok(Some(done)) => {
                    if let Some(name) = &step.modifiers.keep_as {
                        self.stack
                            .scope
                            .keep(name, done.value.clone())
                            .map_err(name_error)?;
                    }
                    return Ok(Some(done));
                }
                Err(failed) if tries_left == 0 || self.is_final(&failed.failure).await => {
                    return Err(failed);
                }
                Err(_) => {
                    tries_left -= 1;
                    self.forget_look();
                }
            }
        }
    }

    /// Runs the step's action, reports its dialogs, and checks for a crash of the app, which replaces its
    /// result. A snapshot is not taken if the app has crashed before it.
    async fn run_watched(
        &mut self,
        step: &Step,
        path: &StepPath,
    ) -> Result<Option<StepResult>, FailedTry> {
        let is_snapshot = matches!(step.action, StepAction::Snapshot(_));
        if is_snapshot && let Some(failure) = self.crash(CrashLook::Complete).await {
            // Before the snapshot is taken: nobody should accept the screen after a crash as a golden.
            return Err(failure.into());
        }
        let result = self.act(step, path).await;
        // Before others add to the failure, or replace it by that of a crash.
        let result = result.map_err(|failed| failed.advise(reader(step)));
        let result = self.report_dialogs(path, result);
        self.check_crash(step, path, result).await
    }

    /// Runs the step's action once. Returns `None` if a condition of the action does not hold, which only
    /// Maestro's commands have. If typing a secret fails, the field with the focus is hidden in pictures.
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
                if entry.name == "launch"
                    && let Some(app) = arguments.get("app").and_then(Value::as_str)
                {
                    self.watch_launched(app).await;
                }
                let done = self.context.run_tool(step, entry, arguments).await;
                if is_secret && done.is_err() {
                    self.context.hide_focused_field();
                }
                done
            }
            StepAction::Snapshot(snapshot) => self.snapshot(step, snapshot, path).await,
            StepAction::Assert(assert) => self.assert(step, assert).await,
            StepAction::Control(control) => self.control(step, control, path).await,
            StepAction::Maestro(command) => {
                return Interpreter::new(self).run(step, command, path).await;
            }
        };
        done.map(Some)
    }

    /// Evaluates the arguments of a tool, and checks them if they have expressions; plain ones were checked
    /// when the flow was read. The text of a secret step is masked from now on.
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
            self.context.emitter.scrubber().add(text);
        }
        if !runner_flow::has_expressions(&written.value) {
            // Plain arguments were checked when the flow was read.
            return Ok(arguments);
        }
        let checked = runner_flow::check_value(entry, &arguments);
        Ok(checked.map_err(|error| Failure::new(FailureKind::Usage, error.to_string()))?)
    }

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
                    block_in_place(|| runner_flow::explain(&expression.value, &self.stack.scope));
                Err(failure.with_details(details).into())
            }
        }
    }

    /// Tests a condition without a wait, except for visibility with a `timeout`: that waits so long.
    /// Visibility without one waits only until a look can decide.
    pub(super) async fn holds(&self, condition: &Condition) -> Result<bool, Failure> {
        match condition {
            Condition::Expression(expression) => self.stack.condition(expression).await,
            Condition::Visible(selector) => self.is_visible(selector, true).await,
            Condition::NotVisible(selector) => self.is_visible(selector, false).await,
        }
    }

    async fn is_visible(&self, what: &OnScreen, wanted: bool) -> Result<bool, Failure> {
        let selector = self.stack.selector(&what.selector).await?;
        let session = self.context.session;
        let Some(limit) = what.timeout else {
            let usual = self.context.usual_timeout();
            session.begin_step(usual);
            return Ok(session.is_visible(&selector, wanted, usual).await?);
        };
        session.begin_step(limit.0);
        Ok(session.becomes_visible(&selector, wanted, limit.0).await?)
    }
}
