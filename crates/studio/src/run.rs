//! Runs the flow, or a part of it, on the shown device, with the engine and settings of `runner test`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::debugger::{MissingNames, StudioDebugger, Values, missing_names};
use super::messages::{RunMessage, StepReport};
use super::part::{FlowPart, Outline, step_at};
use super::replay::{self, ReplayedSteps};
use super::{Studio, StudioError, goldens};
use runner_agent::{Workspace, add_secret_variables};
use runner_base::context::Context;
use runner_config::RecordMode;
use runner_event::{Event, EventKind, SourceLocation};
use runner_flow::StepPath;
use runner_run::{Filter, Options, Plan, PlannedCase};
use runner_tools::{Failure, blocking};

/// Messages of a run that are kept for new pages. Chosen: those of some hundred steps; it bounds the whole
/// state.
const MAX_RESULTS: usize = 2000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunRequest {
    part: FlowPart,
    /// Line of a step, from 1, for parts of the flow.
    line: Option<usize>,
    /// Values of names that only steps before the part set.
    values: Option<Values>,
    /// True to pause before the first step.
    #[serde(default)]
    paused: bool,
    /// True to clear the app's data first, and to publish the differences from the recording.
    #[serde(default)]
    replay: bool,
}

impl RunRequest {
    /// Creates a request for the whole flow, without values, without a pause before the first step, and with the
    /// app's data kept.
    pub(super) fn all() -> Self {
        Self {
            part: FlowPart::All,
            line: None,
            values: None,
            paused: false,
            replay: false,
        }
    }
}

/// Plan of a run, with what else it needs.
struct RunSetup {
    plan: Plan,
    outline: Outline,
    text: String,
    results: Arc<IndexMap<String, Value>>,
    replay: bool,
}

/// Current run, or the last one.
#[derive(Debug, Default)]
pub(super) struct RunState {
    active: tokio::sync::watch::Sender<bool>,
    /// True while it waits for a person, so that others may act.
    paused: AtomicBool,
    begun: AtomicU64,
    cancel: Mutex<CancellationToken>,
    results: Mutex<Vec<Value>>,
}

impl RunState {
    pub(super) fn is_active(&self) -> bool {
        *self.active.borrow()
    }

    /// Returns true if a run uses the device now.
    pub(super) fn is_busy(&self) -> bool {
        self.is_active() && !self.paused.load(Ordering::Acquire)
    }

    /// Returns true if a run waits for a person.
    pub(super) fn is_paused(&self) -> bool {
        self.is_active() && self.paused.load(Ordering::Acquire)
    }

