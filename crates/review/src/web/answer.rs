//! Answers the page's requests, one function each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::state::ServerState;
use super::view;
use crate::{MaskTarget, ObservedVersions, Review, ReviewError};
use runner_pages::web;
use runner_pages::{Problem, not_found};
use runner_screen::Rect;
use runner_snapshot::{GoldenKey, SnapshotError};

/// Time that a request for changes waits before it is answered without any. Chosen: with less, idle pages
/// send more requests; with more, a proxy may cut the request.
const CHANGES_TIMEOUT: Duration = Duration::from_secs(25);

/// Files of the page, with their media types.
pub(super) const FILES: [(&str, &str, &str); 6] = [
    ("style.css", "text/css; charset=utf-8", web::STYLE),
    ("compare.js", "text/javascript; charset=utf-8", web::COMPARE),
    ("parts.js", "text/javascript; charset=utf-8", web::PARTS),
    (
        "review.css",
        "text/css; charset=utf-8",
        concat!(
            include_str!("../../web/case.css"),
            include_str!("../../web/review.css"),
        ),
    ),
    ("review.js", "text/javascript; charset=utf-8", SCRIPT),
    (
        "icon.svg",
        "image/svg+xml",
        include_str!("../../web/icon.svg"),
    ),
];

/// Joins the page's script from its parts. The argument is the part that sends requests or keeps decisions.
macro_rules! page_script {
    ($asks:literal) => {
        concat!(
            "(() => {\n\"use strict\";\n",
            include_str!("../../web/lookup.js"),
            include_str!("../../web/dom.js"),
            include_str!($asks),
            include_str!("../../web/queue.js"),
            include_str!("../../web/when.js"),
            include_str!("../../web/case.js"),
            include_str!("../../web/rows.js"),
            include_str!("../../web/decide.js"),
            include_str!("../../web/keys.js"),
            "})();\n",
        )
    };
}
pub(super) use page_script;

const SCRIPT: &str = page_script!("../../web/server.js");

type Answer = Result<Json<Value>, Problem>;

impl From<ReviewError> for Problem {
    /// Returns status and message for the page: 404 if the snapshot is gone, 409 if the request does not fit the
    /// present state or another version is pending than the person saw, 500 for anything else.
    fn from(error: ReviewError) -> Self {
        let status = match error {
            ReviewError::Gone(_) => StatusCode::NOT_FOUND,
            ReviewError::Usage(_) | ReviewError::Snapshot(SnapshotError::LookAgain(_)) => {
                StatusCode::CONFLICT
            }
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self(status, error.to_string())
    }
}

/// Answers with the page's HTML, which is the same for every review; its script asks for the rest.
pub async fn page() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (kind, include_str!("../../web/review.html")).into_response()
}

/// Answers with a file of [`FILES`] by its name.
pub async fn file(Path(name): Path<String>) -> Result<Response, Problem> {
    runner_pages::file(&FILES, &name)
}

/// Answers with the queue as JSON, read again only if the folder changed. An unreadable folder is an error.
pub async fn queue(State(state): State<Arc<ServerState>>) -> Answer {
    let queue = state.queue().await?;
    Ok(Json(Value::clone(&queue)))
}

/// Answers with the version as soon as it is another than `since` or the server stops, at the latest after
/// `CHANGES_TIMEOUT` with the same one. `over` is true if the server stops. The version is 0 before the folder was
/// checked.
pub async fn changes(State(state): State<Arc<ServerState>>, Path(since): Path<u64>) -> Json<Value> {
    let version = state.changed(since, CHANGES_TIMEOUT).await;
    let is_over = state.stop.is_cancelled();
    // As text: JavaScript's numbers lose digits beyond 2^53.
    Json(json!({ "version": version.to_string(), "over": is_over }))
}

/// Returns one case with the addresses of its pictures. Answers 404 if it is not pending any more, and 400 for an
/// invalid key.
pub async fn case(State(state): State<Arc<ServerState>>, Path(key): Path<String>) -> Answer {
    let case = state.case(parsed(&key)?).await?;
    Ok(Json(case.json.clone()))
}

/// Returns one picture of a case as PNG: golden, actual or difference, by `side`. Answers 404 if the case is gone or
/// has no such picture, 400 for an invalid key, and 304 if the browser names the picture's current tag.
pub async fn picture(
    State(state): State<Arc<ServerState>>,
    Path((side, key)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let case = state.case(parsed(&key)?).await?;
    let Some((tag, bytes)) = case.picture(&side) else {
        return Err(not_found().await);
    };
    let tag = format!("\"{tag}\"");
    let stored = [
        (header::ETAG, tag.clone()),
        // The picture at an address may change, so the browser asks each time and mostly gets a 304.
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
    ];
    let known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    if known {
        return Ok((StatusCode::NOT_MODIFIED, stored).into_response());
    }
    let kind = [(header::CONTENT_TYPE, "image/png")];
    Ok((kind, stored, bytes.clone()).into_response())
}

/// Returns a thumbnail as PNG, or 204 if the golden has no picture, also if there is no such golden. Answers 400 for
/// an invalid key. Its address contains the version, so the browser may cache it for an hour.
pub async fn thumbnail(
    State(state): State<Arc<ServerState>>,
    Path(key): Path<String>,
) -> Result<Response, Problem> {
    let key = parsed(&key)?;
    let Some(bytes) = state.work(move |review| review.thumbnail(&key)).await? else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let stored = [
        (header::CONTENT_TYPE, "image/png"),
        (header::CACHE_CONTROL, "private, max-age=3600"),
    ];
    Ok((stored, bytes).into_response())
}

/// Body of a decision: keys, each with the version that the person has seen.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    #[serde(rename = "seen")]
    observed: BTreeMap<String, String>,
}

