//! Controls a run from the page: breakpoints, pauses and decisions, edits of a failed step, runs on save.

mod apply;
mod breakpoints;
mod import;
pub(super) mod missing_names;
mod studio_debugger;
mod watch;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::answer::{Answer, SharedStudio};
use super::messages::{EmptyAnswer, FeedMessage};
use super::part::Outline;
use super::{Studio, StudioError};
use runner_pages::Problem;
use runner_run::{DebugChoice, Decision, NamedValue, Pause};
use runner_tools::{Failure, Fix, blocking};

use breakpoints::Breakpoint;
pub(super) use missing_names::{MissingNames, Values};
pub(super) use studio_debugger::{StudioDebugger, stop, wait_for_idle};
pub(super) use watch::watch;

/// Breakpoints of a flow. Chosen: more than people set; it bounds the state that each page receives.
const MAX_BREAKPOINTS: usize = 500;

/// Edits offered for a failure. Chosen: a person chooses among few.
const MAX_FIXES: usize = 8;

/// Settings of the pages for runs, and the current pause.
#[derive(Debug)]
pub(super) struct DebuggerState {
    inner: Mutex<Inner>,
    /// True if saving the file runs the flow.
    runs_on_save: tokio::sync::watch::Sender<bool>,
}

#[derive(Debug)]
struct Inner {
    /// Lines with breakpoints in [`Self::text`], from 1.
    breakpoints: BTreeSet<usize>,
    /// Current text of the flow.
    text: Arc<str>,
    /// Text of the current run, or of the last one.
    runs: Arc<str>,
    pauses_at_failures: bool,
    /// True if the run pauses again after the next step.
    steps_once: bool,
    /// Steps of the flow that run.
    outline: Option<Outline>,
    pause: Option<OpenPause>,
    /// Values of names at the pause, or at the end of the run.
    values: Vec<NamedValue>,
    /// Number of pauses so far, which identifies the current one.
    turns: u64,
}

/// State of the debugger for the page.
#[derive(Debug, Serialize)]
pub(super) struct PilotState {
    breakpoints: BTreeSet<usize>,
    pauses_at_failures: bool,
    runs_on_save: bool,
    pause: Option<Box<PauseState>>,
    values: Vec<NamedValue>,
}

/// Pause for the page.
#[derive(Debug, Serialize)]
struct PauseState {
    turn: u64,
    why: PauseReason,
    /// Line in the current text, and in the text that runs.
    line: Option<usize>,
    at: usize,
    file: Utf8PathBuf,
    title: String,
    failure: Option<Failure>,
    fixes: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum PauseReason {
    Failure,
    Step,
    Breakpoint,
}

/// Pause that waits for a decision.
#[derive(Debug)]
struct OpenPause {
    pause: Pause,
    /// Line in the current text, if the step is in the page's flow.
    line: Option<usize>,
    is_step: bool,
    answer: oneshot::Sender<Decision>,
}

impl Default for DebuggerState {
    /// Creates the state before the first run: no breakpoints, pauses at failures, no run on save.
    fn default() -> Self {
        Self {
            inner: Mutex::new(Inner {
                breakpoints: BTreeSet::new(),
                text: "".into(),
                runs: "".into(),
                pauses_at_failures: true,
                steps_once: false,
                outline: None,
                pause: None,
                values: Vec::new(),
                turns: 0,
            }),
            runs_on_save: tokio::sync::watch::Sender::new(false),
        }
    }
}

impl DebuggerState {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state for pages: breakpoints, switches, values, and the pause with its reason and at most
    /// [`MAX_FIXES`] fixes; `None` for it if no run is paused. A failure comes before a step as the reason, and a
    /// breakpoint last. Secrets are not masked here.
    pub(super) fn state(&self) -> PilotState {
        let inner = self.lock();
        let pause = inner.pause.as_ref().map(|open| {
            let place = &open.pause.place;
            let fixes = open.pause.failure.iter().flat_map(|it| &it.fixes);
            let fixes: Vec<String> = fixes.take(MAX_FIXES).map(Fix::to_string).collect();
            let why = match (&open.pause.failure, open.is_step) {
                (Some(_), _) => PauseReason::Failure,
                (None, true) => PauseReason::Step,
                (None, false) => PauseReason::Breakpoint,
            };
            Box::new(PauseState {
                turn: inner.turns,
                why,
                line: open.line,
                at: place.at.line,
                file: place.at.file.clone(),
                title: place.title.clone(),
                failure: open.pause.failure.clone(),
                fixes,
            })
        });
        PilotState {
            breakpoints: inner.breakpoints.clone(),
            pauses_at_failures: inner.pauses_at_failures,
            runs_on_save: *self.runs_on_save.borrow(),
            pause,
            values: inner.values.clone(),
        }
    }
}

impl Studio {
    /// Sends the debugger's state to the pages.
    fn notify_debugger(&self) {
        let pilot = self.debugger.state();
        self.publish(FeedMessage::Pilot { pilot });
    }

