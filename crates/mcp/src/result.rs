//! Translates the outcome of a tool into a result of the protocol, and masks secrets in it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    CallToolResult, ContentBlock, MetaObject, ProtocolVersion, ReadResourceResult, ResourceContents,
};
use serde_json::{Value, json};

use super::listing;
use super::origin::Origin;
use runner_event::scrub::Scrub as _;
use runner_text::secret::{Scrubber, map_json};
use runner_tools::{AnswerText, Body, Contents, Failure, Outcome, Verdict, Words};

/// Masks the secrets in an outcome, including those that the outcome itself reveals, such as the text of a password
/// field, which is a secret from now on. In the value, all texts are masked but those of this program by `origin`. A
/// failure's texts are also cut to [`MAX_FAILURE_CHARS`]. Pictures and links stay as they are. Begins a step of the
/// scrubber: short values typed before are then masked only as whole texts.
pub(super) fn scrubbed(
    outcome: Result<Outcome, Failure>,
    origin: Origin,
    scrubber: &Scrubber,
) -> Result<Outcome, Failure> {
    scrubber.begin_step();
    match outcome {
        Ok(mut outcome) => {
            if let Some(hidden) = &outcome.hidden {
                scrubber.add_typed(hidden);
            }
            let messages = &outcome.sentences;
            map_json(&mut outcome.value, origin.own_keys(), &|text| {
                *text = match messages.iter().find(|words| *words == text) {
                    Some(words) => words.scrubbed(scrubber).into(),
                    None => scrubber.scrub_outside(text).into_owned(),
                };
            });
            // JSON is masked as a value: masked as a text it would be invalid if a secret is a number or a bracket.
            if let AnswerText::Words(words) = &outcome.text {
                outcome.text = words.scrubbed(scrubber).into();
            }
            outcome.notes = outcome
                .notes
                .iter()
                .map(|note| note.scrubbed(scrubber))
                .collect();
            outcome.verdict = match outcome.verdict {
                Verdict::Failed(failure) => Verdict::Failed(clean(failure, scrubber)),
                Verdict::Passed => Verdict::Passed,
            };
            Ok(outcome)
        }
        Err(failure) => Err(clean(failure, scrubber)),
    }
}

/// Characters of a failure's message and of each of its other parts, which may repeat an argument of any
/// length. Chosen: a message with near misses fits; an agent pays for each character.
const MAX_FAILURE_CHARS: usize = 10_000;

/// Masks a failure's secrets, and then cuts its message, its expected and actual value and each detail.
fn clean(mut failure: Failure, scrubber: &Scrubber) -> Failure {
    // Masked before it is cut: a secret cut in two would not be found.
    failure.scrub(scrubber);
    Failure {
        message: cut(failure.message.into()).into(),
        expected: failure.expected.map(cut),
        actual: failure.actual.map(cut),
        details: failure
            .details
            .into_iter()
            .map(|line| cut(line.into()).into())
            .collect(),
        ..failure
    }
}

/// Cuts a text that is longer than [`MAX_FAILURE_CHARS`] characters to that many, and appends an ellipsis.
fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_FAILURE_CHARS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Key of `_meta` under which programs find the JSON of an agent tool's result.
const META: &str = "runner/result";

/// Milliseconds for which a client may cache what does not change while the server runs. Chosen: another
/// server may be started in its place, and its clients then see old lists for this long.
pub(super) const CACHE_TTL_MS: u64 = 5 * 60 * 1000;

/// Returns the result of a call: a tool's failure is a result with `is_error`.
pub(super) fn from_outcome(outcome: Result<Outcome, Failure>, origin: Origin) -> CallToolResult {
    match outcome {
        Ok(outcome) => from_success(outcome, origin),
        Err(failure) => from_failure(failure, origin),
    }
}

/// Returns the failure of a call that its result reports as an error. A dialect's `found: false` is an answer and
/// no error. An agent tool's verdict other than passed is an error: it did not do all that it was asked.
pub(super) fn failure(outcome: &Result<Outcome, Failure>, origin: Origin) -> Option<&Failure> {
    match outcome {
        Err(failure) => Some(failure),
        Ok(outcome) => match &outcome.verdict {
            Verdict::Failed(failure) if origin == Origin::Agent => Some(failure),
            _ => None,
        },
    }
}

