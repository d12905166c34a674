//! The time line: the steps of a run as they run and after, with the screens before and after each. The run is this
//! studio's, or a saved one.

mod book;
mod number;
mod picture;
mod rows;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::Value;

pub(super) use book::{Book, RecordedLook, look_of_page};
pub(super) use number::{LookNumber, is_recorded};
pub(super) use picture::blank;
use rows::screen_of;

use super::answer::run_blocking;
use super::frames::{Frame, Look};
use super::{Studio, StudioError, StudioFolder};
use runner_event::{Event, EventKind, FlowId};
use runner_pages::Problem;
use runner_report::{Results, html};
use runner_run::TraceWatch;
use runner_text::input_file::read_text;

/// Steps of a run that are kept.
const MOST_STEPS: usize = 5000;
/// Maximum number of steps of a flow that a page receives: the first, with the number of the others.
const MAX_REPORTED: usize = 2000;
/// Maximum number of flows that a page receives.
const MOST_FLOWS: usize = 5000;
/// Recorded looks that stay in memory.
const MOST_READ: usize = 4;
/// Of a log line's text.
const MOST_LOG: usize = 200;

/// What can be walked through.
#[derive(Default)]
pub(super) struct Timeline {
    state: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Which run it is, by number.
    run: u64,
    /// What the run is called, of a saved one.
    title: Option<String>,
    /// What was left out of it, for a person.
    notes: Vec<String>,
    book: Book,
    steps: usize,
    watch: Option<TraceWatch>,
    /// The attempt whose whole trace was reported last.
    traced: Option<FlowId>,
    read: Vec<Arc<Frame>>,
}

pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/timeline", get(list))
        .route("/timeline/{flow}", get(flow))
        .route("/timeline/rows/{seq}", get(rows_of))
}

/// The flows of the run.
async fn list(State(studio): State<Arc<Studio>>) -> Result<Json<Value>, Problem> {
    run_blocking(&studio, |studio| studio.timeline.list()).await
}

/// All steps of a flow.
async fn flow(
    State(studio): State<Arc<Studio>>,
    Path(flow): Path<usize>,
) -> Result<Json<Value>, Problem> {
    run_blocking(&studio, move |studio| studio.timeline.flow(studio, flow)).await
}

/// Rows with their columns, as a report's page has them.
#[derive(Serialize)]
struct RowsAnswer {
    columns: [&'static str; 8],
    rows: Vec<Vec<String>>,
}

/// The flows of a run.
#[derive(Serialize)]
struct TimelineAnswer {
    run: u64,
    title: Option<String>,
    notes: Vec<String>,
    unreadable: Value,
    flows: Vec<FlowLine>,
}

/// A flow of a run; what the report's page says of it.
#[derive(Serialize)]
struct FlowLine {
    #[serde(rename = "n")]
    number: usize,
    flow: Value,
    case: Value,
    name: Value,
    status: Value,
    message: Value,
    device: Value,
}

/// The rows of a recorded look, as the walk compares them.
async fn rows_of(
    State(studio): State<Arc<Studio>>,
    Path(seq): Path<u64>,
) -> Result<Json<Value>, Problem> {
    run_blocking(&studio, move |studio| {
        let frame = studio.frame(seq)?;
        let look = frame.look().ok_or(StudioError::NotRead)?;
        Ok(RowsAnswer {
            columns: html::COLUMNS,
            rows: html::rows_of(&look.screen),
        })
    })
    .await
}

impl Timeline {
    /// Of a saved run.
    pub(super) fn of_saved(title: String, notes: Vec<String>, book: Book) -> Self {
        Self {
            state: Mutex::new(Inner {
                title: Some(title),
                notes,
                book,
                ..Inner::default()
            }),
        }
    }

    /// Whether it is of a saved run, beside which there is no device.
    pub(super) fn saved(&self) -> Option<String> {
        self.state().title.clone()
    }

    /// A run of this studio begins. Gives what records it: its files go into the studio's `folder`, those of the run before
    /// are removed.
    pub(super) fn begin(&self, folder: Option<&StudioFolder>) -> Option<TraceWatch> {
        let mut state = self.state();
        let run = state.run + 1;
        let folder = folder.map(|folder| folder.path().join("traces"));
        let made = folder.filter(|folder| {
            // Without it the steps are shown, and no screens.
            let _ = fs_err::remove_dir_all(folder);
            fs_err::create_dir(folder).is_ok()
        });
        let watch = made.clone().map(TraceWatch::new);
        let mut results = Results::default();
        results.folders.extend(made);
        *state = Inner {
            run,
            book: Book::Results(Box::new(results)),
            watch: watch.clone(),
            ..Inner::default()
        };
        watch
    }

    /// Takes what happened in the run.
    pub(super) fn add(&self, event: &Event) {
        let mut state = self.state();
        if matches!(event.kind, EventKind::StepStarted { .. }) {
            state.steps += 1;
        }
        if let EventKind::Trace { id, .. } = &event.kind {
            state.traced = Some(id.clone());
        }
        let is_step = matches!(
            event.kind,
            EventKind::StepStarted { .. } | EventKind::StepFinished { .. }
        );
        if is_step && state.steps > MOST_STEPS {
            return;
        }
        if let Book::Results(results) = &mut state.book {
            // Where its artifacts are too, such as the log of a failure.
            if let EventKind::Start { artifacts, .. } = &event.kind {
                results.folders.push(artifacts.clone());
            }
            results.add(event);
        }
    }