    /// Moves breakpoints to their lines in the new text, and notifies the pages if one changed.
    pub(super) fn follow_text(&self, text: &str) {
        if self.debugger.follow(text) {
            self.notify_debugger();
        }
    }
}

/// Returns the routes of the debugger: breakpoints, switches, decisions, fixes, and the conversion of a Maestro
/// flow.
pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/breakpoint", post(breakpoint))
        .route("/pilot", post(set))
        .route("/decide", post(decide))
        .route("/apply", post(apply_fix))
        .route("/take-over", post(take_over))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineRequest {
    line: usize,
}

/// Sets a breakpoint at the step of a line, or removes it, and tells all pages. The answer has its line and state.
/// An error, told to nobody else, if no step covers the line, there are too many, or the file cannot be read.
async fn breakpoint(
    State(studio): SharedStudio,
    Json(LineRequest { line }): Json<LineRequest>,
) -> Answer<Breakpoint> {
    let work = Arc::clone(&studio);
    let set = blocking(move || work.toggle(line)).await;
    let set = set.map_err(StudioError::from)?.map_err(problem(&studio))?;
    studio.notify_debugger();
    Ok(Json(set))
}

/// Settings for runs. Missing ones stay as they are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    pauses_at_failures: Option<bool>,
    runs_on_save: Option<bool>,
}

/// Sets the settings that are given, leaves the others, and tells all pages. Turning runs on save on does not run
/// the flow at once.
async fn set(State(studio): SharedStudio, Json(settings): Json<Settings>) -> Json<EmptyAnswer> {
    if let Some(pauses) = settings.pauses_at_failures {
        studio.debugger.lock().pauses_at_failures = pauses;
    }
    if let Some(runs) = settings.runs_on_save {
        studio.debugger.runs_on_save.send_replace(runs);
    }
    studio.notify_debugger();
    Json(EmptyAnswer {})
}

/// Decision at a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    /// Continue.
    Go,
    /// Run one step and pause again.
    Step,
    /// Continue after this step, without running it.
    Skip,
    Stop,
}

impl From<Choice> for DebugChoice {
    /// Converts the choice of a page. A step runs as going on does, and the next pause is set elsewhere; the others
    /// stay what they are.
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Go | Choice::Step => Self::Go,
            Choice::Skip => Self::Skip,
            Choice::Stop => Self::Stop,
        }
    }
}

/// Decision about the pause with this number.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionRequest {
    turn: u64,
    choice: Choice,
}

async fn decide(
    State(studio): SharedStudio,
    Json(decided): Json<DecisionRequest>,
) -> Answer<EmptyAnswer> {
    let deciding = studio_debugger::decide(&studio, decided.turn, decided.choice).await;
    deciding.map_err(problem(&studio))?;
    Ok(Json(EmptyAnswer {}))
}

/// Edit chosen among those offered at a pause.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FixRequest {
    turn: u64,
    fix: usize,
}

/// Applies a fix to the flow's file, tells the pages, and runs the failed step again. Answers with an error if the
/// pause is over or the flow cannot be edited. An error of going on leaves the file edited.
async fn apply_fix(
    State(studio): SharedStudio,
    Json(chosen): Json<FixRequest>,
) -> Answer<EmptyAnswer> {
    let work = Arc::clone(&studio);
    let applied = blocking(move || apply::apply(&work, chosen.turn, chosen.fix)).await;
    let content = applied
        .map_err(StudioError::from)?
        .map_err(problem(&studio))?;
    studio.notify_file(&content);
    let deciding = studio_debugger::decide(&studio, chosen.turn, Choice::Go).await;
    deciding.map_err(problem(&studio))?;
    Ok(Json(EmptyAnswer {}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameRequest {
    name: String,
}

/// Path of the flow after it was converted.
#[derive(Serialize)]
struct FilePath {
    path: Option<String>,
}

/// Converts the page's flow of Maestro's to a new flow with this name, with which the page continues, and tells all
/// pages. Errors are those of [`import::take_over`]; nothing changes then.
async fn take_over(
    State(studio): SharedStudio,
    Json(NameRequest { name }): Json<NameRequest>,
) -> Answer<FilePath> {
    let work = Arc::clone(&studio);
    let acquired = blocking(move || import::take_over(&work.file, &name));
    let content = acquired
        .await
        .map_err(StudioError::from)?
        .map_err(problem(&studio))?;
    studio.notify_file(&content);
    let path = studio.file.path();
    Ok(Json(FilePath { path }))
}

/// Returns a function that converts an error to an answer, with secrets masked.
fn problem(studio: &Studio) -> impl Fn(StudioError) -> Problem {
    let scrubber = studio.workspace.scrubber.clone();
    move |error| {
        let Problem(status, text) = error.into();
        Problem(status, scrubber.scrub_outside(&text).into_owned())
    }
}
