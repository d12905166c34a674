//! Lists the flow's goldens and runs single snapshots. Decisions are made by the review's server: this page
//! and `runner review` use the same store.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{any, get};
use axum::{Json, Router};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::messages::FeedMessage;
use super::{Studio, StudioError};
use runner_config::Config;
use runner_event::EventKind;
use runner_flow::{Flow, Step, StepAction};
use runner_pages::Problem;
use runner_review::web::{ServerState, api};
use runner_review::{Review, ReviewError};
use runner_run::{Plan, golden_folder};
use runner_text::diagnostic::line_column;
use runner_tools::blocking;

/// Interval of looking for changes of the goldens while a page is open. Chosen: a person notices no delay.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Snapshots listed per flow. Chosen: far more than flows have; it bounds the answer.
const MAX_SNAPSHOTS: usize = 500;

pub(super) struct Goldens {
    /// The review, or the error if it cannot be opened.
    review: Result<Arc<ServerState>, ReviewError>,
    /// Key of the golden that the screen was compared with last, as long as nothing was done since.
    compared: Mutex<Option<String>>,
}

impl Goldens {
    /// Opens the review of the project. Never fails: an error is kept, and answers each request for it. `stop` ends
    /// requests that wait for changes.
    pub(super) fn open(config: &Config, stop: &CancellationToken) -> Self {
        let review =
            Review::open(config).map(|review| Arc::new(ServerState::new(review, stop.clone())));
        Self {
            review,
            compared: Mutex::default(),
        }
    }

    /// Forgets the last comparison, as the screen may have changed.
    pub(super) fn invalidate(&self) {
        self.compared().take();
    }

    /// Follows the events of a run: a begun step forgets the last comparison, and a snapshot becomes it, whatever
    /// its result. Ignores other events.
    pub(super) fn follow(&self, event: &EventKind) {
        match event {
            EventKind::StepStarted { .. } => self.invalidate(),
            EventKind::Snapshot { result, .. } => *self.compared() = Some(result.key.clone()),
            _ => {}
        }
    }

