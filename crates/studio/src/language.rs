//! Completion and explanations for the flow's editor, with the words of the shown screen.

use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Studio;
use super::answer::{Answer, SharedStudio, run_blocking};
use super::frames::Frame;
use runner_flow::language::{ScreenWords, completion, hover};

pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/completion", post(complete))
        .route("/hover", post(explain))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompletionRequest {
    /// Text up to the cursor.
    before: String,
    /// Number of the picture that the page shows.
    seq: Option<u64>,
}

/// Returns what may stand at the end of the text, or `null` if nothing is known. The text is not saved or checked.
/// Ids and texts are those of the picture `seq`, if it has rows.
async fn complete(
    State(studio): SharedStudio,
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

/// Returns the ids and texts of a picture in the order of its elements: texts, descriptions and hints alike.
/// Secrets are not masked. Empty ones are left out, equal ones stay. Empty if its rows are not read.
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HoverRequest {
    /// Text up to the word, or into it.
    before: String,
    /// Text from there on.
    behind: String,
}

#[derive(Serialize)]
struct HoverAnswer {
    /// Empty if the word is not part of the language.
    text: String,
}

/// Explains the word around the cursor. The text is empty for an unknown word.
async fn explain(State(_): SharedStudio, Json(requested): Json<HoverRequest>) -> Json<HoverAnswer> {
    let HoverRequest { before, behind } = requested;
    let text = hover(&format!("{before}{behind}"), before.len()).unwrap_or_default();
    Json(HoverAnswer { text })
}
