//! Steering a run from the page: breakpoints, pauses and what is decided at them, edits of what failed, runs on save.

mod apply;
mod breakpoints;
mod import;
pub(super) mod missing;
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

use super::answer::{Answer, Shared};
use super::messages::{Done, FeedMessage};
use super::part::Outline;
use super::{Studio, StudioError};
use runner_pages::Problem;
use runner_run::{DebugChoice, Decision, NamedValue, Pause};
use runner_tools::{Failure, Fix, blocking};

use breakpoints::Breakpoint;
pub(super) use missing::{MissingNames, Values};
pub(super) use studio_debugger::{StudioDebugger, stop, wait_for_idle};
pub(super) use watch::watch;

/// Breakpoints of a flow.
const MOST_BREAKPOINTS: usize = 500;

/// Edits that are offered for a failure.
const MOST_FIXES: usize = 8;

/// What the pages of a studio have said about runs, and what a run waits for.
#[derive(Debug)]
pub(super) struct DebuggerState {
    inner: Mutex<Inner>,
    /// Whether saves run the flow.
    runs_on_save: tokio::sync::watch::Sender<bool>,
}

#[derive(Debug)]
struct Inner {
    /// Lines of the flow as it is now, from 1.
    breakpoints: BTreeSet<usize>,
    /// The text that these lines count in.
    text: Arc<str>,
    /// The text that runs, or ran last.
    runs: Arc<str>,
    pauses_at_failures: bool,
    /// Only the next step runs.
    steps_once: bool,
    /// What of the flow runs.
    outline: Option<Outline>,
    pause: Option<OpenPause>,
    /// What names stand for at the pause, or stood for when the run ended.
    values: Vec<NamedValue>,
    /// How many pauses there were.
    turns: u64,
}

/// How runs are steered, for the page.
#[derive(Debug, Serialize)]
pub(super) struct PilotState {
    breakpoints: BTreeSet<usize>,
    pauses_at_failures: bool,
    runs_on_save: bool,
    pause: Option<Box<PauseState>>,
    values: Vec<NamedValue>,
}

/// A pause for the page.
#[derive(Debug, Serialize)]
struct PauseState {
    turn: u64,
    why: PauseReason,
    /// In the text as it is now, and as it runs.
    line: Option<usize>,
    at: usize,
    file: Utf8PathBuf,
    title: String,
    failure: Option<Failure>,
    fixes: Vec<String>,
}

/// Why a run pauses.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum PauseReason {
    Failure,
    Step,
    Breakpoint,
}

/// A run that waits.
#[derive(Debug)]
struct OpenPause {
    pause: Pause,
    /// Its line in the text as it is now; of the page's flow.
    line: Option<usize>,
    is_step: bool,
    answer: oneshot::Sender<Decision>,
}

impl Default for DebuggerState {
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

    /// The state for a page that comes now, and for all pages.
    pub(super) fn state(&self) -> PilotState {
        let inner = self.lock();
        let pause = inner.pause.as_ref().map(|open| {
            let place = &open.pause.place;
            let fixes = open.pause.failure.iter().flat_map(|it| &it.fixes);
            let fixes: Vec<String> = fixes.take(MOST_FIXES).map(Fix::to_string).collect();
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

    /// The flow's text is another one: what stands at its lines goes with them.
    pub(super) fn follow_text(&self, text: &str) {
        if self.debugger.follow(text) {
            self.notify_debugger();
        }
    }
}

/// What pages ask for.
pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/breakpoint", post(breakpoint))
        .route("/pilot", post(set))
        .route("/decide", post(decide))
        .route("/apply", post(apply_fix))
        .route("/take-over", post(take_over))
}

/// A line of the flow.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    line: usize,
}

/// Sets a breakpoint, or takes it away.
async fn breakpoint(State(studio): Shared, Json(Line { line }): Json<Line>) -> Answer<Breakpoint> {
    let work = Arc::clone(&studio);
    let set = blocking(move || work.toggle(line)).await;
    let set = set.map_err(StudioError::from)?.map_err(problem(&studio))?;
    studio.notify_debugger();
    Ok(Json(set))
}

/// How runs are to be steered.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    pauses_at_failures: Option<bool>,
    runs_on_save: Option<bool>,
}

async fn set(State(studio): Shared, Json(settings): Json<Settings>) -> Json<Done> {
    if let Some(pauses) = settings.pauses_at_failures {
        studio.debugger.lock().pauses_at_failures = pauses;
    }
    if let Some(runs) = settings.runs_on_save {
        studio.debugger.runs_on_save.send_replace(runs);
    }
    studio.notify_debugger();
    Json(Done {})
}

/// What a page decides at a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    /// Run on.
    Go,
    /// Run one step.
    Step,
    /// Go on behind the step.
    Skip,
    /// End the flow.
    Stop,
}

impl From<Choice> for DebugChoice {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Go | Choice::Step => Self::Go,
            Choice::Skip => Self::Skip,
            Choice::Stop => Self::Stop,
        }
    }
}

/// A decision at the pause with this number.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decided {
    turn: u64,
    choice: Choice,
}

async fn decide(State(studio): Shared, Json(decided): Json<Decided>) -> Answer<Done> {
    let deciding = studio_debugger::decide(&studio, decided.turn, decided.choice).await;
    deciding.map_err(problem(&studio))?;
    Ok(Json(Done {}))
}

/// One of the edits that are offered at a pause.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
    turn: u64,
    fix: usize,
}

/// Edits the flow, and runs the step again.
async fn apply_fix(State(studio): Shared, Json(chosen): Json<Chosen>) -> Answer<Done> {
    let work = Arc::clone(&studio);
    let applied = blocking(move || apply::apply(&work, chosen.turn, chosen.fix)).await;
    let content = applied
        .map_err(StudioError::from)?
        .map_err(problem(&studio))?;
    studio.notify_file(&content);
    let deciding = studio_debugger::decide(&studio, chosen.turn, Choice::Go).await;
    deciding.map_err(problem(&studio))?;
    Ok(Json(Done {}))
}

/// The name of a flow to be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    name: String,
}

/// Where the flow is now.
#[derive(Serialize)]
struct FilePath {
    path: Option<String>,
}

/// Writes a flow of Maestro's as a flow of our own, and goes on with that.
async fn take_over(State(studio): Shared, Json(Name { name }): Json<Name>) -> Answer<FilePath> {
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

/// An error for the page, masked.
fn problem(studio: &Studio) -> impl Fn(StudioError) -> Problem {
    let scrubber = studio.workspace.scrubber.clone();
    move |error| {
        let Problem(status, text) = error.into();
        Problem(status, scrubber.scrub_outside(&text).into_owned())
    }
}
