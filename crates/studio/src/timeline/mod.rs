//! Time line: the steps of a run, while it runs and after, with the screens before and after each. The run is
//! one of this studio, or a saved one.

mod number;
mod picture;
mod recorded_look;
mod rows;
mod run_source;
mod source_state;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::get;
use camino::Utf8PathBuf;
use serde::Serialize;

pub(super) use number::{LookNumber, is_recorded};
pub(super) use picture::blank;
pub(super) use recorded_look::RecordedLook;
pub(super) use run_source::RunSource;
use source_state::{SourceState, source_states};

use super::answer::{Answer, run_blocking};
use super::frames::{Frame, Look};
use super::{Studio, StudioError, StudioFolder};
use runner_event::{Event, EventKind, FlowId};
use runner_report::html::view::{Detail, EntryStatus, FlowEntry, InvalidFlowView};
use runner_report::{Results, html};
use runner_run::TraceWatch;

/// Steps of a run that are kept. Chosen: hours of a flow; it bounds the memory.
const MAX_STEPS: usize = 5000;
/// Steps of a flow sent to a page; the rest is counted. Chosen: more makes the page slow.
const MAX_REPORTED_STEPS: usize = 2000;
/// Flows sent to a page. Chosen: more than runs have; it bounds the answer.
const MAX_FLOWS: usize = 5000;
/// Recorded screens kept in memory. Chosen: the one that is shown and its neighbours.
const MAX_READ_FRAMES: usize = 4;
/// Messages of an attempt sent to a page. Chosen: more makes the page slow.
const MAX_LOG_MESSAGES: usize = 200;

/// Run whose steps can be viewed.
#[derive(Default)]
pub(super) struct Timeline {
    state: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Number of the run; 0 for a saved one, and before the first.
    run: u64,
    /// Title of a saved run.
    title: Option<String>,
    /// Messages about what was left out of a saved run.
    notes: Vec<String>,
    source: RunSource,
    steps: usize,
    watch: Option<TraceWatch>,
    /// Attempt whose complete trace was reported last.
    traced: Option<FlowId>,
    read: Vec<Arc<Frame>>,
}

/// Returns the routes of the list of flows, of one flow, and of the rows of a recorded screen.
pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/timeline", get(list))
        .route("/timeline/{flow}", get(flow))
        .route("/timeline/rows/{seq}", get(rows_of))
}

/// Answers with the list of flows that [`Timeline::list`] returns, with secrets masked.
async fn list(State(studio): State<Arc<Studio>>) -> Answer {
    run_blocking(&studio, |studio| Ok(studio.timeline.list())).await
}

/// Answers with a flow and its steps, as [`Timeline::flow`] limits them, with secrets masked.
async fn flow(State(studio): State<Arc<Studio>>, Path(flow): Path<usize>) -> Answer {
    run_blocking(&studio, move |studio| studio.timeline.flow(studio, flow)).await
}

