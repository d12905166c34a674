//! Asks a device's shell about a setting, with errors that say what the device cannot do.

use crate::command::{QUICK, failed};
use crate::message::{is_missing, shorten};
use crate::{Device, DeviceError, Script};

/// Runs a script for at most 15 s and returns its standard output. A missing exit code counts as 0.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] with `what` if the device lacks the command or forbids it, and
/// [`DeviceError::Command`] for any other exit code than 0.
pub(super) async fn ask(
    device: &dyn Device,
    script: &str,
    what: &str,
) -> Result<String, DeviceError> {
    let ends = ["; ", " &", " |"].iter().filter_map(|end| script.find(end));
    let label = &script[..ends.min().unwrap_or(script.len())];
    let script = Script::raw(script, label.to_owned());
    let output = match device.shell(&script, QUICK).await {
        // The action says more than the command.
        Err(DeviceError::Unsupported { missing, .. }) => return Err(unsupported(what, &missing)),
        output => output?,
    };
    let message = output.message();
    if message.has_line(is_missing) {
        return Err(unsupported(what, &shorten(&message)));
    }
    if message.contains("Permission Denial") || message.contains("SecurityException") {
        return Err(unsupported(what, &shorten(&message)));
    }
    if output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(&script, &output));
    }
    Ok(output.text().into_owned())
}

/// Builds the [`DeviceError::Unsupported`]. `what` completes "this device cannot …".
pub(super) fn unsupported(what: &str, missing: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: what.to_owned(),
        missing: missing.to_owned(),
    }
}
