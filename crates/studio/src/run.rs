//! Running the flow, or a part of it, on the device that the page shows: by the engine and the settings of `runner test`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::debugger::{MissingNames, StudioDebugger, Values, missing};
use super::messages::{RunMessage, StepReport};
use super::part::{Outline, Part, step_at};
use super::replay::{self, ReplayedSteps};
use super::{Studio, StudioError, goldens};
use runner_agent::Workspace;
use runner_base::context::Context;
use runner_config::RecordMode;
use runner_event::{Event, EventKind, SourceLocation};
use runner_flow::StepPath;
use runner_run::{Filter, Options, Plan, PlannedCase};
use runner_tools::{Failure, blocking};

/// Results of a run that are kept for pages that come later.
const MOST_RESULTS: usize = 2000;

/// A run that a page asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunRequest {
    part: Part,
    /// The line of a step, from 1; of a part of the flow.
    line: Option<usize>,
    /// Values of the names that steps before the part would set.
    values: Option<Values>,
    /// It pauses before its first step.
    #[serde(default)]
    paused: bool,
    /// The app begins as it is when it is new, and what differs from the recording is published.
    #[serde(default)]
    replay: bool,
}

impl RunRequest {
    /// The whole flow.
    pub(super) fn all() -> Self {
        Self {
            part: Part::All,
            line: None,
            values: None,
            paused: false,
            replay: false,
        }
    }
}

/// What a run is made of.
struct Prepared {
    plan: Plan,
    outline: Outline,
    text: String,
    results: Arc<IndexMap<String, Value>>,
    replay: bool,
}

/// The run that is under way, or the last one.
#[derive(Debug, Default)]
pub(super) struct RunState {
    active: tokio::sync::watch::Sender<bool>,
    /// It waits for a person, and others may act.
    paused: AtomicBool,
    begun: AtomicU64,
    cancel: Mutex<CancellationToken>,
    results: Mutex<Vec<Value>>,
}

impl RunState {
    pub(super) fn is_active(&self) -> bool {
        *self.active.borrow()
    }

    /// Whether it needs the device now.
    pub(super) fn is_busy(&self) -> bool {
        self.is_active() && !self.paused.load(Ordering::Acquire)
    }

    /// Whether it waits for a person.
    pub(super) fn is_paused(&self) -> bool {
        self.is_active() && self.paused.load(Ordering::Acquire)
    }

