//! What a tool's result looks like over the protocol.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::secret::Scrubber;
use crate::tools::{Failure, Outcome, Verdict};

/// The same outcome without secrets, also without those it brings to light itself.
pub(super) fn scrubbed(
    outcome: Result<Outcome, Failure>,
    scrubber: &Scrubber,
) -> Result<Outcome, Failure> {
    match outcome {
        Ok(mut outcome) => {
            if let Some(hidden) = &outcome.hidden {
                scrubber.add(hidden);
            }
            outcome.text = scrubber.scrub(&outcome.text).into_owned();
            scrubber.scrub_json(&mut outcome.value);
            outcome.verdict = match outcome.verdict {
                Verdict::Failed(failure) => Verdict::Failed(clean(failure, scrubber)),
                Verdict::Passed => Verdict::Passed,
            };
            Ok(outcome)
        }
        Err(failure) => Err(clean(failure, scrubber)),
    }
}

fn clean(failure: Failure, scrubber: &Scrubber) -> Failure {
    let scrub = |text: String| scrubber.scrub(&text).into_owned();
    Failure {
        message: scrub(failure.message),
        expected: failure.expected.map(scrub),
        actual: failure.actual.map(scrub),
        details: failure.details.into_iter().map(scrub).collect(),
        ..failure
    }
}

/// The result of a call. A clear answer of "no" is no error: `found: false` is an answer.
pub(super) fn of_outcome(outcome: Outcome) -> CallToolResult {
    // Earlier revisions of the protocol allow objects only. A text that stands in the content is not sent twice.
    let structured = match outcome.value {
        Value::Null => None,
        Value::String(text) if text == outcome.text => None,
        value @ Value::Object(_) => Some(value),
        value => Some(json!({ "result": value })),
    };
    let mut content = vec![ContentBlock::text(outcome.text)];
    for (media_type, bytes) in outcome.images {
        content.push(ContentBlock::image(STANDARD.encode(bytes), media_type));
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = structured;
    result
}

/// A tool's error: the bare message as text; code, cause and what to do in the structured content.
pub(super) fn of_failure(failure: Failure) -> CallToolResult {
    let mut structured = json!({ "kind": failure.kind, "message": failure.message });
    if let Some(map) = structured.as_object_mut() {
        if let Some(code) = failure.code {
            map.insert("code".to_owned(), code.into());
        }
        if !failure.details.is_empty() {
            map.insert("details".to_owned(), failure.details.into());
        }
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(failure.message)]);
    result.structured_content = Some(structured);
    result
}