/// Rows with their columns, as a report's page has them.
#[derive(Serialize)]
struct RowsAnswer {
    columns: [&'static str; 8],
    rows: Vec<Vec<String>>,
}

#[derive(Serialize)]
struct TimelineAnswer {
    run: u64,
    title: Option<String>,
    notes: Vec<String>,
    /// `None` if all flows could be parsed.
    unreadable: Option<Vec<InvalidFlowView>>,
    flows: Vec<FlowLine>,
}

/// Flow of a run, with the fields of the report's page.
#[derive(Serialize)]
struct FlowLine {
    #[serde(rename = "n")]
    number: usize,
    flow: Utf8PathBuf,
    case: Option<String>,
    name: Option<String>,
    status: EntryStatus,
    message: Option<String>,
    /// Label of the device; `None` if none had taken the flow.
    device: Option<String>,
}

#[derive(Serialize)]
struct FlowAnswer {
    #[serde(flatten)]
    detail: Detail,
    run: u64,
    /// Today's files of a saved run's sources. `None` for a run of this studio.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<BTreeMap<Utf8PathBuf, SourceState>>,
}

/// Returns the rows of a picture, recorded or live, with the names of their columns, which the page compares.
/// Secrets are masked. Answers 404 if there is no such picture, and with an error if it has no rows, with the reason if
/// it never will.
async fn rows_of(State(studio): State<Arc<Studio>>, Path(seq): Path<u64>) -> Answer {
    run_blocking(&studio, move |studio| {
        let frame = studio.frame(seq)?;
        let look = frame.known()?;
        Ok(RowsAnswer {
            columns: html::COLUMNS,
            rows: html::rows_of(&look.screen),
        })
    })
    .await
}

impl Timeline {
    /// Creates the time line of a saved run, which gets no further events. `notes` are remarks for the person,
    /// before those of the list. Reads nothing.
    pub(super) fn from_saved(title: String, notes: Vec<String>, source: RunSource) -> Self {
        Self {
            state: Mutex::new(Inner {
                title: Some(title),
                notes,
                source,
                ..Inner::default()
            }),
        }
    }

    /// Returns the title of a saved run. `None` for a run of this studio.
    pub(super) fn saved(&self) -> Option<String> {
        self.state().title.clone()
    }

    /// Begins a run of this studio and forgets the one before, with its pictures and a saved run. Returns the
    /// recorder of its traces, whose files go into `traces` in `folder`; those of the run before are removed.
    /// Without a folder, or if it cannot be created, returns `None`, and steps have no screens.
    pub(super) fn begin(&self, folder: Option<&StudioFolder>) -> Option<TraceWatch> {
        let mut state = self.state();
        let run = state.run + 1;
        let folder = folder.map(|folder| folder.path().join("traces"));
        let made = folder.filter(|folder| {
            // Without the folder, steps are shown without screens.
            let _ = fs_err::remove_dir_all(folder);
            fs_err::create_dir(folder).is_ok()
        });
        let watch = made.clone().map(TraceWatch::new);
        let mut results = Results::default();
        results.folders.extend(made);
        *state = Inner {
            run,
            source: RunSource::Results(Box::new(results)),
            watch: watch.clone(),
            ..Inner::default()
        };
        watch
    }

    /// Adds an event of the run. All kinds count; steps beyond [`MAX_STEPS`] are dropped. A saved run ignores
    /// events, and so does a time line without a run.
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
        if is_step && state.steps > MAX_STEPS {
            return;
        }
        if let RunSource::Results(results) = &mut state.source {
            // Folder of other artifacts, such as the log of a failure.
            if let EventKind::Start { artifacts, .. } = &event.kind {
                results.folders.push(artifacts.clone());
            }
            results.add(event);
        }
    }

    /// Returns the list of flows for the page, in the run's order and at most `MAX_FLOWS`, with notes on what is
    /// left out and the flows that do not read. Before the first run it is empty. Masks no secrets.
    fn list(&self) -> TimelineAnswer {
        let state = self.state();
        let summary = state.source.summary();
        let (flows, unreadable) = (&summary.flows, &summary.unreadable);
        let line = |(number, flow): (usize, &FlowEntry)| {
            let device = flow.device.and_then(|place| summary.devices.get(place));
            FlowLine {
                number,
                flow: flow.flow.clone(),
                case: flow.case.clone(),
                name: flow.name.clone(),
                status: flow.status,
                message: flow.message.clone(),
                device: device.map(|device| device.label.clone()),
            }
        };
        let mut notes = state.notes.clone();
        if flows.len() > MAX_FLOWS {
            notes.push(format!("of {} flows the first {MAX_FLOWS}", flows.len()));
        }
        if state.steps > MAX_STEPS {
            notes.push(format!(
                "the run has more than {MAX_STEPS} steps; the first are here"
            ));
        }
        TimelineAnswer {
            run: state.run,
            title: state.title.clone(),
            notes,
            unreadable: (!unreadable.is_empty()).then(|| unreadable.clone()),
            flows: flows.iter().enumerate().take(MAX_FLOWS).map(line).collect(),
        }
    }

