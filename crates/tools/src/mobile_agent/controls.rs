//! Tool that lists the controls of the active window (B5), and the lookup of their ids by later calls.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::AgentError;
use super::control_list::{Controls, has_rectangle, name};
use super::state::SessionCaches;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::{EngineError, Session};
use runner_screen::{Node, NodeIndex, Point, Screen};

/// Arguments of `get_app_window_controls_target_info`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetControlsArgs {
    /// Look afresh even where the cache would answer.
    #[serde(default)]
    pub force_refresh: bool,
}

#[derive(Debug)]
pub struct GetControls;

impl Tool for GetControls {
    const NAME: &'static str = "mobile_agent.get_app_window_controls_target_info";
    const SUMMARY: &'static str =
        "Lists the UI controls of the current screen with an id, name, type and rectangle each.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    const LISTS: bool = true;
    const HELP: &'static str = "Hand `id` and `name` to click_control or type_text. Every action ends the ids: list the controls anew after it. `rect` is [left, top, right, bottom] in pixels. Cached for 5 seconds; `force_refresh` after a change that came by itself.\nAn empty list may mean that the screen could not be read: get_ui_tree says why.";
    type Args = GetControlsArgs;

    /// Lists the controls of the active window, from the cache if that is younger than 5 s. A look that fails is a
    /// failure and no empty list.
    async fn call(session: &Session, args: GetControlsArgs, _: &Call) -> Result<Outcome, Failure> {
        match controls(session, args.force_refresh).await {
            Ok(controls) => Ok(Outcome::json(controls.json())),
            // An empty list would say that the screen has no controls.
            Err(error) => {
                Err(AgentError::with_message("Failed to dump UI hierarchy", error).failure())
            }
        }
    }
}

/// Returns the controls from the cache if they are younger than 5 s and no tool has acted since, else from a new look.
/// That is cached unless something acted meanwhile.
async fn controls(session: &Session, force_refresh: bool) -> Result<Arc<Controls>, EngineError> {
    let state = session.remembered::<SessionCaches>();
    let mark = {
        let caches = state.current(session);
        if let Some(controls) = caches.controls.fresh(caches.now())
            && !force_refresh
        {
            return Ok(controls);
        }
        caches.mark()
    };
    let controls = Arc::new(Controls::new(session.look_at_elements().await?));
    let mut caches = state.caches();
    if caches.is_unchanged_since(mark) {
        let now = caches.now();
        caches.controls.keep(Arc::clone(&controls), now);
    }
    Ok(controls)
}

/// Target of an action.
#[derive(Debug)]
pub(super) struct Control {
    /// Id as given.
    pub(super) id: String,
    /// Name in the list.
    pub(super) name: String,
    screen: Arc<Screen>,
    node: NodeIndex,
}

impl Control {
    /// Finds the control by an id of the last list of controls, which an action empties, or else the element
    /// by an id of the session. If the list is older than 5 s, any tool has acted since, or a rule may have to answer a
    /// dialog that came after it, the control is searched for on a new look.
    ///
    /// # Errors
    ///
    /// If the id is unknown, the element is not there any more, or the device failed.
    pub(super) async fn resolve(session: &Session, id: &str) -> Result<Self, AgentError> {
        let (fresh, retained) = {
            let state = session.remembered::<SessionCaches>();
            let caches = state.current(session);
            let fresh = caches.controls.fresh(caches.now()).is_some();
            (fresh, caches.controls.stored())
        };
        if let Some((controls, node)) =
            retained.and_then(|kept| kept.get(id).map(|node| (kept, node)))
        {
            let listed = Self::on(Arc::clone(&controls.screen), node, id);
            return if fresh && !session.has_dialog_rules() {
                Ok(listed)
            } else {
                listed.refreshed(session).await
            };
        }
        let (screen, node) = session
            .element(id)
            .await
            .map_err(|error| unresolved(id, error))?;
        Ok(Self::on(screen, node, id))
    }

    /// Creates the control of an element, with the name that it has on this screen.
    fn on(screen: Arc<Screen>, node: NodeIndex, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name(screen.node(node)).to_owned(),
            screen,
            node,
        }
    }

    /// Finds the control on a new look, as its list is too old to trust the rectangle. Fails as for an
    /// unknown id if it is not there any more, or has another name now. A text field may have changed its
    /// name. A dialog of a rule that hides the control is answered, and another look follows.
    async fn refreshed(self, session: &Session) -> Result<Self, AgentError> {
        let (screen, found) = session
            .look_for(|screen| self.again_on(session, screen))
            .await
            .map_err(|error| unresolved(&self.id, error))?;
        let node = *found.first().ok_or_else(|| not_found(&self.id))?;
        Ok(Self {
            screen,
            node,
            ..self
        })
    }

    /// Finds the control on a later look; `None` if it is not there, or another is in its place.
    fn again_on(&self, session: &Session, screen: &Screen) -> Option<NodeIndex> {
        // Another control may be at the same place by now. Only fields keep their identity when their text changes.
        session
            .find_named(&self.screen, self.node, screen)
            .filter(|again| {
                let again = screen.node(*again);
                again.is_editable() || name(again) == self.name
            })
    }

    pub(super) fn node(&self) -> Node<'_> {
        self.screen.node(self.node)
    }

    pub(super) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Returns the point to touch: the middle of the rectangle's part on the display. If the display's size
    /// is unknown, that of the whole rectangle.
    ///
    /// # Errors
    ///
    /// If no part is on the display, or there is no rectangle.
    pub(super) fn point(&self) -> Result<Point, AgentError> {
        let display = self.screen.display().bounds();
        let rect = self.node().bounds();
        let part = if display.is_empty() {
            has_rectangle(rect).then_some(rect)
        } else {
            rect.intersection(&display)
        };
        part.map(|part| part.center()).ok_or_else(|| {
            AgentError::new(Words::format(
                "Control '{}' has no rectangle information",
                &[&self.name],
            ))
        })
    }

    /// Returns a warning if the given name is not exactly the control's. The id counts in any case.
    pub(super) fn warning(&self, given: &str) -> Option<Words> {
        let Self { id, name, .. } = self;
        (given != name).then(|| {
            Words::format(
                "Warning: Control ID {} has name '{}', but provided name is '{}'. Using ID {}.",
                &[id, name, &given, id],
            )
        })
    }

    /// Returns `{id, name, type}`.
    pub(super) fn info(&self) -> Value {
        json!({ "id": self.id, "name": self.name, "type": self.node().short_class() })
    }
}

/// Builds the error of a search for a control: that of an unknown id, that of an element which is gone or below a dialog
/// that stays, or else that of a screen which was not read.
fn unresolved(id: &str, error: EngineError) -> AgentError {
    match error {
        EngineError::UnknownId { .. } => not_found(id),
        EngineError::Gone { .. } | EngineError::DialogHides { .. } => {
            AgentError::new(error.to_string())
        }
        error => AgentError::with_message("Failed to dump UI hierarchy", error),
    }
}

/// Builds the error of an unknown id, with the tool that gives ids of its form.
fn not_found(id: &str) -> AgentError {
    let gives_ids = if id.starts_with('@') {
        "runner_look"
    } else {
        "get_app_window_controls_target_info"
    };
    AgentError::new(Words::format(
        "Control with ID '{}' not found. Please call {} first.",
        &[&id, &gives_ids],
    ))
}