/// Builds the result of a tool that answered: its text, then pictures and links. For a dialect's tool the advice of a
/// failed verdict and the notes are texts of their own behind the first. What is an error is as in [`failure`]. An
/// agent tool's value is in the result's metadata, unless it is null; a dialect's may be the structured content, as
/// [`structured`] says.
fn from_success(outcome: Outcome, origin: Origin) -> CallToolResult {
    let structured = structured(&outcome, origin);
    let is_error = origin == Origin::Agent && outcome.verdict != Verdict::Passed;
    let advice = match &outcome.verdict {
        Verdict::Failed(failure) if origin != Origin::Agent => advice(failure),
        _ => None,
    };
    let mut content = vec![ContentBlock::text(outcome.words().masked_text().to_owned())];
    content.extend(advice.map(ContentBlock::text));
    if origin != Origin::Agent {
        let notes = outcome.notes.iter().map(Words::masked_text);
        content.extend(notes.map(|note| ContentBlock::text(note.to_owned())));
    }
    for (media_type, bytes) in outcome.images {
        content.push(ContentBlock::image(STANDARD.encode(bytes), media_type));
    }
    let links = outcome.links.iter().map(listing::resource);
    content.extend(links.map(ContentBlock::resource_link));
    let mut result = CallToolResult::success(content);
    result.is_error = Some(is_error);
    result.structured_content = structured;
    if origin == Origin::Agent && !outcome.value.is_null() {
        let meta = serde_json::Map::from_iter([(META.to_owned(), outcome.value)]);
        result.meta = Some(MetaObject(meta));
    }
    result
}

/// Builds the answer to `resources/read`, with bytes as base64. Contents that do not change may be kept by the client
/// for 5 minutes; others have no such time.
pub(super) fn from_contents(contents: Contents, uri: &str) -> ReadResourceResult {
    let body = match contents.body {
        Body::Text(text) => ResourceContents::text(text, uri),
        Body::Bytes(bytes) => ResourceContents::blob(STANDARD.encode(bytes), uri),
    };
    let mut result = ReadResourceResult::new(vec![body.with_mime_type(contents.media_type)]);
    result.ttl_ms = contents.lasts.then_some(CACHE_TTL_MS);
    result
}

/// Removes resource links for clients of revisions before 2025-06-18, which do not know them. A client of
/// unknown revision counts as one.
pub(super) fn for_revision(
    mut result: CallToolResult,
    revision: Option<&ProtocolVersion>,
) -> CallToolResult {
    if revision.is_none_or(|revision| *revision < ProtocolVersion::V_2025_06_18) {
        result
            .content
            .retain(|item| item.as_resource_link().is_none());
    }
    result
}

/// Returns the structured content, for a dialect's tool only, and only if the text is the same value as JSON,
/// as some clients show it instead of the text. An object is returned as it is. If the tool returns lists, the
/// value, even an object, becomes the `result` of an object.
fn structured(outcome: &Outcome, origin: Origin) -> Option<Value> {
    let Origin::Dialect { lists } = origin else {
        return None;
    };
    let value = &outcome.value;
    let is_told = match value {
        Value::Object(_) => true,
        // Earlier revisions of the protocol allow objects only; the output schema says how a list is wrapped in one.
        Value::Array(_) => lists,
        _ => false,
    };
    if !is_told || outcome.text != AnswerText::Value {
        return None;
    }
    Some(if lists {
        json!({ "result": value })
    } else {
        value.clone()
    })
}

