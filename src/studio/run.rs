//! Running the flow, or a part of it, on the device that the page shows: by the engine and the settings of `runner test`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Studio, StudioError};
use crate::config::RecordMode;
use crate::diagnostic::line_column;
use crate::flow::Flow;
use crate::run::{self, Event, EventKind, Filter, Options, Plan, PlannedCase};
use crate::tools::{Failure, blocking};

/// Results of a run that are kept for pages that come later.
const MOST_RESULTS: usize = 2000;

/// Which steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Part {
    /// The whole flow: all its cases, setup and teardown.
    All,
    /// The step at the line.
    Step,
    /// From the beginning to the step at the line.
    To,
    /// From the step at the line to the end.
    From,
}

/// A run that a page asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunWish {
    part: Part,
    /// The line of a step, from 1; of a part of the flow.
    line: Option<usize>,
}

/// The run that is under way, or the last one.
#[derive(Debug, Default)]
pub(super) struct RunState {
    going: AtomicBool,
    begun: AtomicU64,
    cancel: Mutex<CancellationToken>,
    results: Mutex<Vec<Value>>,
}

impl RunState {
    pub(super) fn is_going(&self) -> bool {
        self.going.load(Ordering::Acquire)
    }

    /// How many runs began.
    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// Ends the run in order: its teardown runs, and settings are put back.
    pub(super) fn stop(&self) {
        lock(&self.cancel).cancel();
    }

    /// For a page that comes now.
    pub(super) fn state(&self) -> Value {
        json!({ "going": self.is_going(), "results": *lock(&self.results) })
    }
}

/// A run is under way as long as this lives.
struct Going(Arc<Studio>);

impl Drop for Going {
    fn drop(&mut self) {
        self.0.run.going.store(false, Ordering::Release);
        tell(&self.0, json!({ "what": "end" }));
        self.0.acted.notify_one();
    }
}

/// Begins a run; what becomes of it is told as news.
pub(super) async fn begin(studio: &Arc<Studio>, wish: &RunWish) -> Result<(), StudioError> {
    let plan = plan(studio, wish).await?;
    if studio.run.going.swap(true, Ordering::AcqRel) {
        return Err(StudioError::Running);
    }
    studio.run.begun.fetch_add(1, Ordering::AcqRel);
    let going = Going(Arc::clone(studio));
    let cancel = studio.stop.child_token();
    *lock(&studio.run.cancel) = cancel.clone();
    lock(&studio.run.results).clear();
    studio.workspace.recorder.pause();
    tell(studio, json!({ "what": "begin" }));
    tokio::spawn(async move {
        if let Err(failure) = carry_out(&going.0, plan, cancel).await {
            tell(
                &going.0,
                json!({ "what": "failed", "message": failure.message }),
            );
        }
    });
    Ok(())
}

async fn carry_out(
    studio: &Arc<Studio>,
    plan: Plan,
    cancel: CancellationToken,
) -> Result<(), Failure> {
    let workspace = &studio.workspace;
    let _alone = workspace.connection.alone().await;
    let config = workspace.config.clone();
    let store = config.clone();
    blocking(move || store.recovered_store())
        .await?
        .map_err(|error| Failure::usage(error.to_string()))?;
    let opened = workspace.connection.opened().await?;
    let (sink, events) = std::sync::mpsc::channel();
    let hearing = Arc::clone(studio);
    let heard = tokio::task::spawn_blocking(move || {
        for event in events {
            hear(&hearing, &event);
        }
    });
    let trace_watch = studio.timeline.begin(studio.folder.as_ref());
    let mut config = config;
    if trace_watch.is_some() {
        config.trace.value = RecordMode::On;
    }
    let options = Options {
        max_failures: Some(1),
        trace_watch,
        ..Options::default()
    };
    run::run_on(
        &opened,
        config,
        &workspace.context,
        plan,
        options,
        sink,
        cancel,
    )
    .await;
    // What is under way is told before the end is.
    let _ = heard.await;
    workspace.connection.forget_if_lost(&opened.session).await;
    Ok(())
}

