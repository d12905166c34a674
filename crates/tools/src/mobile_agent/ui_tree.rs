//! Tool that returns the hierarchy as XML (B2).

use std::sync::Arc;

use serde_json::json;

use super::answer::{self, AgentError};
use super::hierarchy;
use super::state::SessionCaches;
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool};
use runner_engine::Session;

#[derive(Debug)]
pub struct GetUiTree;

impl Tool for GetUiTree {
    const NAME: &'static str = "mobile_agent.get_ui_tree";
    const SUMMARY: &'static str =
        "Retrieves the complete UI hierarchy of the active window in XML format.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    const HELP: &'static str = "Long; to act on elements get_app_window_controls_target_info is enough. Answered from a cache for 5 seconds unless an action came between: after a change that came by itself, call invalidate_cache first.";
    type Args = NoArgs;

    /// Answers with the active window as XML, from the cache if that is younger than 5 s. A look that fails is an
    /// answer without success.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let tree = tree(session).await.map(|tree| {
            Outcome::json(json!({
                "success": true,
                "ui_tree": tree.as_str(),
                "format": "xml",
            }))
        });
        Ok(answer::to_outcome(tree))
    }
}

/// Returns the XML from the cache if it is younger than 5 s and no tool has acted since, else from a new look. That is
/// cached unless something acted meanwhile.
async fn tree(session: &Session) -> Result<Arc<String>, AgentError> {
    let state = session.remembered::<SessionCaches>();
    let mark = {
        let caches = state.current(session);
        if let Some(tree) = caches.ui_tree.fresh(caches.now()) {
            return Ok(tree);
        }
        caches.mark()
    };
    let screen = session
        .look_at_elements()
        .await
        .map_err(|error| AgentError::with_message("Failed to dump UI hierarchy", error))?;
    let tree = Arc::new(hierarchy::xml(&screen));
    let mut caches = state.caches();
    if caches.is_unchanged_since(mark) {
        let now = caches.now();
        caches.ui_tree.keep(Arc::clone(&tree), now);
    }
    Ok(tree)
}
