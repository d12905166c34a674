//! Sets the text of the focused field at once, without keys.

use std::time::Duration;

use super::error::{RequestError, Uia2Error};
use super::server::Server;
use super::wire;
use crate::{DeviceError, DriverKind};

/// Largest body in bytes; the server accepts no longer ones.
const MAX_BODY_BYTES: usize = 65_000;
/// Attempts while no field has the focus yet. Chosen: with [`PAUSE`] half a second, in which a field that was
/// touched gets it.
const ATTEMPTS: u32 = 5;
/// Pause between two attempts. Chosen: some frames of the display.
const PAUSE: Duration = Duration::from_millis(100);

/// Replaces the text of the element with the focus. While no element has the focus it tries up to five times, 100
/// ms apart; `limit` is for each try.
///
/// Returns false if the server cannot, and did nothing: the text ends in a backslash and `n`, the request has
/// more than 65,000 bytes, no element has the focus, or the field refuses.
///
/// # Errors
/// Returns a [`RequestError`] if the connection failed.
pub(super) async fn set(
    server: &Server,
    text: &str,
    limit: Duration,
) -> Result<bool, RequestError> {
    // The server reads a final backslash and `n` as a request to press ENTER.
    if text.ends_with("\\n") {
        return Ok(false);
    }
    let request = server.session.text(text);
    if request
        .body
        .as_ref()
        .is_some_and(|body| body.len() > MAX_BODY_BYTES)
    {
        return Ok(false);
    }
    for attempt in 1..=ATTEMPTS {
        let answers = server
            .client
            .exchange(std::slice::from_ref(&request), limit)
            .await?;
        let answer = answers.first().ok_or(RequestError {
            error: Uia2Error::ConnectionClosed,
            sent: true,
        })?;
        match wire::check(answer) {
            Ok(()) => return Ok(true),
            // A field gets the focus a moment after the touch.
            Err(Uia2Error::ServerError { error, .. }) if error == "no such element" => {
                if attempt < ATTEMPTS {
                    tokio::time::sleep(PAUSE).await;
                }
            }
            // Not logged: the message repeats the text. The field did not take it.
            Err(Uia2Error::ServerError { error, .. }) => {
                tracing::info!(target: "uia2", ?error, "the field takes no text at once");
                return Ok(false);
            }
            Err(error) => return Err(RequestError { error, sent: true }),
        }
    }
    Ok(false)
}

/// Builds the [`DeviceError::InputRefused`] of an input that the server refused.
pub(super) fn refused(error: &Uia2Error) -> DeviceError {
    DeviceError::InputRefused {
        exit_code: None,
        output: error.to_string(),
    }
}

/// Builds the [`DeviceError::Driver`] of a request that was sent and never answered. `what` names the input,
/// which may have arrived or not.
pub(super) fn unknown(what: &str, error: &Uia2Error) -> DeviceError {
    DeviceError::Driver {
        driver: DriverKind::Uia2,
        cause: format!("{error}, so nobody knows whether {what} arrived; run the flow again"),
    }
}