/// What is run, from the saved file; a flow without a file is read as if it were saved.
async fn plan(studio: &Arc<Studio>, wish: &RunWish) -> Result<Plan, StudioError> {
    let (part, line) = (wish.part, wish.line);
    let reading = Arc::clone(studio);
    blocking(move || {
        let file = &reading.file;
        let plan = if let Some(path) = file.path() {
            let mut config = reading.workspace.config.clone();
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
        if part == Part::All {
            return Ok(plan);
        }
        part_of(plan, part, line.unwrap_or_default())
    })
    .await?
}

/// A part of the plan's only flow; of several cases the first.
fn part_of(mut plan: Plan, part: Part, line: usize) -> Result<Plan, StudioError> {
    plan.cases.truncate(1);
    let case = plan.cases.first_mut().ok_or(StudioError::NoStep)?;
    let mut flow = Flow::clone(&case.flow);
    let at = step_at(&flow, line).ok_or(StudioError::NoStep)?;
    match part {
        Part::All => {}
        Part::Step => {
            flow.steps.drain(..at);
            flow.steps.truncate(1);
        }
        Part::To => flow.steps.truncate(at + 1),
        Part::From => {
            flow.steps.drain(..at);
        }
    }
    // The device stays as it is before a part that begins in the middle, and after one that ends there.
    if matches!(part, Part::Step | Part::From) {
        flow.setup.clear();
    }
    if matches!(part, Part::Step | Part::To) {
        flow.teardown.clear();
    }
    case.flow = Arc::new(flow);
    Ok(plan)
}

/// The step of the flow itself in which a line is.
fn step_at(flow: &Flow, line: usize) -> Option<usize> {
    let begin = |step: &crate::flow::Step| line_column(&flow.source.text, step.span.start).0;
    let end = |step: &crate::flow::Step| {
        let text = flow.source.text.get(step.span.clone()).unwrap_or_default();
        line_column(&flow.source.text, step.span.start + text.trim_end().len()).0
    };
    let mut steps = flow.steps.iter();
    steps.position(|step| (begin(step)..=end(step)).contains(&line))
}

/// What the page needs of an event.
fn hear(studio: &Studio, event: &Event) {
    studio.timeline.add(event);
    let told = match &event.kind {
        EventKind::FlowStarted {
            id, name, steps, ..
        } => {
            json!({ "what": "flow", "name": name, "case": id.case, "steps": steps })
        }
        EventKind::StepStarted {
            title, at, step, ..
        } => json!({
            "what": "step", "title": title, "file": at.file, "line": at.line, "depth": step.depth(),
        }),
        EventKind::StepFinished {
            title,
            at,
            step,
            status,
            duration_ms,
            failure,
            ..
        } => json!({
            "what": "result", "title": title, "file": at.file, "line": at.line, "depth": step.depth(),
            "status": status, "ms": duration_ms, "failure": failure,
        }),
        EventKind::Snapshot { result, .. } => json!({
            "what": "snapshot", "key": result.key, "verdict": result.verdict.as_str(), "changes": result.changes,
        }),
        EventKind::Unreadable { message, .. } => json!({ "what": "failed", "message": message }),
        EventKind::DeviceLost { message, .. } | EventKind::Log { message, .. } => {
            json!({ "what": "log", "message": message })
        }
        EventKind::FlowFinished {
            status,
            duration_ms,
            failure,
            failed_at,
            ..
        } => json!({
            "what": "flow_end", "status": status, "ms": duration_ms, "failure": failure,
            "line": failed_at.as_ref().map(|at| at.line),
        }),
        _ => return,
    };
    tell(studio, told);
}

fn tell(studio: &Studio, mut told: Value) {
    studio.scrub(&mut told);
    let mut results = lock(&studio.run.results);
    if results.len() < MOST_RESULTS {
        results.push(told.clone());
    }
    drop(results);
    told["kind"] = "run".into();
    studio.feed.tell(&told);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