/// Accepts pending goldens, removes obsolete ones, and writes patches of selectors. Keys of which the page saw
/// another version are refused and do not stop the others; the answer lists both. Answers 400, and does nothing, if a
/// key is invalid.
pub async fn accept(
    State(state): State<Arc<ServerState>>,
    Json(decision): Json<Decision>,
) -> Answer {
    let (keys, observed) = decision.read()?;
    let done = state
        .work(move |review| review.accept_observed(&keys, &observed))
        .await?;
    Ok(decided(&done.accepted, &done.refused))
}

/// Rejects pending goldens and patches of selectors; obsolete goldens stay and are not asked about again. Keys of which
/// the page saw another version are refused and do not stop the others; the answer lists both. Answers 400, and does
/// nothing, if a key is invalid.
pub async fn reject(
    State(state): State<Arc<ServerState>>,
    Json(decision): Json<Decision>,
) -> Answer {
    let (keys, observed) = decision.read()?;
    let done = state
        .work(move |review| review.reject_observed(&keys, &observed))
        .await?;
    Ok(decided(&done.rejected, &done.refused))
}

/// Takes back the last step of this review, which may be a mask, else the last decision in the project, whoever made
/// it. The answer has the keys that wait again, none if there was nothing to take back, and the mask that was removed,
/// or null. A flow that was edited since is an error, and the next call takes back the step before.
pub async fn undo(State(state): State<Arc<ServerState>>, Json(_): Json<Value>) -> Answer {
    let done = state.work(Review::undo).await?;
    let mask = done.mask.as_ref();
    let mask = mask.map(|mask| json!({ "mask": mask.mask, "place": view::place(&mask.place) }));
    Ok(Json(json!({ "keys": texts(&done.keys), "mask": mask })))
}

/// Body of a mask: a row by its number, or a rectangle.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaskRequest {
    key: String,
    /// Version that the person has seen.
    version: String,
    row: Option<usize>,
    bounds: Option<[i32; 4]>,
}

/// Writes a mask into the flow, for a row by its number from 1 or for a rectangle, if the page saw the present version.
/// Answers 400 for both, neither, row 0 or an empty rectangle, and 409 for another version, a mask that covers too
/// much, or a golden whose step is not known. The answer has the mask, its place and the command to run next.
pub async fn mask(
    State(state): State<Arc<ServerState>>,
    Json(request): Json<MaskRequest>,
) -> Answer {
    let key = parsed(&request.key)?;
    let target = match (request.row, request.bounds) {
        (Some(row), None) if row > 0 => MaskTarget::Row(row),
        (None, Some([left, top, right, bottom])) if left < right && top < bottom => {
            MaskTarget::Area(Rect {
                left,
                top,
                right,
                bottom,
            })
        }
        _ => {
            let why = "name a row by its number from 1, or bounds, and not both";
            return Err(Problem(StatusCode::BAD_REQUEST, why.to_owned()));
        }
    };
    let observed = ObservedVersions::from([(key.clone(), request.version)]);
    let written = state
        .work(move |review| review.mask_observed(&key, &target, &observed))
        .await?;
    Ok(Json(
        json!({ "place": view::place(&written.place), "mask": written.mask, "next": written.next }),
    ))
}

impl Decision {
    /// Returns keys, sorted, and versions of the decision. Fails with 400 at a key that cannot be parsed.
    fn read(self) -> Result<(Vec<GoldenKey>, ObservedVersions), Problem> {
        let versions = self.observed.into_iter();
        let versions: ObservedVersions = versions
            .map(|(key, version)| Ok((parsed(&key)?, version)))
            .collect::<Result<_, Problem>>()?;
        Ok((versions.keys().cloned().collect(), versions))
    }
}

/// Encodes which keys were decided, as `keys`, and which were refused and why, as `refused`. Each is an empty list if
/// there are none.
fn decided(done: &[GoldenKey], refused: &[(GoldenKey, SnapshotError)]) -> Json<Value> {
    let refused: Vec<Value> = refused
        .iter()
        .map(|(key, why)| json!({ "key": key.to_string(), "why": why.to_string() }))
        .collect();
    Json(json!({ "keys": texts(done), "refused": refused }))
}

fn parsed(key: &str) -> Result<GoldenKey, Problem> {
    key.parse::<GoldenKey>()
        .map_err(|error| Problem(StatusCode::BAD_REQUEST, error.to_string()))
}

fn texts(keys: &[GoldenKey]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}
