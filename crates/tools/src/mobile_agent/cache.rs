//! Tool that empties the caches (B13).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::{self, AgentError};
use super::state::SessionCaches;
use crate::{Call, Effect, Failure, FrontEffect, Outcome, StepSyntax, Tool, Words};
use runner_engine::Session;

/// Arguments of `invalidate_cache`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvalidateCacheArgs {
    /// Which cache.
    #[serde(default = "all")]
    #[schemars(extend("enum" = ["controls", "apps", "ui_tree", "device_info", "all"]))]
    pub cache_type: String,
}

fn all() -> String {
    "all".to_owned()
}

#[derive(Debug)]
pub struct InvalidateCache;

impl Tool for InvalidateCache {
    const NAME: &'static str = "mobile_agent.invalidate_cache";
    const SUMMARY: &'static str =
        "Empties cached data, so that the next query asks the device again.";
    const WRITING: StepSyntax = StepSyntax::Scalar("cache_type");
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Sets;
    const HELP: &'static str = "Actions empty the controls and the UI tree by themselves. Needed after a change that came by itself, and for `apps` after an app was installed or removed. Empties nothing on the device.";
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = InvalidateCacheArgs;

    async fn call(
        session: &Session,
        args: InvalidateCacheArgs,
        _: &Call,
    ) -> Result<Outcome, Failure> {
        Ok(answer::to_outcome(invalidate(session, &args.cache_type)))
    }
}

/// Empties the named cache, or all. An unknown name is an error of the request.
fn invalidate(session: &Session, cache: &str) -> Result<Outcome, AgentError> {
    let state = session.remembered::<SessionCaches>();
    let mut caches = state.caches();
    let message = match cache {
        "controls" => {
            caches.empty_controls();
            "Controls cache invalidated"
        }
        "apps" => {
            caches.empty_apps();
            "Apps cache invalidated"
        }
        "ui_tree" => {
            caches.empty_ui_tree();
            "UI tree cache invalidated"
        }
        "device_info" => {
            caches.device_info.empty();
            "Device info cache invalidated"
        }
        "all" => {
            caches.empty_controls();
            caches.empty_ui_tree();
            caches.empty_apps();
            caches.device_info.empty();
            "All caches invalidated"
        }
        other => {
            return Err(AgentError::new(Words::format(
                "Invalid cache_type: {}. Must be 'controls', 'apps', 'ui_tree', 'device_info', or 'all'",
                &[&other],
            )));
        }
    };
    let answer = json!({ "success": true, "message": message });
    Ok(Outcome::json(answer).saying(message.into()))
}