    /// Returns a flow with its attempts' steps, log and screens, as far as a running one is recorded, of an attempt
    /// at most `MAX_REPORTED_STEPS` steps and `MAX_LOG_MESSAGES` messages. Only a saved run has the states of its
    /// files. Screens have numbers instead of rows and pictures. Returns [`StudioError::NoRun`] if there is no such
    /// flow, and an error if a saved one is damaged.
    fn flow(&self, studio: &Studio, number: usize) -> Result<FlowAnswer, StudioError> {
        let mut state = self.state();
        state.take_trace();
        let run = state.run;
        let mut detail = state.source.detail(number)?;
        let saved = state.title.is_some();
        drop(state);
        for (attempt, view) in detail.attempts.iter_mut().enumerate() {
            let more = view.steps.len().saturating_sub(MAX_REPORTED_STEPS);
            view.more_steps = (more > 0).then_some(more);
            view.steps.truncate(MAX_REPORTED_STEPS);
            view.log.truncate(MAX_LOG_MESSAGES);
            let frames = view.trace.iter_mut().flat_map(|trace| &mut trace.frames);
            for (place, frame) in frames.enumerate() {
                let number = LookNumber {
                    run,
                    flow: number,
                    attempt,
                    frame: place,
                };
                frame.seq = number.seq();
                // During a run, a picture may come later than its rows.
                if let (Some(seq), Some(picture)) = (frame.seq, &mut frame.picture) {
                    *picture = format!("picture/{seq}");
                }
            }
        }
        Ok(FlowAnswer {
            run,
            files: saved.then(|| source_states(studio, &detail.sources)),
            detail,
        })
    }

    /// Returns a recorded screen, the last few from memory. If its picture is not there, or not yet, the picture is
    /// grey, and the screen is read again the next time. Rows that cannot be read are an error within it. Returns
    /// [`StudioError::NoFrame`] if the number is not of this run or there is no such screen, and an error if its
    /// picture is damaged or too large.
    pub(super) fn frame(&self, seq: u64) -> Result<Arc<Frame>, StudioError> {
        let number = LookNumber::from_seq(seq).ok_or(StudioError::NoFrame)?;
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
        } = state.source.look(&number)?;
        let is_whole = picture.is_some();
        let picture = match picture {
            Some(bytes) => picture::check(bytes, size)?,
            None => picture::blank(size)?,
        };
        let look = screen.map(|screen| Look {
            screen: Arc::new(screen),
            took: 0,
            moving: false,
        });
        let frame = Arc::new(Frame::recorded(seq, picture, at, look, is_rows));
        // The picture may still come.
        if is_whole {
            if state.read.len() == MAX_READ_FRAMES {
                state.read.remove(0);
            }
            state.read.push(Arc::clone(&frame));
        }
        Ok(frame)
    }

    #[cfg(test)]
    pub(super) fn stored_steps(&self) -> usize {
        match &self.state().source {
            RunSource::Results(results) => {
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
    /// Adds the trace of the running attempt as far as it is recorded, in place of what was added before. Does nothing
    /// without a recorder or a screen, and once the attempt's complete trace was reported.
    fn take_trace(&mut self) {
        let Some((id, trace)) = self.watch.as_ref().and_then(TraceWatch::so_far) else {
            return;
        };
        // Around the report of the complete trace, the recorder has less than it.
        if self.traced.as_ref() == Some(&id) || trace.frames.is_empty() {
            return;
        }
        if let RunSource::Results(results) = &mut self.source {
            let t_ms = results.elapsed_ms;
            let trace = Box::new(trace);
            let kind = EventKind::Trace { id, trace };
            results.add(&Event { seq: 0, t_ms, kind });
        }
    }
}
