//! One function a request.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::act::{self, ActRequest};
use super::file::{self, Content, SaveResult};
use super::messages::{Done, FileState};
use super::run::{self, RunRequest};
use super::selectors::{self, AssertionRequest, Pick, Trial};
use super::{Studio, StudioError, debugger, feed, live, view};
use runner_agent::record::RecordedSteps;
use runner_event::scrub::Scrub as _;
use runner_flow::Flow;
use runner_pages::Problem;
use runner_pages::web;
use runner_run::{PlannedCase, judge_edit};
use runner_text::diagnostic::{Code, Diagnostic};
use runner_tools::blocking;

/// How often a page hears that the server is there, while nothing happens.
const ALIVE: Duration = Duration::from_secs(15);

/// The page's own files.
const FILES: [(&str, &str, &str); 9] = [
    ("style.css", "text/css; charset=utf-8", web::STYLE),
    (
        "studio.css",
        "text/css; charset=utf-8",
        concat!(
            include_str!("../../review/web/case.css"),
            include_str!("../web/studio.css"),
            include_str!("../web/dock.css"),
            include_str!("../../pages/web/walk/walk.css"),
            include_str!("../web/timeline.css"),
            include_str!("../web/device.css"),
            include_str!("../web/pilot.css"),
            include_str!("../web/goldens.css"),
            include_str!("../web/sweep.css"),
        ),
    ),
    ("studio.js", "text/javascript; charset=utf-8", SCRIPT),
    ("compare.js", "text/javascript; charset=utf-8", web::COMPARE),
    ("parts.js", "text/javascript; charset=utf-8", web::PARTS),
    ("time.js", "text/javascript; charset=utf-8", web::TIME),
    ("words.js", "text/javascript; charset=utf-8", web::WORDS),
    ("walk.js", "text/javascript; charset=utf-8", web::WALK),
    (
        "icon.svg",
        "image/svg+xml",
        include_str!("../../review/web/icon.svg"),
    ),
];

/// The page, one idea a file; what comes behind `dock.html` is a panel each.
const PAGE: &str = concat!(
    include_str!("../web/studio.html"),
    include_str!("../web/dock.html"),
    include_str!("../web/steps.html"),
    include_str!("../web/pilot.html"),
    include_str!("../web/log.html"),
    include_str!("../web/goldens.html"),
    include_str!("../web/sweep.html"),
    include_str!("../web/apps.html"),
    include_str!("../web/device.html"),
    include_str!("../web/devices.html"),
    include_str!("../web/agents.html"),
    include_str!("../web/end.html"),
);

/// The page's own script, one idea a file.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../../review/web/lookup.js"),
    include_str!("../../review/web/dom.js"),
    include_str!("../web/lists.js"),
    include_str!("../web/menu.js"),
    include_str!("../web/server.js"),
    include_str!("../web/screen.js"),
    include_str!("../web/touch.js"),
    include_str!("../web/fingers.js"),
    include_str!("../web/ruler.js"),
    include_str!("../web/rows.js"),
    include_str!("../web/picker.js"),
    include_str!("../web/film.js"),
    include_str!("../web/steps.js"),
    include_str!("../web/colour.js"),
    include_str!("../web/complete.js"),
    include_str!("../web/editor.js"),
    include_str!("../web/insert.js"),
    include_str!("../web/explain.js"),
    include_str!("../web/run.js"),
    include_str!("../web/phone.js"),
    include_str!("../web/replay.js"),
    include_str!("../web/take.js"),
    include_str!("../web/sweep.js"),
    // The review's own scripts show a case and decide about it, with elements and words of this page.
    "(() => {\n",
    include_str!("../web/goldens/page.js"),
    include_str!("../../review/web/queue.js"),
    include_str!("../../review/web/when.js"),
    include_str!("../../review/web/case.js"),
    include_str!("../../review/web/rows.js"),
    include_str!("../../review/web/decide.js"),
    include_str!("../web/goldens/goldens.js"),
    "})();\n",
    include_str!("../web/dock.js"),
    include_str!("../web/device.js"),
    include_str!("../web/apps.js"),
    include_str!("../web/log.js"),
    include_str!("../web/devices.js"),
    include_str!("../web/agents.js"),
    include_str!("../web/pilot.js"),
    include_str!("../web/timeline.js"),
    include_str!("../web/main.js"),
    "})();\n",
);

pub(super) type Answer<T = Value> = Result<Json<T>, Problem>;
pub(super) type Shared = State<Arc<Studio>>;

/// The page.
pub(super) async fn page() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (kind, PAGE).into_response()
}

