//! Handlers of the page's requests, one function each.

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
use super::messages::{EmptyAnswer, FileState};
use super::run::{self, RunRequest};
use super::selectors::{self, AssertionRequest, Pick, Trial};
use super::{Studio, StudioError, debugger, feed, live_picture, view};
use runner_agent::record::RecordedSteps;
use runner_event::scrub::Scrub as _;
use runner_flow::Flow;
use runner_pages::Problem;
use runner_pages::web;
use runner_run::{PlannedCase, judge_edit};
use runner_text::diagnostic::{Code, Diagnostic};
use runner_tools::blocking;

/// Interval of keep-alive comments in the event stream. Chosen: proxies and browsers often close connections
/// that are idle for 30 s or more.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Files of the page: name, media type, text.
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

/// HTML of the page, joined from one file for each part. After `dock.html`, each file is a panel.
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

/// Script of the page, joined from one file for each purpose.
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
    // Scripts of the review show a case and decide about it, with elements and texts of this page.
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
pub(super) type SharedStudio = State<Arc<Studio>>;

/// Answers with the page's HTML, which is the same for every flow and device; its script asks for the rest.
pub(super) async fn page() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (kind, PAGE).into_response()
}

/// Refuses requests that need a device with 409 if a saved run is shown, which has none. All `GET` requests and a
/// few that only look pass. Without a saved run all pass.
pub(super) async fn with_device(
    State(studio): SharedStudio,
    request: Request,
    next: Next,
) -> Response {
    const WITHOUT_DEVICE: [&str; 3] = ["/pick", "/try", "/lint"];
    let needs = request.method() != Method::GET && !WITHOUT_DEVICE.contains(&request.uri().path());
    if needs && studio.timeline.saved().is_some() {
        let why = "this is a saved run, without a device; start `runner studio` without it to act, write and run";
        return Problem(StatusCode::CONFLICT, why.to_owned()).into_response();
    }
    next.run(request).await
}

/// Answers with a file of [`FILES`] by its name.
pub(super) async fn file(Path(name): Path<String>) -> Result<Response, Problem> {
    runner_pages::file(&FILES, &name)
}

/// Streams the messages after the id in `from` until the page disconnects or the studio stops. Without an id, or
/// with one whose messages are not kept, the whole state comes first. The header `last-event-id` counts more than
/// `from`. Answers 503 if too many pages are open.
pub(super) async fn events(
    State(studio): SharedStudio,
    address: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let from = address
        .query()
        .and_then(|query| query.strip_prefix("from="));
    // Browsers send this header when they reconnect by themselves.
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
            .keep_alive(KeepAlive::new().interval(KEEP_ALIVE_INTERVAL))
            .into_response()),
        None => Err(Problem(
            StatusCode::SERVICE_UNAVAILABLE,
            format!(
                "{} pages of this studio are open already; close one",
                feed::MAX_PAGES
            ),
        )),
    }
}

/// Returns a picture, live or recorded, from memory or disk; 404 if there is none with this number. No browser
/// keeps it (`pages::guarded` sets `no-store`): the numbers begin again with each start of the server, and a
/// picture may show a secret, which must not come to the disk.
pub(super) async fn picture(
    State(studio): SharedStudio,
    Path(seq): Path<u64>,
) -> Result<Response, Problem> {
    let of = Arc::clone(&studio);
    // May have to be read from disk.
    let frame = blocking(move || of.frame(seq)).await;
    let frame = frame.map_err(StudioError::from)??;
    let kind = [(header::CONTENT_TYPE, frame.picture.media_type)];
    Ok((kind, frame.picture.bytes.clone()).into_response())
}

/// Returns a small version of a picture for lists, or the picture itself if it cannot be made smaller, such as a
/// JPEG. Answers 404 if there is no such picture. Nothing is kept.
pub(super) async fn small(
    State(studio): SharedStudio,
    Path(seq): Path<u64>,
) -> Result<Response, Problem> {
    let of = Arc::clone(&studio);
    let work = move || {
        let frame = of.frame(seq)?;
        Ok::<_, StudioError>(live_picture::small(&frame.picture).unwrap_or_else(|| {
            let picture = &frame.picture;
            (picture.media_type, picture.bytes.clone())
        }))
    };
    let (kind, bytes) = blocking(work).await.map_err(StudioError::from)??;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

/// Makes the loop of pictures look for the device at once, in place of its next try. The answer does not wait for that.
pub(super) async fn again(State(studio): SharedStudio, Json(_): Json<Value>) -> Json<EmptyAnswer> {
    studio.acted.notify_one();
    Json(EmptyAnswer {})
}

/// Returns the rows of a picture, with secrets masked. An error if there is no such picture, or its rows are not
/// read yet or could not be read.
pub(super) async fn look(State(studio): SharedStudio, Path(seq): Path<u64>) -> Answer {
    run_blocking(&studio, move |studio| {
        let frame = studio.frame(seq)?;
        view::look(&frame)
    })
    .await
}

/// Returns the history from a step on, also parts older than those sent to all pages.
pub(super) async fn history(State(studio): SharedStudio, Path(first): Path<usize>) -> Answer {
    run_blocking(&studio, move |studio| Ok(studio.history_from(Some(first)))).await
}

/// Request for something that is recorded. The answer has the steps since `block`, which the page puts into
/// the flow.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedRequest<T> {
    #[serde(rename = "wish")]
    pub(super) request: T,
    /// Index of the first act that the page may still change. `None` begins a new part of the flow.
    pub(super) block: Option<usize>,
}

