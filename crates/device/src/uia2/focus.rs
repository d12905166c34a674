//! Finds the element with the focus by a few short questions in place of the whole source.

use std::time::Duration;

use tokio::time::Instant;

use super::error::Uia2Error;
use super::server::Server;
use super::wire;
use crate::{Device, FocusedElement};

/// Asks for the element with the focus, then for its text, class, bounds and whether it is a password.
/// `limit` bounds both requests together. `None` if the server names no element.
///
/// # Errors
/// Returns a [`Uia2Error`] if the server refuses or does not answer, also for an element that vanished
/// between the requests.
pub(super) async fn ask(
    server: &Server,
    device: &dyn Device,
    limit: Duration,
) -> Result<Option<FocusedElement>, Uia2Error> {
    let begun = Instant::now();
    let requests = [server.session.focused()];
    let answers = server.client.exchange(&requests, limit).await;
    device.counters().mark_read_only();
    let answers = answers.map_err(|failed| failed.error)?;
    let Some(id) = wire::element_id(answers.first().ok_or(Uia2Error::ConnectionClosed)?)? else {
        return Ok(None);
    };
    let left = limit.saturating_sub(begun.elapsed());
    let answers = server
        .client
        .exchange(&server.session.describe_element(&id), left)
        .await;
    device.counters().mark_read_only();
    let answers = answers.map_err(|failed| failed.error)?;
    wire::focused_element(&answers).map(Some)
}