/// Lets nobody act beside a saved run: there is no device.
pub(super) async fn with_device(State(studio): Shared, request: Request, next: Next) -> Response {
    const ALONE: [&str; 3] = ["/pick", "/try", "/lint"];
    let needs = request.method() != Method::GET && !ALONE.contains(&request.uri().path());
    if needs && studio.timeline.saved().is_some() {
        let why = "this is a saved run, without a device; start `runner studio` without it to act, write and run";
        return Problem(StatusCode::CONFLICT, why.to_owned()).into_response();
    }
    next.run(request).await
}

/// One of the page's files.
pub(super) async fn file(Path(name): Path<String>) -> Result<Response, Problem> {
    runner_pages::file(&FILES, &name)
}

/// The news after `from`, as long as the page listens.
pub(super) async fn events(
    State(studio): Shared,
    address: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let from = address
        .query()
        .and_then(|query| query.strip_prefix("from="));
    // The browser sends it when it asks again by itself.
    let last = headers
        .get("last-event-id")
        .and_then(|last| last.to_str().ok());
    let telling = Arc::clone(&studio);
    let stop = studio.stop.clone();
    let message = studio
        .feed
        .listen(last.or(from), move || telling.state(), stop);
    match message {
        Some(messages) => Ok(Sse::new(messages)
            .keep_alive(KeepAlive::new().interval(ALIVE))
            .into_response()),
        None => Err(Problem(
            StatusCode::SERVICE_UNAVAILABLE,
            format!(
                "{} pages of this studio are open already; close one",
                feed::PAGES
            ),
        )),
    }
}

/// A picture. No browser keeps it (`pages::guarded` says `no-store`): its number is another picture's when the server starts
/// again, and it may show a secret, which is not to come to the disk.
pub(super) async fn picture(
    State(studio): Shared,
    Path(seq): Path<u64>,
) -> Result<Response, Problem> {
    let of = Arc::clone(&studio);
    // It may have to be read from the disk.
    let frame = blocking(move || of.frame(seq)).await;
    let frame = frame.map_err(StudioError::from)??;
    let kind = [(header::CONTENT_TYPE, frame.picture.media_type)];
    Ok((kind, frame.picture.bytes.clone()).into_response())
}

/// A small picture, for lists: the same one, where it cannot be made smaller.
pub(super) async fn small(
    State(studio): Shared,
    Path(seq): Path<u64>,
) -> Result<Response, Problem> {
    let of = Arc::clone(&studio);
    let work = move || {
        let frame = of.frame(seq)?;
        Ok::<_, StudioError>(live::small(&frame.picture).unwrap_or_else(|| {
            let picture = &frame.picture;
            (picture.media_type, picture.bytes.clone())
        }))
    };
    let (kind, bytes) = blocking(work).await.map_err(StudioError::from)??;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

/// Looks for the device at once.
pub(super) async fn again(State(studio): Shared, Json(_): Json<Value>) -> Json<Done> {
    studio.acted.notify_one();
    Json(Done {})
}

/// The rows of a picture.
pub(super) async fn look(State(studio): Shared, Path(seq): Path<u64>) -> Answer {
    run_blocking(&studio, move |studio| {
        let frame = studio.frame(seq)?;
        view::look(&frame)
    })
    .await
}

/// The history from a step on, also older than what pages receive unasked.
pub(super) async fn history(State(studio): Shared, Path(first): Path<usize>) -> Answer {
    run_blocking(&studio, move |studio| Ok(studio.history_from(Some(first)))).await
}

/// Something to do; the steps of the recording since `block`, that the page puts into the flow.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recorded<T> {
    #[serde(rename = "wish")]
    pub(super) request: T,
    /// The first step that the page still may change; a new part of the flow begins where there is none.
    pub(super) block: Option<usize>,
}

/// Acts on the device.
pub(super) async fn act(
    State(studio): Shared,
    Json(requested): Json<Recorded<ActRequest>>,
) -> Answer {
    let block = block(&studio, requested.block);
    act::perform(&studio, &requested.request)
        .await
        .map_err(|failure| to_problem(&studio, failure.into()))?;
    Ok(Json(recorded(&studio, block)))
}

/// The selectors of an element.
pub(super) async fn pick(State(studio): Shared, Json(pick): Json<Pick>) -> Answer {
    run_blocking(&studio, move |studio| selectors::pick(studio, &pick)).await
}

/// What a selector selects.
pub(super) async fn attempt(State(studio): Shared, Json(trial): Json<Trial>) -> Answer {
    run_blocking(&studio, move |studio| selectors::attempt(studio, &trial)).await
}

/// Adds an assertion.
pub(super) async fn assert(
    State(studio): Shared,
    Json(requested): Json<Recorded<AssertionRequest>>,
) -> Answer {
    let block = block(&studio, requested.block);
    run_blocking(&studio, move |studio| {
        selectors::assert(studio, &requested.request)?;
        Ok(recorded(studio, block))
    })
    .await
}

