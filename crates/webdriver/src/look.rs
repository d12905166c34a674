//! Takes looks: the page source and the list of windows, requested together and converted to the screen that
//! a dump would give.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::client::Request;
use crate::device::WebDriverDevice;
use crate::error::WebDriverError;
use runner_device::source::{self, FrontAnswer, WindowModel};
use runner_device::{Device, DeviceError, DumpFailure, LookOptions, ServerSystem};
use runner_screen::{Screen, ScreenError};

/// Pause before a look or a screenshot is tried again. Chosen: several tries fit into a second.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);
/// Limit for a page source with its JSON, in bytes. Chosen: real ones are below a few megabytes.
const MAX_SOURCE_BYTES: u64 = 64 << 20;

/// Repeats looks until source and windows fit together and the server shows a screen. A screen that lacks the
/// elements of the app in front, or of the window with the focus, is looked at again too, unless the last one
/// that was returned lacked the same. Stops after `options.attempts` or at the limit, and then returns such a
/// screen as it is.
///
/// # Errors
///
/// Returns the last look's error if source and windows never fit or there is no screen, and any other error at
/// once.
pub(crate) async fn look(
    device: &WebDriverDevice,
    options: LookOptions,
) -> Result<Screen, DeviceError> {
    let deadline = Instant::now() + options.limit;
    let mut attempt = 1;
    loop {
        let limit = deadline.saturating_duration_since(Instant::now());
        let looked = look_once(device, LookOptions { limit, ..options }).await;
        let is_last = attempt >= options.attempts || Instant::now() + PAUSE >= deadline;
        let error = match looked {
            Ok(mut screen) => {
                device.front.check(&screen);
                if !device.front_elements.wants_another(&mut screen, is_last) {
                    return Ok(screen);
                }
                None
            }
            // A window came or went between the two answers.
            Err(DeviceError::Dump(error @ ScreenError::UnknownWindow { .. })) => Some(error.into()),
            Err(error @ DeviceError::NoDump { .. }) => Some(error),
            Err(error) => return Err(error),
        };
        if let Some(error) = error.filter(|_| is_last) {
            return Err(error);
        }
        tokio::time::sleep(PAUSE).await;
        attempt += 1;
    }
}

/// Asks for tree and windows at the same time, and then for the app in front if `options` want it and the windows
/// of apps are others than at the last answer. Sets the device's clock if the tree has a time. An error if the
/// server cannot list windows.
async fn look_once(device: &WebDriverDevice, options: LookOptions) -> Result<Screen, DeviceError> {
    let limit = options.limit;
    let begun = Instant::now();
    device.counters().dump();
    let asking_source = async {
        let path = device.session.path("/source");
        let request = Request::get(path, limit)
            .at_most(MAX_SOURCE_BYTES)
            .called("GET source");
        device.send::<String>(request).await
    };
    let asking_windows = async {
        device.counters().mark_read_only();
        let arguments = json!({ "skipScreenshots": true });
        let request = device.session.mobile("listWindows", &arguments, limit);
        device.send::<Vec<WindowModel>>(request).await
    };
    if !device.has("listWindows") {
        return Err(DeviceError::Unsupported {
            what: "be looked at".to_owned(),
            missing: "its server has no `mobile: listWindows`; it needs appium-uiautomator2-driver 6.5 or newer".to_owned(),
        });
    }
    let (source, listed) = tokio::try_join!(asking_source, asking_windows)
        .map_err(|error| to_device_error(device, error))?;
    if let Some(time) = source::time(&source) {
        device.clock.report(time);
    }
    let windows = source::windows(listed);
    let left = limit.saturating_sub(begun.elapsed());
    let asking = async {
        if options.surroundings {
            ask_front(device, left).await
        } else {
            FrontAnswer::Unknown
        }
    };
    let front = device.front.known(&windows, asking).await;
    Ok(source::screen(
        &source,
        &windows,
        front,
        device.info.display.value().copied().unwrap_or_default(),
    )?)
}

/// Converts an error. A server that answers but cannot show a screen becomes [`DeviceError::NoDump`] with the
/// server's reason; all others are those of a device in use.
fn to_device_error(device: &WebDriverDevice, error: WebDriverError) -> DeviceError {
    match error {
        error @ WebDriverError::ServerError { .. } if !error.is_end() => DeviceError::NoDump {
            cause: error.to_string(),
            kind: DumpFailure::Other,
        },
        error => device.error(error),
    }
}

/// Asks for the package and activity in front, by the shell if there is one. Errors do not fail a look: a
/// refusal becomes [`FrontAnswer::Unavailable`], any other error [`FrontAnswer::Unknown`], which is asked
/// again.
async fn ask_front(device: &WebDriverDevice, limit: Duration) -> FrontAnswer {
    if device.shell.is_open() {
        return source::ask_front(device, limit).await;
    }
    device.counters().mark_read_only();
    device.counters().mark_read_only();
    match device.foreground().await {
        Ok(front) => FrontAnswer::from_activity(front),
        // A farm may refuse the question for good; what does not answer in time is asked again.
        Err(DeviceError::Unsupported { .. } | DeviceError::Command { .. }) => {
            FrontAnswer::Unavailable
        }
        Err(_) => FrontAnswer::Unknown,
    }
}
