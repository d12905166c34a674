//! Tool that presses a key (B10).

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::{self, AgentError};
use super::touch::act;
use crate::{Call, Failure, FrontEffect, Outcome, StepSyntax, Tool, Words};
use runner_device::{Input, Key, KeyError};
use runner_engine::Session;

/// Arguments of `press_key`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressKeyArgs {
    /// Key code name, such as `KEYCODE_HOME`, `KEYCODE_BACK`, `KEYCODE_ENTER`, `KEYCODE_DEL`, `KEYCODE_APP_SWITCH`; also without `KEYCODE_`.
    pub key_code: String,
}

#[derive(Debug)]
pub struct PressKey;

impl Tool for PressKey {
    const NAME: &'static str = "mobile_agent.press_key";
    const SUMMARY: &'static str =
        "Presses a hardware or software key for navigation and system actions.";
    const WRITING: StepSyntax = StepSyntax::Scalar("key_code");
    const HELP: &'static str =
        "Prefer KEYCODE_BACK to a tap on a back arrow. List the controls anew afterwards.";
    type Args = PressKeyArgs;

    fn front_effect(args: &PressKeyArgs) -> FrontEffect {
        FrontEffect::from_key(&args.key_code)
    }

    /// Presses the key, whose name may begin with `KEYCODE_`. A name of the wrong form is an answer without success.
    async fn call(session: &Session, args: PressKeyArgs, _: &Call) -> Result<Outcome, Failure> {
        let key: Result<Key, KeyError> = args.key_code.parse();
        let pressed = match key {
            Ok(key) => {
                let action = Words::format("press_key({})", &[&args.key_code]);
                act(session, Input::Key { key, long: false }, action).await
            }
            Err(error) => Err(AgentError::new(error.to_string())),
        };
        Ok(answer::to_outcome(pressed))
    }
}
