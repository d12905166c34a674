//! Text into the field with the focus, at once and without keys.

use std::time::Duration;

use super::error::{Failed, Uia2Error};
use super::server::Server;
use super::wire;
use crate::{DeviceError, DriverKind};

/// The server takes no longer body.
const MOST_BODY: usize = 65_000;
/// How often a field is asked for that has not got the focus yet.
const ATTEMPTS: u32 = 5;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// Sets the text; `false` where the server cannot, and did nothing.
pub(super) async fn set(server: &Server, text: &str, limit: Duration) -> Result<bool, Failed> {
    // The server takes these two characters, a backslash and an n, for the wish to press ENTER.
    if text.ends_with("\\n") {
        return Ok(false);
    }
    let request = server.session.text(text);
    if request
        .body
        .as_ref()
        .is_some_and(|body| body.len() > MOST_BODY)
    {
        return Ok(false);
    }
    for attempt in 1..=ATTEMPTS {
        let answers = server
            .client
            .exchange(std::slice::from_ref(&request), limit)
            .await?;
        let answer = answers.first().ok_or(Failed {
            error: Uia2Error::Cut,
            sent: true,
        })?;
        match wire::done(answer) {
            Ok(()) => return Ok(true),
            // A field gets its focus a moment after it was touched.
            Err(Uia2Error::ServerError { error, .. }) if error == "no such element" => {
                if attempt < ATTEMPTS {
                    tokio::time::sleep(PAUSE).await;
                }
            }
            // Its message repeats the text, so it is not logged. No field took the text.
            Err(Uia2Error::ServerError { error, .. }) => {
                tracing::info!(target: "uia2", ?error, "the field takes no text at once");
                return Ok(false);
            }
            Err(error) => return Err(Failed { error, sent: true }),
        }
    }
    Ok(false)
}

/// The error for an input that the server refused.
pub(super) fn refused(error: &Uia2Error) -> DeviceError {
    DeviceError::InputRefused {
        exit_code: None,
        output: error.to_string(),
    }
}

/// The error for what was sent and never answered.
pub(super) fn unknown(what: &str, error: &Uia2Error) -> DeviceError {
    DeviceError::Driver {
        driver: DriverKind::Uia2,
        cause: format!("{error}, so nobody knows whether {what} arrived; run the flow again"),
    }
}
