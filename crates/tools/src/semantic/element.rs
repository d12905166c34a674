//! Finds the element that a call names, and builds results of calls on it.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::kind::{Action, ElementKind};
use super::model::Model;
use crate::ErrorCode;
use crate::{Advice, Failure, Outcome, Words};
use runner_device::Input;
use runner_engine::{EngineError, Session};
use runner_screen::{Node, NodeIndex, Screen};

/// Time limit for a keyboard to disappear. Chosen: an animation, and a look of a slow phone.
const KEYBOARD: Duration = Duration::from_secs(3);

/// An element by its id.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElementArgs {
    /// Id of the element, from `list_actionable` or `ui://elements`.
    #[schemars(length(min = 1))]
    pub element_id: String,
}

/// An element on a new look.
pub(super) struct FoundElement {
    pub(super) screen: Arc<Screen>,
    pub(super) index: NodeIndex,
}

impl FoundElement {
    pub(super) fn node(&self) -> Node<'_> {
        self.screen.node(self.index)
    }
}

/// Finds an element to act on, as [`on_screen`] does. If it is not found while a keyboard is shown, hides the keyboard
/// and looks once more. The keyboard then stays hidden; one that does not go within 3 s is the failure.
pub(super) async fn find(session: &Session, id: &str) -> Result<FoundElement, Failure> {
    match on_screen(session, id).await {
        Err(failure) if failure.code == Some(ErrorCode::ELEMENT_NOT_FOUND) => {
            let covered = session
                .last_screen()
                .is_some_and(|screen| screen.keyboard_shown());
            if covered && session.hide_keyboard(KEYBOARD).await? {
                return on_screen(session, id).await;
            }
            Err(failure)
        }
        result => result,
    }
}

/// Finds an element on a new look by a semantic id, a node id (`node_…`) or a short id (`@e…`). Anything that is no
/// known semantic id is tried as an id of the session. A dialog of a rule is answered if no element has the id, or the
/// element lies below the dialog, and another look follows. A dialog that stays is a failure.
///
/// # Errors
///
/// If the id is unknown or its element is gone, both with code `ELEMENT_NOT_FOUND`; or the device failed.
pub(super) async fn on_screen(session: &Session, id: &str) -> Result<FoundElement, Failure> {
    // Node ids and short ids are never semantic ones, so one look suffices.
    let is_semantic = !id.starts_with('@') && !id.starts_with("node_");
    if is_semantic && let Some(found) = by_semantic_id(session, id).await? {
        return Ok(found);
    }
    match session.element(id).await {
        Ok((screen, index)) => Ok(FoundElement { screen, index }),
        Err(EngineError::UnknownId { .. }) => Err(not_found(id)),
        Err(error @ EngineError::Gone { .. }) => Err(Failure {
            code: Some(ErrorCode::ELEMENT_NOT_FOUND),
            ..error.into()
        }),
        Err(error) => Err(error.into()),
    }
}

/// Finds an element on a new look by a semantic id, after the dialogs of rules that hide it were answered; `None` if no
/// element has it.
async fn by_semantic_id(session: &Session, id: &str) -> Result<Option<FoundElement>, Failure> {
    let find = |screen: &Screen| Model::new(screen).find(id).map(|element| element.node);
    let (screen, found) = session.look_for(find).await?;
    let index = found.first().copied();
    Ok(index.map(|index| FoundElement { screen, index }))
}

/// Finds the element on a later look, by its likeness, else by its id. `None` if it is not there.
pub(super) fn again(
    session: &Session,
    id: &str,
    old: &FoundElement,
    screen: &Screen,
) -> Option<NodeIndex> {
    session
        .find_again(&old.screen, old.index, screen)
        .or_else(|| Model::new(screen).find(id).map(|element| element.node))
}

/// Taps `node` where nothing is known to cover it. `target` is the element that takes the touch, and `id` the one
/// that the call names.
pub(super) async fn tap(
    session: &Session,
    id: &str,
    node: Node<'_>,
    target: Node<'_>,
) -> Result<(), EngineError> {
    let name = format!("Element '{id}'");
    session
        .touch_node(&name, node, target, Input::Tap)
        .await
        .map(drop)
}

/// Builds the failed assertion for an unknown id, with the code `ELEMENT_NOT_FOUND`. It tells to look again for an id
/// with `@`, and to list the elements for any other.
pub(super) fn not_found(id: &str) -> Failure {
    let failure = Failure {
        code: Some(ErrorCode::ELEMENT_NOT_FOUND),
        ..Failure::assertion(Words::format("Element not found: {}", &[&id]))
    };
    if id.starts_with('@') {
        failure.with_details(["ids such as @e1 are those of `runner_look`; look again"])
    } else {
        failure.with_advice([Advice::ListIds])
    }
}

/// Builds the failed assertion for an action that the element does not support, with the code `ACTION_FAILED`. The
/// details say its type, and that it is disabled or else which actions it supports. For an enabled element, a detail
/// names the first id around it, else in it, that supports the action.
pub(super) fn unsupported(id: &str, action: Action, node: Node<'_>) -> Failure {
    let failure = Failure {
        code: Some(ErrorCode::ACTION_FAILED),
        ..Failure::assertion(Words::format(
            "Element '{}' does not support '{}'",
            &[&id, &Words::from(action.word())],
        ))
    };
    let kind = ElementKind::from_node(node);
    if !node.flags().enabled {
        return failure.with_details([Words::format(
            "it is of type {} and disabled",
            &[&Words::from(kind.word())],
        )]);
    }
    let own = Action::for_node(node, kind);
    let own = if own.is_empty() {
        Words::from("nothing")
    } else {
        Words::joined(own.iter().map(|own| own.word().into()), ", ")
    };
    let failure = failure.with_details([Words::format(
        "it is of type {} and supports {}",
        &[&Words::from(kind.word()), &own],
    )]);
    let model = Model::new(node.screen());
    let other = node
        .ancestors()
        .chain(node.descendants())
        .find_map(|other| {
            let element = model.at(other.index())?;
            element.actions.contains(&action).then_some(&element.id)
        });
    failure.with_details(other.map(|other| format!("`{other}`, which holds it or is in it, does")))
}

/// Builds the failure of an action without the intended effect: an assertion with the code `ACTION_FAILED`.
pub(super) fn failed(message: impl Into<Words>) -> Failure {
    Failure {
        code: Some(ErrorCode::ACTION_FAILED),
        ..Failure::assertion(message)
    }
}

/// Builds the result of a successful action: `success`, `element_id` and `message` as JSON, and the message alone as
/// text.
pub(super) fn done(id: &str, message: impl Into<Words>) -> Outcome {
    let message = message.into();
    Outcome::json(json!({ "success": true, "element_id": id, "message": message })).saying(message)
}