/// The flow.
pub(super) async fn flow(State(studio): Shared) -> Json<FileState> {
    Json(studio.file_now())
}

/// A flow to save.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    text: String,
    /// Of what it was made from.
    version: String,
    /// Of a flow that has no file yet, or a copy.
    name: Option<String>,
}

/// What saving came to.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum SaveAnswer {
    Saved {
        path: Option<String>,
        version: String,
    },
    Conflict {
        conflict: Content,
    },
}

/// Saves the flow. Where somebody else wrote it meanwhile, nothing is written, and the answer holds what is there.
pub(super) async fn save(State(studio): Shared, Json(save): Json<Save>) -> Answer<SaveAnswer> {
    let work = Arc::clone(&studio);
    let saved = blocking(move || {
        work.file
            .save(save.text, &save.version, save.name.as_deref())
    });
    let saved = saved.await.map_err(StudioError::from)?;
    let saved = match saved.map_err(|error| to_problem(&studio, error))? {
        SaveResult::Saved(content) => {
            studio.notify_file(&content);
            SaveAnswer::Saved {
                path: studio.file.path(),
                version: content.version,
            }
        }
        SaveResult::Conflict(conflict) => SaveAnswer::Conflict { conflict },
    };
    Ok(Json(saved))
}

/// A text to look at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    text: String,
}

/// What is wrong with a text.
pub(super) async fn lint(State(studio): Shared, Json(requested): Json<Text>) -> Answer {
    run_blocking(&studio, move |studio| {
        file::lint(&studio.file, &requested.text, |flow| doubts(studio, flow))
    })
    .await
}

/// Returns what recordings and goldens say against a flow.
fn doubts(studio: &Studio, flow: Flow) -> Vec<Diagnostic> {
    let workspace = &studio.workspace;
    let Some(case) = PlannedCase::all_of(&Arc::new(flow)).into_iter().next() else {
        return Vec::new();
    };
    let judging = judge_edit(&workspace.config, &workspace.context, &case, &[]);
    // A flow may be written where nothing can be judged.
    let result = tokio::runtime::Handle::current().block_on(Box::pin(judging));
    let mut doubts = result.unwrap_or_default().diagnostics;
    // A run from here checks it.
    doubts.retain(|doubt| doubt.code != Code::NotChecked);
    doubts
}

/// That a run began, or which names need values before.
#[derive(Serialize)]
pub(super) struct Begun {
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<Vec<String>>,
}

/// Runs the flow or a part of it.
pub(super) async fn run(State(studio): Shared, Json(request): Json<RunRequest>) -> Answer<Begun> {
    let begun = run::begin(&studio, request)
        .await
        .map_err(|error| to_problem(&studio, error))?;
    let needs = begun.err().map(|missing| missing.0);
    Ok(Json(Begun { needs }))
}

/// Stops the run.
pub(super) async fn stop(State(studio): Shared, Json(_): Json<Value>) -> Json<Done> {
    debugger::stop(&studio);
    Json(Done {})
}

/// Where the steps begin that the page may change.
pub(super) fn block(studio: &Studio, block: Option<usize>) -> usize {
    block.unwrap_or_else(|| studio.workspace.recorder.pause())
}

pub(super) fn recorded(studio: &Studio, block: usize) -> Value {
    studio.agents.put(studio, block);
    steps_json(studio, block, &studio.workspace.recorder.steps(block))
}

/// Steps for the page to put into the flow.
#[derive(Serialize)]
struct StepsAnswer<'a> {
    block: usize,
    steps: &'a [String],
    app: Option<&'a str>,
    opening: Option<&'a str>,
}

/// Steps for the page.
pub(super) fn steps_json(studio: &Studio, block: usize, recorded: &RecordedSteps) -> Value {
    studio.scrubbed(StepsAnswer {
        block,
        steps: &recorded.steps,
        app: recorded.app.as_deref(),
        opening: recorded.opening.as_deref(),
    })
}

/// Work away from the threads that serve; its answer masked.
pub(super) async fn run_blocking<T: Serialize>(
    studio: &Arc<Studio>,
    work: impl FnOnce(&Studio) -> Result<T, StudioError> + Send + 'static,
) -> Answer {
    let of = Arc::clone(studio);
    let done = blocking(move || work(&of).map(|answer| of.scrubbed(answer)))
        .await
        .map_err(StudioError::from)?;
    Ok(Json(done.map_err(|error| to_problem(studio, error))?))
}

/// An error for the page, masked.
pub(super) fn to_problem(studio: &Studio, error: StudioError) -> Problem {
    let scrubber = &studio.workspace.scrubber;
    if let StudioError::Failure(mut failure) = error {
        failure.scrub(scrubber);
        return StudioError::Failure(failure).into();
    }
    let Problem(status, text) = error.into();
    Problem(status, scrubber.scrub_outside(&text).into_owned())
}
