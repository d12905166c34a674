//! Tool that lets time pass (B12).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::{self, AgentError};
use super::state::SessionCaches;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::Session;

/// Limit for a wait in seconds. Chosen: longer than an agent should block.
const MAX_SECONDS: f64 = 60.0;

/// Arguments of `wait`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitArgs {
    /// Duration in seconds, 0 to 60; may have a fraction.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 60))]
    pub seconds: f64,
}

fn one() -> f64 {
    1.0
}

#[derive(Debug)]
pub struct Wait;

impl Tool for Wait {
    const NAME: &'static str = "mobile_agent.wait";
    const SUMMARY: &'static str =
        "Waits for a duration: for an app to load, or a transition to end.";
    const WRITING: StepSyntax = StepSyntax::Scalar("seconds");
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    const HELP: &'static str = "Ids of controls stay; list the controls anew to see what came. On the virtual device the time is virtual.";
    type Args = WaitArgs;

    async fn call(session: &Session, args: WaitArgs, _: &Call) -> Result<Outcome, Failure> {
        Ok(answer::to_outcome(wait(session, args.seconds).await))
    }
}

/// Waits on the device's clock. Less than 0 and more than 60 seconds are errors. The cached screen and controls expire,
/// but the controls' ids stay valid.
async fn wait(session: &Session, seconds: f64) -> Result<Outcome, AgentError> {
    if seconds < 0.0 {
        return Err(AgentError::new("Wait time must be non-negative"));
    }
    if seconds > MAX_SECONDS {
        return Err(AgentError::new("Wait time cannot exceed 60 seconds"));
    }
    let time = Duration::try_from_secs_f64(seconds).map_err(|error| {
        AgentError::new(Words::format(
            "Wait time cannot be used: {}",
            &[&error.to_string()],
        ))
    })?;
    session
        .pause(time)
        .await
        .map_err(AgentError::from_failure)?;
    session
        .remembered::<SessionCaches>()
        .caches()
        .expire_screen();
    // As the reference writes it: always with a fraction.
    let seconds = format!("{seconds:?}");
    let action = Words::format("wait({}s)", &[&seconds]);
    let message = Words::format("Waited for {} seconds", &[&seconds]);
    let answer = json!({ "success": true, "action": action, "message": message });
    Ok(Outcome::json(answer).saying(action).saying(message))
}
