//! Tool that shows the screen as rows, with an annotated screenshot on request (A1).

use schemars::JsonSchema;
use serde::Deserialize;

use super::errors::{self, ErrorCode};
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool};
use runner_engine::{Capture, EngineError, Session};
use runner_screen::{Profile, annotate};

/// Arguments of `get_screen_state`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScreenStateArgs {
    /// Include a low-resolution screenshot. Only request when the UI element list is not sufficient.
    #[serde(default)]
    pub include_screenshot: bool,
}

#[derive(Debug)]
pub struct GetScreenState;

impl Tool for GetScreenState {
    const NAME: &'static str = "get_screen_state";
    const SUMMARY: &'static str = "Returns the consolidated current screen state: screen dimensions and a compact filtered flat TSV list of UI elements from all on-screen windows (including system dialogs, permission popups, and IME keyboards).";
    const HELP: &'static str = "The element tools take its ids. `off` is not on the screen: scroll_to_element first. get_element_details has `...truncated` values whole.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = ScreenStateArgs;

    /// Looks once and returns the screen as rows, and on request an annotated screenshot with password fields painted
    /// over. A screenshot that fails fails the call.
    async fn call(session: &Session, args: ScreenStateArgs, _: &Call) -> Result<Outcome, Failure> {
        let screen = session.look().await.map_err(errors::tree)?;
        let text = screen.tsv(Profile::Reference);
        let mut outcome = Outcome::value(text.clone(), text.into());
        if args.include_screenshot {
            let picture = session.picture().await.map_err(no_picture)?;
            let capture = Capture::new(screen, Some(picture));
            let jpeg = tokio::task::spawn_blocking(move || annotated(&capture))
                .await
                .ok()
                .flatten()
                .ok_or_else(|| errors::action_failed("Screenshot annotation failed"))?;
            outcome.images.push(("image/jpeg".to_owned(), jpeg));
        }
        Ok(outcome)
    }
}

/// Builds the failure of a screenshot in the reference's words: a device that is gone has the code `PERMISSION_DENIED`,
/// all else `ACTION_FAILED`.
fn no_picture(error: EngineError) -> Failure {
    let (message, code) = if error.is_unreachable() {
        (
            "Screen capture not available. Please enable the accessibility service in Android Settings.",
            ErrorCode::PERMISSION_DENIED,
        )
    } else {
        ("Screenshot capture failed", ErrorCode::ACTION_FAILED)
    };
    errors::with_message(error, message.to_owned(), code)
}

fn annotated(capture: &Capture) -> Option<Vec<u8>> {
    let picture = capture.storable_picture().ok()??;
    let drawn = annotate::annotate(picture.pixels().ok()?.as_ref(), &capture.screen);
    annotate::to_jpeg(&drawn).ok()
}