    pub(super) fn set_paused(&self, is: bool) {
        self.paused.store(is, Ordering::Release);
        if !is {
            // Who waited to act saw another screen than the one that is there when it gets its turn.
            self.begun.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Waits until no run is under way.
    pub(super) async fn ended(&self) {
        // The sender is here, so that this cannot fail.
        let _ = self.active.subscribe().wait_for(|going| !going).await;
    }

    /// How many runs began or went on.
    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// Ends the run in order: its teardown runs, and settings are put back.
    pub(super) fn stop(&self) {
        lock(&self.cancel).cancel();
    }

    /// For a page that comes now.
    pub(super) fn report(&self) -> RunReport {
        RunReport {
            going: self.is_active(),
            results: lock(&self.results).clone(),
        }
    }
}

/// The run for a page that comes: whether it goes on, and its results so far.
#[derive(Debug, Serialize)]
pub(super) struct RunReport {
    going: bool,
    results: Vec<Value>,
}

/// A run, or what else has the device alone, is under way as long as this lives.
pub(super) struct ActiveRun(pub(super) Arc<Studio>);

impl Drop for ActiveRun {
    fn drop(&mut self) {
        self.0.run.active.send_replace(false);
        notify(&self.0, &RunMessage::End);
        self.0.acted.notify_one();
    }
}

/// Begins a run; its progress is published as news. A part that needs values does not begin without.
pub(super) async fn begin(
    studio: &Arc<Studio>,
    request: RunRequest,
) -> Result<Result<(), MissingNames>, StudioError> {
    let paused = request.paused;
    let prepared = match prepare(studio, request).await? {
        Ok(prepared) => prepared,
        Err(missing) => return Ok(Err(missing)),
    };
    let (going, cancel) = hold(studio)?;
    let outline = prepared.outline.clone();
    studio.debugger.begin(&prepared.text, outline, paused);
    tokio::spawn(async move {
        if let Err(failure) = Box::pin(carry_out(&going.0, prepared, cancel)).await {
            let message = &failure.message;
            notify(&going.0, &RunMessage::Failed { message });
        }
    });
    Ok(Ok(()))
}

/// Keeps others from the device, and publishes that something begins. The token fires when a person stops it.
///
/// # Errors
/// Something is under way.
pub(super) fn hold(studio: &Arc<Studio>) -> Result<(ActiveRun, CancellationToken), StudioError> {
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

async fn carry_out(
    studio: &Arc<Studio>,
    prepared: Prepared,
    cancel: CancellationToken,
) -> Result<(), Failure> {
    let workspace = &studio.workspace;
    let part = prepared.outline.part;
    // An agent's flow may have the device for long.
    let alone = tokio::select! {
        alone = workspace.connection.alone() => alone,
        () = cancel.cancelled() => return Err(Failure::usage("Stopped before it began.")),
    };
    let debugger = StudioDebugger::new(studio, alone);
    let config = workspace.config.clone();
    let store = config.clone();
    blocking(move || store.recovered_store())
        .await?
        .map_err(|error| Failure::usage(error.to_string()))?;
    let opened = tokio::select! {
        opened = workspace.connection.opened() => opened?,
        () = cancel.cancelled() => return Err(Failure::usage("Stopped before it began.")),
    };
    if prepared.replay {
        replay::clear_app(&opened, &prepared.outline.flow).await?;
    }
    let (sink, events) = std::sync::mpsc::channel();
    let hearing = Arc::clone(studio);
    let heard = tokio::task::spawn_blocking(move || {
        let mut steps = ReplayedSteps::default();
        for event in events {
            steps.hear(&event);
            hear(&hearing, &event);
        }
        steps
    });
    let trace_watch = studio.timeline.begin(studio.folder.as_ref());
    let mut config = config;
    if trace_watch.is_some() {
        config.trace.value = RecordMode::On;
    }
    let options = Options {
        // Of a snapshot in several cases each may be new.
        max_failures: (part != Part::Cases).then_some(1),
        // What is compared now is one step, and its result is a golden to decide about.
        // A replay is to show how it ends.
        debugger: (!part.is_snapshot() && !prepared.replay)
            .then(|| Arc::<StudioDebugger>::clone(&debugger) as _),
        results: prepared.results,
        trace_watch,
        ..Options::default()
    };
    runner_run::run_on(
        &opened,
        config,
        &with_secrets(workspace),
        prepared.plan,
        options,
        sink,
        cancel,
    )
    .await;
    // What is under way is published before the end is.
    let steps = heard.await.unwrap_or_default();
    if prepared.replay {
        replay::publish(studio, &opened, &steps).await;
    }
    workspace.connection.forget_if_lost(&opened.session).await;
    debugger.let_go().await;
    Ok(())
}

/// The environment of the run: what somebody typed as a secret here is known, unless the environment says otherwise.
fn with_secrets(workspace: &Workspace) -> Context {
    let mut secrets = workspace.recorder.secrets();
    let known = workspace.context.variables();
    secrets.retain(|name, _| !known.contains_key(name));
    workspace.context.with_variables(&secrets)
}

/// What is run, from the saved file; a flow without a file is read as if it were saved.
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

async fn prepare(
    studio: &Arc<Studio>,
    request: RunRequest,
) -> Result<Result<Prepared, MissingNames>, StudioError> {
    let reading = Arc::clone(studio);
    blocking(move || {
        let text = reading.file.read()?.text;
        let plan = read(&reading)?;
        if !request.part.is_snapshot() {
            return prepared(plan, text, &request);
        }
        let line = request.line.unwrap_or_default();
        let first = plan.cases.first().ok_or(StudioError::NoStep)?;
        let outline = Outline {
            part: request.part,
            at: 0,
            flow: Arc::clone(&first.flow),
        };
        Ok(Ok(Prepared {
            plan: goldens::alone(plan, line, request.part == Part::Cases)?,
            outline,
            text,
            results: Arc::default(),
            replay: false,
        }))
    })
    .await?
}

/// A part of the plan's only flow; of several cases the first.
fn prepared(
    mut plan: Plan,
    text: String,
    request: &RunRequest,
) -> Result<Result<Prepared, MissingNames>, StudioError> {
    let first = plan.cases.first_mut().ok_or(StudioError::NoStep)?;
    let mut outline = Outline {
        part: request.part,
        at: 0,
        flow: Arc::clone(&first.flow),
    };
    let mut results = Arc::default();
    if request.part != Part::All {
        let flow = Arc::clone(&first.flow);
        outline.at = step_at(&flow, request.line.unwrap_or_default()).ok_or(StudioError::NoStep)?;
        first.flow = Arc::new(outline.of(&flow));
        if request.part != Part::To {
            let names = missing::names(&flow.steps[..outline.at], &first.flow.steps);
            results = match MissingNames::given(names, request.values.as_ref()) {
                Ok(results) => results,
                Err(missing) => return Ok(Err(missing)),
            };
        }
        plan.cases.truncate(1);
    }
    Ok(Ok(Prepared {
        plan,
        outline,
        text,
        results,
        replay: request.replay && request.part == Part::All,
    }))
}

/// What the page needs of an event.
fn hear(studio: &Studio, event: &Event) {
    studio.goldens.hear(&event.kind);
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

fn step_report<'a>(title: &'a str, at: &'a SourceLocation, step: &StepPath) -> StepReport<'a> {
    StepReport {
        title,
        file: &at.file,
        line: at.line,
        depth: step.depth(),
    }
}

pub(super) fn notify(studio: &Studio, message: &RunMessage<'_>) {
    let mut json = studio.scrubbed(message);
    keep(&mut lock(&studio.run.results), &json);
    json["kind"] = "run".into();
    studio.feed.publish(&json);
}

/// Keeps what a page that comes later needs. Of what there is too much, the last that says how the run is, or how it ended,
/// stays.
fn keep(results: &mut Vec<Value>, json: &Value) {
    const STATE: [&str; 6] = ["flow", "step", "note", "failed", "flow_end", "replay"];
    if results.len() < MOST_RESULTS {
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
        for step in 0..MOST_RESULTS {
            keep(&mut results, &json!({ "what": "step", "line": step }));
            keep(&mut results, &json!({ "what": "result", "line": step }));
        }
        keep(
            &mut results,
            &json!({ "what": "flow_end", "status": "passed" }),
        );
        keep(&mut results, &json!({ "what": "end" }));
        assert_eq!(results.len(), MOST_RESULTS);
        assert_eq!(results[0]["what"], "step");
        assert_eq!(results[MOST_RESULTS - 1]["what"], "flow_end");
    }
}