    fn list(&self) -> Result<TimelineAnswer, StudioError> {
        let state = self.state();
        let summary = state.book.summary()?;
        let flows = summary["flows"].as_array().map_or(&[][..], Vec::as_slice);
        let devices = &summary["devices"];
        let line = |(number, flow): (usize, &Value)| {
            let device = flow["device"].as_u64().unwrap_or_default() as usize;
            FlowLine {
                number,
                flow: flow["flow"].clone(),
                case: flow["case"].clone(),
                name: flow["name"].clone(),
                status: flow["status"].clone(),
                message: flow["message"].clone(),
                device: devices[device]["label"].clone(),
            }
        };
        let mut notes = state.notes.clone();
        if flows.len() > MOST_FLOWS {
            notes.push(format!("of {} flows the first {MOST_FLOWS}", flows.len()));
        }
        if state.steps > MOST_STEPS {
            notes.push(format!(
                "the run has more than {MOST_STEPS} steps; the first are here"
            ));
        }
        Ok(TimelineAnswer {
            run: state.run,
            title: state.title.clone(),
            notes,
            unreadable: summary["unreadable"].clone(),
            flows: flows
                .iter()
                .enumerate()
                .take(MOST_FLOWS)
                .map(line)
                .collect(),
        })
    }

    fn flow(&self, studio: &Studio, number: usize) -> Result<Value, StudioError> {
        let mut state = self.state();
        state.take_trace();
        let run = state.run;
        let mut detail = state.book.detail(number)?;
        let saved = state.title.is_some();
        drop(state);
        let attempts = detail.get_mut("attempts").and_then(Value::as_array_mut);
        for (attempt, view) in attempts.into_iter().flatten().enumerate() {
            let steps = view.get_mut("steps").and_then(Value::as_array_mut);
            if let Some(steps) = steps.filter(|steps| steps.len() > MAX_REPORTED) {
                let more = steps.len() - MAX_REPORTED;
                steps.truncate(MAX_REPORTED);
                view["more_steps"] = more.into();
            }
            if let Some(log) = view.get_mut("log").and_then(Value::as_array_mut) {
                log.truncate(MOST_LOG);
            }
            let frames = view.pointer_mut("/trace/frames");
            let frames = frames.and_then(Value::as_array_mut);
            for (place, frame) in frames.into_iter().flatten().enumerate() {
                let number = LookNumber {
                    run,
                    flow: number,
                    attempt,
                    frame: place,
                };
                if let Some(seq) = number.seq() {
                    frame["seq"] = seq.into();
                    // While a run goes on, a picture may come later than its rows.
                    if frame.get("picture").is_some() {
                        frame["picture"] = format!("picture/{seq}").into();
                    }
                }
            }
        }
        detail["run"] = run.into();
        if saved {
            detail["files"] = source_states(studio, &detail["sources"]);
        }
        Ok(detail)
    }

    /// A recorded look.
    pub(super) fn frame(&self, seq: u64) -> Result<Arc<Frame>, StudioError> {
        let number = LookNumber::of(seq).ok_or(StudioError::NoFrame)?;
        let mut state = self.state();
        if !number.is_of(state.run) {
            return Err(StudioError::NoFrame);
        }
        if let Some(known) = state.read.iter().find(|frame| frame.seq == seq) {
            return Ok(Arc::clone(known));
        }
        state.take_trace();
        let RecordedLook {
            size,
            at,
            picture,
            screen,
            is_rows,
        } = state.book.look(&number)?;
        let is_whole = picture.is_some();
        let picture = match picture {
            Some(bytes) => picture::checked(bytes, size)?,
            None => picture::blank(size)?,
        };
        let look = screen.map(|screen| Look {
            screen: Arc::new(screen),
            took: 0,
            moving: false,
        });
        let frame = Arc::new(Frame::recorded(seq, picture, at, look, is_rows));
        // Its picture may still come.
        if is_whole {
            if state.read.len() == MOST_READ {
                state.read.remove(0);
            }
            state.read.push(Arc::clone(&frame));
        }
        Ok(frame)
    }

    #[cfg(test)]
    pub(super) fn stored_steps(&self) -> usize {
        match &self.state().book {
            Book::Results(results) => {
                let attempts = results.flows.values().flat_map(|flow| &flow.attempts);
                attempts.map(|attempt| attempt.steps.len()).sum()
            }
            _ => 0,
        }
    }

    fn state(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Takes what is recorded so far of the attempt that is under way.
    fn take_trace(&mut self) {
        let Some((id, trace)) = self.watch.as_ref().and_then(TraceWatch::so_far) else {
            return;
        };
        // Once the whole trace is reported, and just before, its recorder has less.
        if self.traced.as_ref() == Some(&id) || trace.frames.is_empty() {
            return;
        }
        if let Book::Results(results) = &mut self.book {
            let t_ms = results.elapsed_ms;
            let trace = Box::new(trace);
            let kind = EventKind::Trace { id, trace };
            results.add(&Event { seq: 0, t_ms, kind });
        }
    }
}

/// Whether the files of a saved run are still as they were, by their paths.
fn source_states(studio: &Studio, sources: &Value) -> Value {
    let root = &studio.workspace.config.root;
    let state = |file: &str, then: &str| {
        let Ok(path) = runner_tools::paths::below(root, file) else {
            return "gone";
        };
        match fs_err::metadata(&path) {
            Ok(about) if about.len() <= super::file::LARGEST => {}
            Ok(_) => return "changed",
            Err(_) => return "gone",
        }
        let Ok(now) = read_text(&path, super::file::LARGEST) else {
            return "gone";
        };
        // A line with a secret is masked in the run.
        let is_same = |(now, then): (&str, &str)| now == then || then.contains("***");
        let is_whole = now.lines().count() == then.lines().count();
        if is_whole && now.lines().zip(then.lines()).all(is_same) {
            "same"
        } else {
            "changed"
        }
    };
    let all = sources.as_object().into_iter().flatten();
    all.filter_map(|(file, then)| Some((file.clone(), state(file, then.as_str()?).into())))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
