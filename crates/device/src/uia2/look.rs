//! Reads the screen by the server: asks for source and windows together, and builds the screen that a dump
//! would give.

use std::time::Duration;

use tokio::sync::oneshot::channel;
use tokio::time::Instant;

use super::error::Uia2Error;
use super::server::Server;
use super::wire;
use crate::source::{self, FrontAnswer};
use crate::{Device, LookOptions};
use runner_screen::{Screen, ScreenError, Window};

/// Pause before another look if the answers do not fit together. Chosen: a new window is complete after some
/// frames.
const PAUSE: Duration = Duration::from_millis(100);

impl Server {
    /// Reads the screen, with retries; see [`look`].
    pub(super) async fn look(
        &self,
        device: &dyn Device,
        options: LookOptions,
    ) -> Result<Screen, Uia2Error> {
        look(self, device, options).await
    }
}

/// Reads the screen, and tries again 100 ms later while its answers do not fit together: the source is empty,
/// names a window that the list lacks, or lacks the elements of the app in front. Stops after
/// `options.attempts` or at the limit.
///
/// A screen without the app's elements is returned as it is by the last try, or at once if the look before
/// ended so too. An empty source is in the end a device error, not one of the server.
///
/// # Errors
/// Returns any other error at once, without another try.
async fn look(
    server: &Server,
    device: &dyn Device,
    options: LookOptions,
) -> Result<Screen, Uia2Error> {
    let deadline = Instant::now() + options.limit;
    let mut attempt = 1;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let looked = look_once(
            server,
            device,
            LookOptions {
                limit: left,
                ..options
            },
        )
        .await;
        let is_last = attempt >= options.attempts || Instant::now() + PAUSE >= deadline;
        let error = match looked {
            Ok(mut screen) => {
                server.front.check(&screen);
                if !server.front_elements.wants_another(&mut screen, is_last) {
                    return Ok(screen);
                }
                None
            }
            Err(Uia2Error::Screen(error @ ScreenError::Empty)) => {
                Some(Uia2Error::Device(error.into()))
            }
            Err(Uia2Error::Screen(error @ ScreenError::UnknownWindow { .. })) => Some(error.into()),
            Err(error) => return Err(error),
        };
        if let Some(error) = error.filter(|_| is_last) {
            return Err(error);
        }
        tokio::time::sleep(PAUSE).await;
        attempt += 1;
    }
}

/// Asks the server for windows and elements, and meanwhile the device for what is in front. If the source names a
/// window that the list lacks, the list is asked for once more. Each request may take the whole limit.
async fn look_once(
    server: &Server,
    device: &dyn Device,
    options: LookOptions,
) -> Result<Screen, Uia2Error> {
    let limit = options.limit;
    device.counters().dump();
    let requests = server.session.look();
    let (first, listed) = channel();
    let client = &server.client;
    // The sender is dropped with the exchange, so without an answer the wait for the windows ends.
    let asking = async move {
        client
            .exchange_and(&requests, limit, &mut Some(first))
            .await
    };
    let front = async {
        let windows = wire::windows(&listed.await.ok()?).ok()?;
        Some(ask_what_is_in_front(server, device, &windows, options).await)
    };
    let (answers, front) = tokio::join!(asking, front);
    let answers = answers.map_err(|failed| failed.error)?;
    let [listed, answer] = answers.as_slice() else {
        return Err(Uia2Error::ConnectionClosed);
    };
    let source_text: String = wire::value(answer)?;
    let windows = wire::windows(listed)?;
    let front = front.unwrap_or(FrontAnswer::Unknown);
    let display = device.info().display.value().copied().unwrap_or_default();
    match source::screen(&source_text, &windows, front, display) {
        // A window appeared while the server made the source. The list costs a tenth of another source.
        Err(ScreenError::UnknownWindow { .. }) => {
            let requests = [server.session.windows()];
            let answers = client.exchange(&requests, limit).await;
            device.counters().mark_read_only();
            let answers = answers.map_err(|failed| failed.error)?;
            let windows = wire::windows(answers.first().ok_or(Uia2Error::ConnectionClosed)?)?;
            let front = ask_what_is_in_front(server, device, &windows, options).await;
            Ok(source::screen(&source_text, &windows, front, display)?)
        }
        made => Ok(made?),
    }
}

/// Returns the app in front of these windows. The answer for the same windows is taken from the cache. Else
/// it asks the device if the options want the surroundings, and returns [`FrontAnswer::Unknown`] if they do
/// not.
async fn ask_what_is_in_front(
    server: &Server,
    device: &dyn Device,
    windows: &[Window],
    options: LookOptions,
) -> FrontAnswer {
    let asking = async {
        if options.surroundings {
            source::ask_front(device, options.limit).await
        } else {
            FrontAnswer::Unknown
        }
    };
    server.front.known(windows, asking).await
}
