//! Tools that wait (A26, A27). As steps they fail if the wait runs out; their limit comes from the modifier
//! `timeout` unless the argument names one.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::elements::{SearchField, check_search, element_json};
use super::errors;
use crate::arguments::Arguments;
use crate::{
    Call, ClientDifferences, Effect, Failure, FailureKind, Outcome, Rehearsal, StepSyntax, Tool,
    Words,
};
use runner_engine::{EngineError, Session};

/// Requires the argument `timeout` from clients. A flow has the modifier instead.
const TIMEOUT_REQUIRED: ClientDifferences = ClientDifferences {
    required: &["timeout"],
    ..ClientDifferences::SAME
};

fn limit(timeout: Option<u64>, call: &Call) -> Duration {
    timeout.map_or(call.timeout, Duration::from_millis)
}

/// Arguments of `wait_for_element`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitForElementArgs {
    /// Search criteria type
    pub by: SearchField,
    /// Search value
    #[schemars(length(min = 1))]
    pub value: String,
    /// Timeout in milliseconds (1-30000). Required. In a flow, the modifier `timeout` by default.
    #[schemars(range(min = 1, max = 30000))]
    pub timeout: Option<u64>,
}

#[derive(Debug)]
pub struct WaitForElement;

impl Tool for WaitForElement {
    const NAME: &'static str = "wait_for_element";
    const SUMMARY: &'static str = "Wait until an element matching the specified criteria appears in the accessibility tree, polling every 500ms.";
    const HELP: &'static str = "`found: false` is no error: it did not appear in time.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const EFFECT: Effect = Effect::Reads;
    const FOR_CLIENTS: ClientDifferences = TIMEOUT_REQUIRED;
    type Args = WaitForElementArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_search(args)?;
        args.between("timeout", 1, 30_000)
    }

    /// Looks at least once, until an element's property contains the value in any letter case. Returns JSON with the
    /// first such element, the time and the number of looks. If none comes in time, the JSON says `found: false`, and
    /// the verdict is a failure.
    async fn call(
        session: &Session,
        args: WaitForElementArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let limit = limit(args.timeout, call);
        let waited = session
            .wait_until(limit, |screen| {
                let node = *args.by.find(screen, &args.value, false).first()?;
                Some((element_json(node, &["clickable", "enabled"]), node.bounds()))
            })
            .await
            .map_err(errors::tree)?;
        let elapsed = waited.elapsed.as_millis() as u64;
        let found = waited.found.is_some();
        let mut value = json!({
            "found": found,
            "elapsedMs": elapsed,
            "attempts": waited.looks,
        });
        if let (Some((element, bounds)), Some(map)) = (waited.found, value.as_object_mut()) {
            map.insert("element".to_owned(), element);
            return Ok(Outcome::json(value).at(bounds));
        }
        let failure = Failure::assertion(Words::format(
            "no element whose {} contains '{}' appeared within {} ms",
            &[&by_words(args.by), &args.value, &limit.as_millis()],
        ));
        Ok(Outcome::json(value).failed(failure))
    }
}

fn by_words(by: SearchField) -> &'static str {
    match by {
        SearchField::Text => "text",
        SearchField::ContentDesc => "description",
        SearchField::ResourceId => "resource id",
        SearchField::ClassName => "class",
    }
}

/// Arguments of `wait_for_idle`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitForIdleArgs {
    /// Timeout in milliseconds (1-30000). Required. In a flow, the modifier `timeout` by default.
    #[schemars(range(min = 1, max = 30000))]
    pub timeout: Option<u64>,
    /// Similarity threshold percentage (0-100, default 100). 100 = exact match, lower values tolerate minor UI changes
    #[serde(default = "hundred")]
    #[schemars(range(min = 0, max = 100))]
    pub match_percentage: u8,
}

fn hundred() -> u8 {
    100
}

#[derive(Debug)]
pub struct WaitForIdle;

impl Tool for WaitForIdle {
    const NAME: &'static str = "wait_for_idle";
    const SUMMARY: &'static str = "Wait for the UI to become idle by comparing accessibility tree fingerprints using similarity-based change detection.";
    const HELP: &'static str =
        "A timeout is no error. Where something always moves, lower match_percentage.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    const FOR_CLIENTS: ClientDifferences = TIMEOUT_REQUIRED;
    type Args = WaitForIdleArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.between("timeout", 1, 30_000)?;
        args.between("match_percentage", 0, 100)
    }

    /// Waits until two looks in a row are similar enough, and returns JSON with the time and the similarity. If time is
    /// up, the JSON says so, and the verdict is a timeout.
    async fn call(
        session: &Session,
        args: WaitForIdleArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let limit = limit(args.timeout, call);
        match session.wait_for_idle(limit, args.match_percentage).await {
            Ok(idle) => {
                let value = json!({
                    "message": "UI is idle",
                    "elapsedMs": idle.elapsed.as_millis() as u64,
                    "similarity": idle.similarity,
                });
                Ok(Outcome::json(value))
            }
            Err(EngineError::NotIdle { waited, similarity }) => {
                let message = Words::format(
                    "Operation timed out after {}ms waiting for UI idle. Retry if the operation is long-running.",
                    &[&limit.as_millis()],
                );
                let value = json!({
                    "message": message,
                    "elapsedMs": waited.as_millis() as u64,
                    "similarity": similarity,
                });
                let failure = Failure::new(FailureKind::Timeout, message).comparing(
                    format!("{} %", args.match_percentage),
                    format!("{similarity} %"),
                );
                Ok(Outcome::json(value).failed(failure))
            }
            Err(error) => Err(errors::tree(error)),
        }
    }
}