/// Joins a failure's details by line breaks: what else is known and what to do next. `None` if there are
/// none.
fn advice(failure: &Failure) -> Option<String> {
    let lines: Vec<&str> = failure.details.iter().map(Words::masked_text).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Builds the result of a failed call, with `is_error`, and with kind, message, code and details as structured content;
/// code and details only if there are any. A dialect's tool has the bare message as its text and the details as a
/// second one; an agent tool has both in one.
fn from_failure(failure: Failure, origin: Origin) -> CallToolResult {
    let mut structured = json!({ "kind": failure.kind, "message": failure.message });
    let advice = advice(&failure);
    if let Some(map) = structured.as_object_mut() {
        if let Some(code) = failure.code {
            map.insert("code".to_owned(), json!(code));
        }
        if !failure.details.is_empty() {
            map.insert("details".to_owned(), json!(failure.details));
        }
    }
    let texts = match (advice, origin) {
        (None, _) => vec![failure.message.into()],
        (Some(advice), Origin::Agent) => vec![format!("{}\n{advice}", failure.message)],
        (Some(advice), Origin::Dialect { .. }) => vec![failure.message.into(), advice],
    };
    let mut result = CallToolResult::error(texts.into_iter().map(ContentBlock::text).collect());
    result.structured_content = Some(structured);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIALECT: Origin = Origin::Dialect { lists: false };
    const LIST: Origin = Origin::Dialect { lists: true };

    #[test]
    fn structured_content_is_the_text_or_nothing() {
        let whole = json!({ "text": "whole" });
        for (outcome, origin, structured) in [
            (Outcome::json(whole.clone()), DIALECT, Some(whole.clone())),
            (Outcome::value("a page", whole.clone()), DIALECT, None),
            (
                Outcome::value(r#"{"text": "page"}"#, whole.clone()),
                DIALECT,
                None,
            ),
            (Outcome::value("a", "a".into()), DIALECT, None),
            (Outcome::value("\"a\"", "a".into()), DIALECT, None),
            (Outcome::json(json!([1])), DIALECT, None),
            (
                Outcome::json(json!([1])),
                LIST,
                Some(json!({ "result": [1] })),
            ),
            (Outcome::text("a"), DIALECT, None),
            (Outcome::json(whole.clone()), Origin::Agent, None),
        ] {
            let result = from_outcome(Ok(outcome.clone()), origin);
            assert_eq!(result.structured_content, structured, "{outcome:?}");
            let is_agents = origin == Origin::Agent;
            assert_eq!(result.meta.is_some(), is_agents, "{outcome:?}");
        }
    }

    #[test]
    fn a_short_secret_leaves_json_whole() {
        let scrubber = Scrubber::default();
        for secret in ["12", "true", "4711"] {
            scrubber.add(secret);
        }
        let value = json!([{ "at": 1234, "count": 4711, "on": true, "text": "12 of 4711" }]);
        let outcome = scrubbed(Ok(Outcome::json(value)), LIST, &scrubber).unwrap();
        let masked = json!([{ "at": 1234, "count": 4711, "on": true, "text": "12 of ***" }]);
        assert_eq!(outcome.words(), masked.to_string());
        let result = from_outcome(Ok(outcome), LIST);
        assert_eq!(result.structured_content, Some(json!({ "result": masked })));
        // A short secret is masked only as a whole value.
        let outcome = Outcome::value("at 1234", json!({ "at": 1234 }));
        assert_eq!(
            scrubbed(Ok(outcome), DIALECT, &scrubber).unwrap().words(),
            "at 1234"
        );
        let outcome = Outcome::value("12".to_owned(), json!({ "said": "12" }));
        let outcome = scrubbed(Ok(outcome), DIALECT, &scrubber).unwrap();
        assert_eq!(outcome.words(), "***");
        assert_eq!(outcome.value, json!({ "said": "***" }));
    }

    fn texts(result: &CallToolResult) -> Vec<String> {
        let texts = result.content.iter().filter_map(|item| item.as_text());
        texts.map(|text| text.text.clone()).collect()
    }

    #[test]
    fn what_an_error_repeats_is_cut() {
        let long = "é".repeat(MAX_FAILURE_CHARS + 1);
        let scrubber = Scrubber::default();
        scrubber.add(&long[..100]);
        let failure = Failure::usage(long.clone()).with_details([long]);
        let failure = scrubbed(Err(failure), DIALECT, &scrubber).unwrap_err();
        assert!(failure.message.masked_text().chars().count() <= MAX_FAILURE_CHARS + 1);
        assert!(
            failure.message.starts_with("***"),
            "cut before it was scrubbed"
        );
        assert!(failure.details[0].masked_text().chars().count() <= MAX_FAILURE_CHARS + 1);
    }

    #[test]
    fn a_no_of_our_own_tools_is_an_error_and_links_are_for_later_revisions() {
        let mut outcome = Outcome::text("step 1 of 2 failed").failed(Failure::usage("no"));
        assert_eq!(
            from_outcome(Ok(outcome.clone()), DIALECT).is_error,
            Some(false)
        );
        assert_eq!(
            from_outcome(Ok(outcome.clone()), Origin::Agent).is_error,
            Some(true)
        );
        outcome.links.push(runner_tools::Resource {
            uri: "runner://artifacts/a.png".to_owned(),
            name: "a.png".to_owned(),
            description: "A picture.".to_owned(),
            media_type: "image/png",
            template: false,
        });
        for (revision, links) in [
            (Some(ProtocolVersion::V_2024_11_05), 0),
            (Some(ProtocolVersion::V_2025_06_18), 1),
            (Some(ProtocolVersion::V_2026_07_28), 1),
            (None, 0),
        ] {
            let result = from_outcome(Ok(outcome.clone()), Origin::Agent);
            let result = for_revision(result, revision.as_ref());
            let linked = result
                .content
                .iter()
                .filter_map(|item| item.as_resource_link());
            assert_eq!(linked.count(), links, "{revision:?}");
        }
    }

    #[test]
    fn what_to_do_next_is_in_the_content() {
        let failure =
            Failure::usage("no").with_details(["do this".to_owned(), "or that".to_owned()]);
        let error = from_outcome(Err(failure.clone()), DIALECT);
        assert_eq!(texts(&error), ["no", "do this\nor that"]);
        let error = from_outcome(Err(failure.clone()), Origin::Agent);
        assert_eq!(texts(&error), ["no\ndo this\nor that"]);
        let answer = from_outcome(Ok(Outcome::text("NO").failed(failure)), DIALECT);
        assert_eq!(texts(&answer), ["NO", "do this\nor that"]);
        let error = from_outcome(Err(Failure::usage("no")), DIALECT);
        assert_eq!(texts(&error), ["no"]);
    }
}
