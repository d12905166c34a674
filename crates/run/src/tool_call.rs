//! Calls of tools in a flow: their limits, what is recorded of them, and their files.

use std::time::Duration;

use camino::Utf8Path;
use serde_json::Value;

use super::app_versions;
use super::context::AttemptContext;
use super::liveness::{ANSWER_LIMIT, silence};
use super::recorder::CallBegin;
use super::step_result::{FailedTry, StepResult};
use runner_device::in_time_by;
use runner_engine::{EngineError, MIN_REQUEST_LIMIT};
use runner_event::Artifact;
use runner_flow::Step;
use runner_text::units::HumanDuration;
use runner_tools::{Effect, Entry, Failure, FailureKind, Verdict};

/// Chosen: time for a tool to end by itself, with a better message, after its step's `timeout`.
const GRACE: Duration = Duration::from_secs(1);

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
    /// Reads the app's version again after `install`, `uninstall` and shell commands that mention `install`. Does
    /// nothing for a flow without an app, nor after one reading that timed out.
    pub(super) async fn learn_version_after(&self, step: &Step) {
        if let Some(app) = &self.flow.app
            && app_versions::may_change(step)
        {
            let device = self.session.device();
            self.app_versions.refresh_version(device, app).await;
        }
    }

    /// Calls a tool within the limit of its step, and returns its value, or its text if it has none. With a `timeout`
    /// the step has 1 s more than that, and at least 4 s, so that the tool can end by itself; without one it may take
    /// longer than the usual limit while the device answers. A failed verdict is a failure with the tool's artifacts.
    /// Notes are reported, and a text that the tool hides is masked from now on. A file in the attempt's folder becomes
    /// an artifact.
    pub(super) async fn run_tool(
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
            self.reporter.scrubber().add_typed(text);
        }
        // The text is the result of a tool without another one.
        let text = outcome.words();
        for note in outcome.notes {
            let note = format!("{}: {note}", entry.name);
            self.reporter.info(note);
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
    pub(super) fn types_secret(&self, step: &Step, text: &str) -> bool {
        step.modifiers.secret || self.reporter.scrubber().scrub(text) != text
    }

    /// Masks the text of the field that had the focus on the last look, if there is one: a secret that was typed in
    /// part is not known to the mask. Asks the device nothing.
    pub(super) fn hide_focused_field(&self) {
        let screen = self.session.last_screen();
        if let Some(text) = screen.as_deref().and_then(runner_engine::focused_text) {
            self.reporter.scrubber().add(text);
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

    /// Registers the file that a tool wrote into the attempt's folder. A file elsewhere is one that the flow named, and
    /// no artifact: the result is empty. A file whose name holds a secret is removed, which is a failure; so is one
    /// that cannot be read or is too large.
    fn register_artifact(&self, file: Option<&Utf8Path>) -> Result<Vec<Artifact>, Failure> {
        let Some(path) = file.filter(|path| path.starts_with(self.folder.path())) else {
            return Ok(Vec::new());
        };
        if let Err(refused) = self.folder.refuse_secret_name(path) {
            let _ = fs_err::remove_file(path);
            return Err(refused);
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
