//! `runner doctor --try`: does once on a device what flows need, on top of [`trial`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::Config;
use crate::device::doctor::CheckResult;
use crate::device::uia2::{self, Use};
use crate::device::{DeviceError, DriverChoice, DriverKind, LookOptions, trial};
use crate::engine::{EngineError, Focus, Readiness, Session, Typing};
use crate::run::devices::{OpenDevice, Target};
use crate::run::lease::Leases;
use crate::screen::Selector;

/// Text that is typed: letters without a key on most keyboards.
const TYPED_TEXT: &str = "Zürich äöü";
/// Limit for typing, and for a look. Chosen: a slow phone needs seconds for either; a stuck one must not hold up
/// the other checks for minutes.
const TYPING_LIMIT: Duration = Duration::from_secs(25);

/// Checks that `--try` does on a device.
pub(super) struct Trial {
    /// Id or words of the field to type into.
    pub(super) field: Option<String>,
}

impl Trial {
    /// Runs the checks that change the device, one after the other, and times them. A check that fails is a bad
    /// result, and the others follow; a feature that the device lacks is no bad one. Other runs are kept off the
    /// device meanwhile; if it is in use, the result is only that. The driver uia2 is tried if it is installed and
    /// the stock driver is in use, typing if a field was named.
    pub(super) async fn run(
        &self,
        open: &OpenDevice,
        target: &Target,
        config: &Config,
    ) -> Vec<CheckResult> {
        let leases = Leases::new(&config.lease_folder, &config.adb_server(), "runner doctor");
        let _lease = match leases.take(target) {
            Ok(lease) => lease,
            Err(error) => {
                let detail = format!("not tried, the device is in use: {error}");
                return vec![CheckResult::bad("tried", detail, "try when that is done")];
            }
        };
        let device = open.device.as_ref();
        let mut findings = trial::try_device(device).await;
        if device.uia2_installed() && device.info().driver == Some(DriverKind::Stock) {
            findings.push(trial::timed("look with uia2", look_with_uia2(open, config)).await);
        }
        if let Some(field) = &self.field {
            findings.push(trial::timed("text of any script", type_into(open, field)).await);
        }
        findings
    }
}

/// Looks twice with the driver uia2. Returns the number of nodes and both times in words, without the start of the
/// server. An error if the server does not start or a look takes longer than [`TYPING_LIMIT`].
async fn look_with_uia2(open: &OpenDevice, config: &Config) -> Result<String, DeviceError> {
    let device = Arc::clone(&open.device);
    let throughout = Use::Throughout;
    let driven = uia2::driven(device, DriverChoice::Uia2, throughout, &config.apk_places()).await?;
    let begun = Instant::now();
    driven.look(LookOptions::within(TYPING_LIMIT)).await?;
    let first = begun.elapsed();
    let begun = Instant::now();
    let screen = driven.look(LookOptions::within(TYPING_LIMIT)).await?;
    Ok(format!(
        "{} nodes; the first look {} ms, the next {} ms",
        screen.len(),
        first.as_millis(),
        begun.elapsed().as_millis()
    ))
}

/// Types [`TYPED_TEXT`] into the field on the screen, found by its id or else by its words, in place of its
/// content. The old content is lost. Returns the content that can be read back, which is not compared, or words
/// that it cannot. An error if there is no such field or typing fails; see [`from_engine`].
async fn type_into(open: &OpenDevice, field: &str) -> Result<String, DeviceError> {
    let session = Session::new(Arc::clone(&open.device));
    let by_id = Selector::from_id(field);
    let screen = session.look().await.map_err(from_engine)?;
    let selector = if by_id.find(&screen).is_empty() {
        Selector::from_words(field)
    } else {
        by_id
    };
    let typing = Typing {
        clear: true,
        ..Typing::default()
    };
    let focus = Focus::On(&selector, Readiness::Enabled);
    let typed = session
        .type_text(focus, TYPED_TEXT, typing, TYPING_LIMIT)
        .await;
    let typed = typed.map_err(from_engine)?;
    Ok(typed
        .content
        .unwrap_or_else(|| "typed; it cannot be read back".to_owned()))
}

/// Turns an error of the engine into one of the device. Of other errors only the message is kept; they are failures,
/// never a lack of the device.
fn from_engine(error: EngineError) -> DeviceError {
    match error {
        EngineError::Device(error) => error,
        other => DeviceError::Command {
            command: "type".to_owned(),
            exit_code: None,
            output: other.to_string(),
        },
    }
}
