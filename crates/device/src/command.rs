//! Runs scripts that must succeed, and recognises the various ways in which devices report failures.

use std::time::Duration;

use super::message::{makers_switch, shorten};
use super::{Device, DeviceError, Script, ShellOutput};

/// Limit of a command that only asks or switches something. Chosen: a loaded emulator takes seconds for a
/// `dumpsys`.
pub(super) const QUICK: Duration = Duration::from_secs(15);

/// Runs `script` for at most `limit` and returns its standard output. A missing exit code counts as success, as old
/// devices report none.
///
/// # Errors
/// Returns [`DeviceError::Command`] if the exit code is not 0, with the beginning of standard error and then standard
/// output. Advice follows if a switch of the phone's maker is the cause.
pub(super) async fn succeed(
    device: &dyn Device,
    script: &Script,
    limit: Duration,
) -> Result<String, DeviceError> {
    let output = device.shell(script, limit).await?;
    if output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(script, &output));
    }
    Ok(output.text().into_owned())
}

/// Builds the [`DeviceError::Command`] of a failed script: its label, its exit code and the shortened output. If
/// a switch of the phone's maker is the cause, advice for it follows on a line of its own.
pub(super) fn failed(script: &Script, output: &ShellOutput) -> DeviceError {
    let message = output.message();
    let shown = shorten(&message);
    DeviceError::Command {
        command: script.label().to_owned(),
        exit_code: output.exit_code,
        output: match makers_switch(&message) {
            Some(advice) => format!("{shown}\n{advice}"),
            None => shown,
        },
    }
}

/// Builds the [`DeviceError::Command`] of a command that reported success without effect. `what` says what is
/// wrong; the error has no exit code.
pub(super) fn no_effect(command: &Script, what: String) -> DeviceError {
    DeviceError::Command {
        command: command.label().to_owned(),
        exit_code: None,
        output: what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_text::secret::OutsideText;

    #[test]
    fn a_makers_guard_is_answered_with_its_switch() {
        for (message, says) in [
            (
                "java.lang.SecurityException: grantRuntimePermission: Neither user 2000 nor current process has android.permission.GRANT_RUNTIME_PERMISSIONS.",
                "Security settings",
            ),
            (
                "java.lang.SecurityException: PID 4711 does not have permission android.permission.CLEAR_APP_USER_DATA to clear data of package com.example",
                "Security settings",
            ),
            (
                "Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]",
                "Install via USB",
            ),
        ] {
            let output = ShellOutput {
                stdout: message.as_bytes().to_vec(),
                exit_code: Some(255),
                ..ShellOutput::default()
            };
            let error = failed(&Script::command(["pm"]), &output).to_string();
            assert!(error.contains(says) && error.contains(message), "{error}");
        }
        let other = OutsideText::new("Failure [INSTALL_FAILED_INVALID_APK]");
        assert_eq!(makers_switch(&other), None);
    }
}
