//! Tool that returns the whole texts of elements by their ids (A28).

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::arguments::invalid;
use super::errors::{self, ErrorCode};
use crate::arguments::Arguments;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::Session;
use runner_screen::{NodeIndex, Screen};

/// Arguments of `get_element_details`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElementDetailsArgs {
    #[schemars(description = "Array of element IDs to look up (from get_screen_state output)")]
    #[schemars(length(min = 1))]
    pub ids: Vec<String>,
}

#[derive(Debug)]
pub struct GetElementDetails;

impl Tool for GetElementDetails {
    const NAME: &'static str = "get_element_details";
    const SUMMARY: &'static str = "Retrieves full untruncated text and contentDescription for one or more elements by their IDs.";
    const HELP: &'static str =
        "A TSV. `not_found`: it is not on the screen now; look again for its new id.";
    const WRITING: StepSyntax = StepSyntax::Scalar("ids");
    const EFFECT: Effect = Effect::Reads;
    type Args = ElementDetailsArgs;

    /// Checks that `ids` is a list of texts that is not empty.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let ids = args.required("ids")?;
        let Value::Array(ids) = ids else {
            return Err(invalid("Parameter 'ids' must be an array of strings"));
        };
        if ids.is_empty() {
            return Err(invalid("Parameter 'ids' must not be empty"));
        }
        if ids.iter().any(|id| !id.is_string()) {
            return Err(invalid("Each element in 'ids' must be a string"));
        }
        Ok(())
    }

    /// Returns a TSV with text and description of each id, as on one new look. If one is not there, or all are below it,
    /// a dialog that a rule knows is answered first. Ids that are not there are listed as `not_found`, and make the
    /// verdict a failure; the answer still has the others.
    async fn call(
        session: &Session,
        args: ElementDetailsArgs,
        _: &Call,
    ) -> Result<Outcome, Failure> {
        let find = |screen: &Screen| -> Vec<NodeIndex> {
            let ids = args.ids.iter();
            let found: Option<Vec<_>> = ids.map(|id| session.on_screen(id, screen)).collect();
            found.unwrap_or_default()
        };
        let (screen, _) = session.look_for(find).await.map_err(errors::tree)?;
        let mut text = "id\ttext\tdesc".to_owned();
        let mut elements = Map::new();
        let mut missing = Vec::new();
        for id in &args.ids {
            let index = session.on_screen(id, &screen);
            let (display, desc) = if let Some(node) = index.map(|index| screen.node(index)) {
                let details = json!({ "text": node.display_text(), "desc": node.desc() });
                elements.insert(id.clone(), details);
                (cell(node.display_text()), cell(node.desc()))
            } else {
                missing.push(id.as_str());
                ("not_found".to_owned(), "not_found".to_owned())
            };
            // The id comes from the caller; a tab in it would begin another column.
            let _ = write!(text, "\n{}\t{display}\t{desc}", cell(id));
        }
        let outcome = Outcome::value(text, Value::Object(elements));
        if missing.is_empty() {
            return Ok(outcome);
        }
        let failure = Failure {
            code: Some(ErrorCode::ELEMENT_NOT_FOUND),
            ..Failure::assertion(Words::format(
                "not on the screen: {}",
                &[&missing.join(", ")],
            ))
        };
        Ok(outcome.failed(failure))
    }
}

/// Formats a value as a cell of a TSV. Tabs and line breaks become spaces, space at the ends is cut, and a
/// blank value becomes `-`.
fn cell(text: &str) -> String {
    let line = text.replace(['\t', '\n', '\r'], " ");
    match line.trim() {
        "" => "-".to_owned(),
        text => text.to_owned(),
    }
}