    /// Notes that the run pauses or goes on. When it goes on, acts that wait are outdated and fail. Tells no page.
    pub(super) fn set_paused(&self, is: bool) {
        self.paused.store(is, Ordering::Release);
        if !is {
            // A person who waits to act saw another screen than the current one.
            self.begun.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Waits until no run is active. Returns at once if none is.
    pub(super) async fn ended(&self) {
        // Cannot fail, as `self` holds the sender.
        let _ = self.active.subscribe().wait_for(|going| !going).await;
    }

    /// Returns how many times a run began or continued.
    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// Cancels the run and does not wait: its teardown still runs, and settings are restored. Does nothing without a
    /// run.
    pub(super) fn stop(&self) {
        lock(&self.cancel).cancel();
    }

    /// Returns the state for a new page: if a run is active, and the messages kept of it or the last one. Secrets
    /// are masked already.
    pub(super) fn report(&self) -> RunReport {
        RunReport {
            going: self.is_active(),
            results: lock(&self.results).clone(),
        }
    }
}

/// Run for a new page: whether it is active, and its messages so far.
#[derive(Debug, Serialize)]
pub(super) struct RunReport {
    going: bool,
    results: Vec<Value>,
}

/// Guard of exclusive work on the device. The run is active until it is dropped.
pub(super) struct ActiveRun(pub(super) Arc<Studio>);

impl Drop for ActiveRun {
    fn drop(&mut self) {
        self.0.run.active.send_replace(false);
        notify(&self.0, &RunMessage::End);
        self.0.acted.notify_one();
    }
}

/// Begins a run and returns without waiting for its end. Its progress and a failure after this call are published
/// as messages. Returns the missing names as the inner error if a part needs values; then nothing runs. Returns an
/// error if another run is active, the flow cannot be read, or no step is at the line. Waits for no device.
pub(super) async fn begin(
    studio: &Arc<Studio>,
    request: RunRequest,
) -> Result<Result<(), MissingNames>, StudioError> {
    let paused = request.paused;
    let setup = match prepare(studio, request).await? {
        Ok(setup) => setup,
        Err(missing) => return Ok(Err(missing)),
    };
    let (going, cancel) = claim(studio)?;
    let outline = setup.outline.clone();
    studio.debugger.begin(&setup.text, outline, paused);
    tokio::spawn(async move {
        if let Err(failure) = Box::pin(carry_out(&going.0, setup, cancel)).await {
            let message = &failure.message.to_string();
            notify(&going.0, &RunMessage::Failed { message });
        }
    });
    Ok(Ok(()))
}

/// Marks the device as used by a run, in this program only, removes the results of the run before, pauses the
/// recording and publishes the start. The drop of the returned value ends that, and publishes the end. The token
/// fires when a person stops the run or the studio ends.
///
/// # Errors
/// Returns an error if another run is active.
pub(super) fn claim(studio: &Arc<Studio>) -> Result<(ActiveRun, CancellationToken), StudioError> {
    if studio.run.active.send_replace(true) {
        return Err(StudioError::Running);
    }
    studio.run.begun.fetch_add(1, Ordering::AcqRel);
    let going = ActiveRun(Arc::clone(studio));
    let cancel = studio.stop.child_token();
    *lock(&studio.run.cancel) = cancel.clone();
    lock(&studio.run.results).clear();
    studio.workspace.recorder.pause();
    studio.goldens.invalidate();
    notify(studio, &RunMessage::Begin);
    Ok((going, cancel))
}

/// Runs the flow, once nobody else uses the device, however long that takes, and publishes its events. A flow that
/// fails or is stopped is no error. A replay and a snapshot do not pause. An error if it is cancelled before it
/// began, or something before it fails: completing an interrupted accept, opening the device, or clearing the app
/// for a replay.
async fn carry_out(
    studio: &Arc<Studio>,
    setup: RunSetup,
    cancel: CancellationToken,
) -> Result<(), Failure> {
    let workspace = &studio.workspace;
    let part = setup.outline.part;
    // A flow of an agent may use the device for a long time.
    let access = tokio::select! {
        access = workspace.connection.lock_exclusive() => access,
        () = cancel.cancelled() => return Err(Failure::usage("Stopped before it began.")),
    };
    let debugger = StudioDebugger::new(studio, access);
    let config = workspace.config.clone();
    let store = config.clone();
    blocking(move || store.recovered_store())
        .await?
        .map_err(|error| Failure::usage(error.to_string()))?;
    let opened = tokio::select! {
        opened = workspace.connection.opened() => opened?,
        () = cancel.cancelled() => return Err(Failure::usage("Stopped before it began.")),
    };
    if setup.replay {
        replay::clear_app(&opened, &setup.outline.flow).await?;
    }
    let (sink, events) = std::sync::mpsc::channel();
    let hearing = Arc::clone(studio);
    let heard = tokio::task::spawn_blocking(move || {
        let mut steps = ReplayedSteps::default();
        for event in events {
            steps.add(&event);
            publish_event(&hearing, &event);
        }
        steps
    });
    let trace_watch = studio.timeline.begin(studio.folder.as_ref());
    let mut config = config;
    if trace_watch.is_some() {
        config.trace.value = RecordMode::On;
    }
    let options = Options {
        // A snapshot may be new in each of the cases.
        max_failures: (part != FlowPart::Cases).then_some(1),
        // A single snapshot is for deciding about a golden, and a replay shows how the flow ends: neither is
        // debugged.
        debugger: (!part.is_snapshot() && !setup.replay)
            .then(|| Arc::<StudioDebugger>::clone(&debugger) as _),
        results: setup.results,
        trace_watch,
        known: Some(workspace.scrubber.clone()),
        ..Options::default()
    };
    let context = with_secrets(workspace);
    add_secret_variables(&mut config, &context);
    config
        .secrets
        .extend(workspace.recorder.secrets().into_keys());
    runner_run::run_on(&opened, config, &context, setup.plan, options, sink, cancel).await;
    // All events are published before the end.
    let steps = heard.await.unwrap_or_default();
    if setup.replay {
        replay::publish(studio, &opened, &steps).await;
    }
    workspace.connection.forget_if_lost(&opened.session).await;
    debugger.let_go().await;
    Ok(())
}

/// Returns the run's environment: texts typed as secrets here become variables, unless the environment has
/// variables of these names.
fn with_secrets(workspace: &Workspace) -> Context {
    let mut secrets = workspace.recorder.secrets();
    let known = workspace.context.variables();
    secrets.retain(|name, _| !known.contains_key(name));
    workspace.context.with_variables(&secrets)
}

/// Reads the plan from the saved file, not from what a page shows. A flow without a file is read as if it were
/// saved. Returns an error if the flow or one that it uses cannot be read, and for a flow with errors.
pub(super) fn read(studio: &Studio) -> Result<Plan, StudioError> {
    let file = &studio.file;
    let plan = if let Some(path) = file.path() {
        let mut config = studio.workspace.config.clone();
        config.paths = vec![config.root.join(path)];
        let plan = Plan::read(&config, &Filter::default());
        plan.map_err(|error| StudioError::File(error.to_string()))?
    } else {
        let (flow, warnings) = file.flow(&file.read()?.text)?;
        let flow = flow.ok_or(StudioError::DoesNotRead)?;
        Plan {
            cases: PlannedCase::all_of(&Arc::new(flow)),
            warnings,
            ..Plan::default()
        }
    };
    if !plan.unreadable.is_empty() {
        return Err(StudioError::DoesNotRead);
    }
    Ok(plan)
}

/// Reads the saved flow and prepares what to run of it, without any device; the inner error names values that are
/// missing. A single snapshot needs no values and is no replay. An error if the flow does not read, or no step or
/// snapshot is at the line.
async fn prepare(
    studio: &Arc<Studio>,
    request: RunRequest,
) -> Result<Result<RunSetup, MissingNames>, StudioError> {
    let reading = Arc::clone(studio);
    blocking(move || {
        let text = reading.file.read()?.text;
        let plan = read(&reading)?;
        if !request.part.is_snapshot() {
            return prepare_part(plan, text, &request);
        }
        let line = request.line.unwrap_or_default();
        let first = plan.cases.first().ok_or(StudioError::NoStep)?;
        let outline = Outline {
            part: request.part,
            at: 0,
            flow: Arc::clone(&first.flow),
        };
        Ok(Ok(RunSetup {
            plan: goldens::only_snapshot(plan, line, request.part == FlowPart::Cases)?,
            outline,
            text,
            results: Arc::default(),
            replay: false,
        }))
    })
    .await?
}

/// Prepares the whole flow with all its cases, or a part of it; of several cases the first. Returns an error if no
/// step is at the requested line, and the missing names as the inner error if the part, or a teardown that runs after
/// it, uses values that the setup or earlier steps set. A part from the start needs none. Only the whole flow can be
/// a replay.
fn prepare_part(
    mut plan: Plan,
    text: String,
    request: &RunRequest,
) -> Result<Result<RunSetup, MissingNames>, StudioError> {
    let first = plan.cases.first_mut().ok_or(StudioError::NoStep)?;
    let mut outline = Outline {
        part: request.part,
        at: 0,
        flow: Arc::clone(&first.flow),
    };
    let mut results = Arc::default();
    if request.part != FlowPart::All {
        let flow = Arc::clone(&first.flow);
        outline.at = step_at(&flow, request.line.unwrap_or_default()).ok_or(StudioError::NoStep)?;
        first.flow = Arc::new(outline.select(&flow));
        if request.part != FlowPart::To {
            // Neither the setup nor the earlier steps run, but what surrounds the part may.
            let before = flow.setup.iter().chain(&flow.steps[..outline.at]);
            let runs = &first.flow;
            let part = runs.steps.iter().chain(&runs.on_failure);
            let names = missing_names::find(before, part.chain(&runs.teardown));
            results = match MissingNames::from_given(names, request.values.as_ref()) {
                Ok(results) => results,
                Err(missing) => return Ok(Err(missing)),
            };
        }
        plan.cases.truncate(1);
    }
    Ok(Ok(RunSetup {
        plan,
        outline,
        text,
        results,
        replay: request.replay && request.part == FlowPart::All,
    }))
}

/// Passes an event on to goldens and time line, and publishes what pages need of it: flows, also those that do not
/// read, steps, snapshots, log and losses of the device. Other events are not published.
fn publish_event(studio: &Studio, event: &Event) {
    studio.goldens.follow(&event.kind);
    studio.timeline.add(event);
    let message = match &event.kind {
        EventKind::FlowStarted {
            id, name, steps, ..
        } => RunMessage::Flow {
            name,
            case: id.case.as_ref(),
            steps: *steps,
        },
        EventKind::StepStarted {
            title, at, step, ..
        } => RunMessage::Step(step_report(title, at, step)),
        EventKind::StepFinished {
            title,
            at,
            step,
            status,
            duration_ms,
            failure,
            ..
        } => RunMessage::Result {
            step: step_report(title, at, step),
            status: *status,
            ms: *duration_ms,
            failure: failure.as_ref(),
        },
        EventKind::Snapshot { result, .. } => RunMessage::Snapshot {
            key: &result.key,
            verdict: result.verdict.as_str(),
            changes: &result.changes,
        },
        EventKind::Unreadable { message, .. } => RunMessage::Failed { message },
        EventKind::DeviceLost { message, .. } | EventKind::Log { message, .. } => {
            RunMessage::Log { message }
        }
        EventKind::FlowFinished {
            status,
            duration_ms,
            failure,
            failed_at,
            ..
        } => RunMessage::FlowEnd {
            status: *status,
            ms: *duration_ms,
            failure: failure.as_ref(),
            line: failed_at.as_ref().map(|at| at.line),
        },
        _ => return,
    };
    notify(studio, &message);
}

/// Returns the step for the page, with its depth in blocks. Lines count from 1.
fn step_report<'a>(title: &'a str, at: &'a SourceLocation, step: &StepPath) -> StepReport<'a> {
    StepReport {
        title,
        file: &at.file,
        line: at.line,
        depth: step.depth(),
    }
}

/// Masks secrets in the message, keeps it for later pages as long as there is room, and publishes it to all that
/// listen.
pub(super) fn notify(studio: &Studio, message: &RunMessage<'_>) {
    let mut json = studio.scrubbed(message);
    store_message(&mut lock(&studio.run.results), &json);
    json["kind"] = "run".into();
    studio.feed.publish(&json);
}

/// Keeps a message for new pages. If [`MAX_RESULTS`] are kept, a message about the run's state (flow, step, note,
/// failure, end of a flow, replay) replaces the last one; all others are dropped.
fn store_message(results: &mut Vec<Value>, json: &Value) {
    const STATE: [&str; 6] = ["flow", "step", "note", "failed", "flow_end", "replay"];
    if results.len() < MAX_RESULTS {
        results.push(json.clone());
    } else if STATE.iter().any(|what| json["what"] == *what)
        && let Some(last) = results.last_mut()
    {
        last.clone_from(json);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn how_a_long_run_ended_is_kept() {
        let mut results = Vec::new();
        for step in 0..MAX_RESULTS {
            store_message(&mut results, &json!({ "what": "step", "line": step }));
            store_message(&mut results, &json!({ "what": "result", "line": step }));
        }
        store_message(
            &mut results,
            &json!({ "what": "flow_end", "status": "passed" }),
        );
        store_message(&mut results, &json!({ "what": "end" }));
        assert_eq!(results.len(), MAX_RESULTS);
        assert_eq!(results[0]["what"], "step");
        assert_eq!(results[MAX_RESULTS - 1]["what"], "flow_end");
    }
}
