//! Tool that takes a screenshot (B1).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::answer::AgentError;
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, FailureKind, Outcome, StepSyntax, Tool, blocking};
use runner_device::Picture;
use runner_engine::{Capture, EngineError, Session};

const NOT_PULLED: &str = "Failed to pull screenshot from device";
const NOT_CAPTURED: &str = "Failed to capture screenshot on device";

#[derive(Debug)]
pub struct CaptureScreenshot;

impl Tool for CaptureScreenshot {
    const NAME: &'static str = "mobile_agent.capture_screenshot";
    const SUMMARY: &'static str =
        "Takes a screenshot of the device and returns it as a base64-encoded image.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    const HELP: &'static str = "The result is one text, `data:image/png;base64,…`, at full size, for programs that decode it; it is not sent a second time as image content. Password fields are black: those of the last look. If it had one, or text was typed since, the screen is read anew.\nTo learn what is on the screen, get_app_window_controls_target_info is far shorter.";
    type Args = NoArgs;

    /// Returns a screenshot as a data URI. Password fields are painted over where the last look has them, or a new one
    /// if that had some or text was typed since. If the screen was never readable, nothing is painted over.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let (picture, screen) = session.picture_and_screen().await.map_err(no_picture)?;
        // Without a readable look the screenshot is used as it is: Android shows a password as dots, but for a moment
        // its last letter.
        let Some(screen) = screen else {
            return Ok(Outcome::text(data_uri(&picture)));
        };
        let capture = Capture::new(screen, Some(picture.clone()));
        // Encoding what was painted over takes tens of milliseconds; nothing may block the runtime.
        let uri = blocking(move || {
            let storable = capture.storable_picture()?;
            Ok(data_uri(&storable.unwrap_or(picture)))
        });
        let uri = uri.await?.map_err(no_picture)?;
        Ok(Outcome::text(uri))
    }
}

/// Returns a failure of infrastructure, such as a missing device, as the reference's error, as this tool
/// raises for every cause. Other failures, and those that have one of the reference's messages already, stay
/// as they are.
pub(super) fn raised(failure: Failure) -> Result<Outcome, Failure> {
    let told = [NOT_PULLED, NOT_CAPTURED];
    let is_told = told.iter().any(|told| failure.message == *told);
    if failure.kind != FailureKind::Infrastructure || is_told {
        return Err(failure);
    }
    Err(AgentError::with_message(NOT_PULLED, failure).failure())
}

/// Encodes the screenshot as a data URI. It is sent as text only: as structured content it would be sent
/// twice.
fn data_uri(picture: &Picture) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(picture.png()))
}

/// Returns the failure in the words of this catalogue: one if the device is not reachable, one for all else.
fn no_picture(error: EngineError) -> Failure {
    let message = if error.is_unreachable() {
        NOT_PULLED
    } else {
        NOT_CAPTURED
    };
    AgentError::with_message(message, error).failure()
}
