//! Completion and explanation of the flow that is written, with the words of the screen that the page shows.

use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Studio;
use super::answer::{Answer, Shared, run_blocking};
use super::frames::Frame;
use runner_flow::language::{ScreenWords, completion, hover};

pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/completion", post(complete))
        .route("/hover", post(explain))
}

/// A flow around the cursor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompletionRequest {
    /// The text up to the cursor.
    before: String,
    /// The picture that the page shows.
    seq: Option<u64>,
}

/// What may stand at the cursor; `null` where nothing is known to.
async fn complete(
    State(studio): Shared,
    Json(requested): Json<CompletionRequest>,
) -> Answer<Value> {
    run_blocking(&studio, move |studio| {
        let words = || {
            let frame = requested.seq.and_then(|seq| studio.frame(seq).ok());
            frame.as_deref().map(words_of).unwrap_or_default()
        };
        Ok(completion(&requested.before, words))
    })
    .await
}

/// The ids and texts of a picture.
fn words_of(frame: &Frame) -> ScreenWords {
    let mut words = ScreenWords::default();
    let Some(look) = frame.look() else {
        return words;
    };
    for node in look.screen.nodes() {
        let id = node.resource_name();
        let texts = [node.display_text(), node.desc(), node.hint()];
        words.ids.extend((!id.is_empty()).then(|| id.to_owned()));
        let texts = texts.into_iter().filter(|text| !text.is_empty());
        words.texts.extend(texts.map(str::to_owned));
    }
    words
}

/// A word of a flow.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HoverRequest {
    /// The text up to the word, or into it.
    before: String,
    /// The text from there on.
    behind: String,
}

#[derive(Serialize)]
struct HoverAnswer {
    /// Empty if the word is not part of the language.
    text: String,
}

/// What a word means.
async fn explain(State(_): Shared, Json(requested): Json<HoverRequest>) -> Json<HoverAnswer> {
    let HoverRequest { before, behind } = requested;
    let text = hover(&format!("{before}{behind}"), before.len()).unwrap_or_default();
    Json(HoverAnswer { text })
}