    fn compared(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.compared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the routes of the review and of the list. If the review did not open, all routes of the review answer
/// 409 with the error; the list works without it. The routes check no access.
pub(super) fn routes(studio: &Arc<Studio>) -> Router<Arc<Studio>> {
    let review = match &studio.goldens.review {
        Ok(state) => api(state),
        Err(error) => {
            let why = error.to_string();
            let refused = move || async move { Problem(StatusCode::CONFLICT, why) };
            Router::new().route("/api/{*rest}", any(refused))
        }
    };
    review.route("/goldens", get(list))
}

/// Notifies pages when goldens or flows change, and at the first look. Does nothing if the review did not open;
/// errors of a look are ignored. Looks only while a page listens, and less often for a large folder. Never ends.
pub(super) async fn watch(studio: &Studio) {
    let Ok(review) = &studio.goldens.review else {
        return std::future::pending().await;
    };
    let mut known = 0;
    loop {
        studio.feed.page().await;
        let began = Instant::now();
        // Goldens that cannot be read now may be readable next time.
        if let Ok(version) = review.work(Review::version).await
            && std::mem::replace(&mut known, version) != version
        {
            studio.feed.publish(&FeedMessage::Goldens);
        }
        // Slower for a large folder, so that looking takes a small share of the time.
        tokio::time::sleep(LOOK_INTERVAL.max(began.elapsed() * 20)).await;
    }
}

#[derive(Serialize)]
struct GoldensAnswer {
    folder: Utf8PathBuf,
    reads: bool,
    saved: bool,
    snapshots: Vec<SnapshotLine>,
    there: Option<String>,
}

/// Snapshot with its goldens.
#[derive(Serialize)]
struct SnapshotLine {
    name: Utf8PathBuf,
    place: Option<SnapshotPlace>,
    goldens: Vec<String>,
    /// True if anything of it is stored: a golden, or rows common to all render classes.
    rows: bool,
    cases: usize,
}

/// Place of a step that takes a snapshot.
#[derive(Serialize)]
struct SnapshotPlace {
    file: Utf8PathBuf,
    line: usize,
    /// True if the step is in the flow's own file.
    own: bool,
}

/// Returns the snapshots of the page's flow and the key compared last, with secrets masked. An error if the flow's
/// file or the goldens cannot be read.
async fn list(State(studio): State<Arc<Studio>>) -> Result<Json<Value>, Problem> {
    let of = Arc::clone(&studio);
    let listed = blocking(move || list_snapshots(&of))
        .await
        .map_err(StudioError::from)?;
    Ok(Json(studio.scrubbed(listed?)))
}

/// Lists the snapshots of the saved flow, or of the text in memory if the flow has no file. A flow that does not read
/// has none, and its folder is that of its file's name.
fn list_snapshots(studio: &Studio) -> Result<GoldensAnswer, StudioError> {
    let config = &studio.workspace.config;
    let file = &studio.file;
    let (flow, _) = file.flow(&file.read()?.text)?;
    let key = flow.as_ref().map_or_else(
        || file.assumed().with_extension(""),
        |flow| flow.key.clone(),
    );
    let folder = golden_folder(&config.flows.value, &key);
    let stored = stored(config)?;
    let snapshots = flow
        .as_ref()
        .map(|flow| snapshots(flow, &folder, &stored))
        .unwrap_or_default();
    Ok(GoldensAnswer {
        folder,
        reads: flow.is_some(),
        saved: file.path().is_some(),
        snapshots,
        there: studio.goldens.compared().clone(),
    })
}

/// Lists the stored goldens by lower-case path of flow and name, as some file systems ignore the case. Each has the
/// keys of its render classes, once and as they are written; a golden with shared rows only has none. Pending files
/// are left out.
fn stored(config: &Config) -> Result<BTreeMap<Utf8PathBuf, Vec<String>>, StudioError> {
    let files = config.store().files();
    let files = files.map_err(|error| StudioError::File(error.to_string()))?;
    let mut stored: BTreeMap<Utf8PathBuf, Vec<String>> = BTreeMap::new();
    for (key, _, pending) in files {
        if pending {
            continue;
        }
        let known = stored.entry(lower(&key.flow().join(key.name().as_str())));
        let known = known.or_default();
        let text = key.to_string();
        // Rows and picture of one class are one golden.
        if key.class().is_some() && !known.contains(&text) {
            known.push(text);
        }
    }
    Ok(stored)
}

/// Lists each snapshot of the flow once, with its stored goldens, which may be none, at most [`MAX_SNAPSHOTS`].
/// `place` is missing for snapshots that no step of a file takes.
fn snapshots(
    flow: &Flow,
    folder: &Utf8Path,
    stored: &BTreeMap<Utf8PathBuf, Vec<String>>,
) -> Vec<SnapshotLine> {
    let folders = flow.golden_folders(folder);
    let uses = runner_flow::goldens(flow);
    let reported = uses.iter().take(MAX_SNAPSHOTS).map(|golden| {
        let paths = || {
            folders
                .iter()
                .map(|folder| lower(&folder.join(&golden.path)))
        };
        let own = paths().filter_map(|path| stored.get(&path));
        let place = golden.snapshot().map(|(source, span)| {
            let (line, _) = line_column(&source.text, span.start);
            SnapshotPlace {
                file: source.path.clone(),
                line,
                own: source.path == flow.source.path,
            }
        });
        SnapshotLine {
            name: golden.path.clone(),
            place,
            goldens: own.flatten().cloned().collect(),
            rows: paths().any(|path| stored.contains_key(&path)),
            cases: flow.cases.len(),
        }
    });
    reported.collect()
}

fn lower(path: &Utf8Path) -> Utf8PathBuf {
    path.as_str().to_lowercase().into()
}

/// Reduces a plan to the step that takes a snapshot at a line, without setup, teardown and `on_failure`, so that it
/// compares the current screen. Keeps all cases if `all` is true, else the first. Looks for the step in setup,
/// teardown and blocks too. Returns an error if no snapshot begins at the line, or the plan has no case.
pub(super) fn only_snapshot(mut plan: Plan, line: usize, all: bool) -> Result<Plan, StudioError> {
    if !all {
        plan.cases.truncate(1);
    }
    let flow = &plan.cases.first().ok_or(StudioError::NoSnapshot)?.flow;
    let mut reduced = Flow::clone(flow);
    let found = reduced
        .step_lists()
        .into_iter()
        .find_map(|steps| snapshot_at(steps, flow, line));
    reduced.steps = vec![found.ok_or(StudioError::NoSnapshot)?];
    reduced.setup.clear();
    reduced.on_failure.clear();
    reduced.teardown.clear();
    let reduced = Arc::new(reduced);
    for case in &mut plan.cases {
        case.flow = Arc::clone(&reduced);
    }
    Ok(plan)
}

/// Returns the snapshot step that begins in this line of the flow's own file, in blocks too; the first of several.
/// `None` if there is none. The blocks around it are not in the result.
fn snapshot_at(steps: &[Step], flow: &Flow, line: usize) -> Option<Step> {
    let is_here = |step: &Step| {
        step.source.path == flow.source.path
            && line_column(&step.source.text, step.span.start).0 == line
    };
    steps.iter().find_map(|step| match &step.action {
        StepAction::Snapshot(_) => is_here(step).then(|| step.clone()),
        StepAction::Control(control) => {
            let mut lists = control.lists().into_iter();
            lists.find_map(|steps| snapshot_at(steps, flow, line))
        }
        _ => None,
    })
}