/// Performs an act on the device. The answer has the recorded steps from `block` on, which count as put into the
/// flow; without `block` only those of this act. A refused or failed act is an error.
pub(super) async fn act(
    State(studio): SharedStudio,
    Json(requested): Json<RecordedRequest<ActRequest>>,
) -> Answer {
    let block = block(&studio, requested.block);
    act::perform(&studio, &requested.request)
        .await
        .map_err(|failure| to_problem(&studio, failure.into()))?;
    Ok(Json(recorded(&studio, block)))
}

/// Answers with the selectors of the element that [`selectors::pick`] finds, on a blocking thread, with secrets masked.
pub(super) async fn pick(State(studio): SharedStudio, Json(pick): Json<Pick>) -> Answer {
    run_blocking(&studio, move |studio| selectors::pick(studio, &pick)).await
}

/// Answers with the elements that a selector selects, as [`selectors::attempt`] finds them, with secrets masked.
pub(super) async fn attempt(State(studio): SharedStudio, Json(trial): Json<Trial>) -> Answer {
    run_blocking(&studio, move |studio| selectors::attempt(studio, &trial)).await
}

/// Adds an assertion to the recording, which is not checked here. The answer has the recorded steps from `block`
/// on, as for an act. An error if there is no such picture or element.
pub(super) async fn assert(
    State(studio): SharedStudio,
    Json(requested): Json<RecordedRequest<AssertionRequest>>,
) -> Answer {
    let block = block(&studio, requested.block);
    run_blocking(&studio, move |studio| {
        selectors::assert(studio, &requested.request)?;
        Ok(recorded(studio, block))
    })
    .await
}

/// Answers with the path and current text of the flow's file, secrets unmasked, and the error if it cannot be read.
pub(super) async fn flow(State(studio): SharedStudio) -> Json<FileState> {
    Json(studio.file_now())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    text: String,
    /// Version of the content that the text was made from.
    version: String,
    /// Name for a flow without a file, or for a copy.
    name: Option<String>,
}

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

/// Saves the flow, under a new name if one is given, and tells all pages. A new name makes the page continue with
/// that file. If another program wrote the file meanwhile, nothing is written and the answer has its content. A bad
/// or taken name is an error.
pub(super) async fn save(
    State(studio): SharedStudio,
    Json(save): Json<Save>,
) -> Answer<SaveAnswer> {
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    text: String,
}

/// Checks a text for errors and warnings, as if it were the page's flow. Faults are the answer, not an error.
/// Nothing is saved.
pub(super) async fn lint(State(studio): SharedStudio, Json(requested): Json<Text>) -> Answer {
    run_blocking(&studio, move |studio| {
        file::lint(&studio.file, &requested.text, |flow| {
            judge_flow(studio, flow)
        })
    })
    .await
}

/// Returns the warnings about a flow that recordings and goldens give, for its first case. Blocks, and needs a
/// runtime. Empty if they cannot be read. Warnings that something was not checked are left out, as the studio can
/// check it by a run.
fn judge_flow(studio: &Studio, flow: Flow) -> Vec<Diagnostic> {
    let workspace = &studio.workspace;
    let Some(case) = PlannedCase::all_of(&Arc::new(flow)).into_iter().next() else {
        return Vec::new();
    };
    let judging = judge_edit(&workspace.config, &workspace.context, &case, &[]);
    // A flow may be written without recordings and goldens.
    let result = tokio::runtime::Handle::current().block_on(Box::pin(judging));
    let mut warnings = result.unwrap_or_default().diagnostics;
    // The studio can check these by a run.
    warnings.retain(|warning| warning.code != Code::NotChecked);
    warnings
}

/// Answer to a request to run: empty if the run began, else the names that need values first.
#[derive(Serialize)]
pub(super) struct RunAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<Vec<String>>,
}

/// Begins a run of the saved flow or a part of it, and does not wait for its end. An error if another run is active
/// or the flow does not read. If the part needs values, nothing is run and the answer names them.
pub(super) async fn run(
    State(studio): SharedStudio,
    Json(request): Json<RunRequest>,
) -> Answer<RunAnswer> {
    let begun = run::begin(&studio, request)
        .await
        .map_err(|error| to_problem(&studio, error))?;
    let needs = begun.err().map(|missing| missing.0);
    Ok(Json(RunAnswer { needs }))
}

/// Stops the run in order, with its teardown. Does not wait for its end. Does nothing without a run.
pub(super) async fn stop(State(studio): SharedStudio, Json(_): Json<Value>) -> Json<EmptyAnswer> {
    debugger::stop(&studio);
    Json(EmptyAnswer {})
}

/// Returns the index of the first act that the page may change; begins a new part if there is none.
pub(super) fn block(studio: &Studio, block: Option<usize>) -> usize {
    block.unwrap_or_else(|| studio.workspace.recorder.pause())
}

/// Returns the recorded steps from `block` on as the answer, with secrets masked. They count as put into the
/// flow.
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

/// Builds the answer with these steps, the app and the opening, with secrets masked. Reads and changes nothing;
/// `block` is only passed on.
pub(super) fn steps_json(studio: &Studio, block: usize, recorded: &RecordedSteps) -> Value {
    studio.scrubbed(StepsAnswer {
        block,
        steps: &recorded.steps,
        app: recorded.app.as_deref(),
        opening: recorded.opening.as_deref(),
    })
}

/// Runs work on a blocking thread and returns its answer, or its error, with secrets masked. A panic in the work
/// becomes an error. The work goes on if the page disconnects.
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

/// Converts an error to an answer, with secrets masked. The status is that of [`Problem`]'s conversion.
pub(super) fn to_problem(studio: &Studio, error: StudioError) -> Problem {
    let scrubber = &studio.workspace.scrubber;
    if let StudioError::Failure(mut failure) = error {
        failure.scrub(scrubber);
        return StudioError::Failure(failure).into();
    }
    let Problem(status, text) = error.into();
    Problem(status, scrubber.scrub_outside(&text).into_owned())
}
