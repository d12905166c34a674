//! Tool that lists elements with their actions (C7).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::kind::Action;
use super::model::{Model, label};
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool};
use runner_engine::Session;

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

#[derive(Debug)]
pub struct ListActionable;

impl Tool for ListActionable {
    const NAME: &'static str = "semantic.list_actionable";
    const SUMMARY: &'static str = "Lists all interactive elements with the actions they support.";
    const HELP: &'static str = "Each action is a tool that takes the id as `element_id`; the label is what it says on the screen. Values and states: the resource `ui://elements`.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = NoArgs;

    /// Looks once and lists the elements on the screen that can be acted on, as `{"elements": […]}`, those of apps
    /// first. A screen without such elements gives an empty list and no failure.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let screen = session.look().await?;
        let model = Model::new(&screen);
        let elements: Vec<Value> = model
            .elements
            .iter()
            .filter(|element| !element.actions.is_empty() && model.node(element).is_on_screen())
            .map(|element| {
                let actions: Vec<&str> = element.actions.iter().map(|a| Action::word(*a)).collect();
                json!({
                    "id": element.id,
                    "type": element.kind.word(),
                    "actions": actions,
                    "label": label(model.node(element), element.kind),
                })
            })
            .collect();
        Ok(Outcome::json(json!({ "elements": elements })))
    }
}
