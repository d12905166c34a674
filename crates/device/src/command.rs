//! Running a script that must succeed, whatever way a device has of saying that it did not.

use std::time::Duration;

use super::{Device, DeviceError, Script, ShellOutput};
use runner_text::secret::Excerpt;

/// Time for a command that only asks or switches something.
pub(super) const QUICK: Duration = Duration::from_secs(15);

/// Runs `script` and gives its standard output; an exit code other than 0 is an error.
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

/// The error for what a script printed.
pub(super) fn failed(script: &Script, output: &ShellOutput) -> DeviceError {
    let message = output.message();
    DeviceError::Command {
        command: script.label().to_owned(),
        exit_code: output.exit_code,
        output: shorten(&message),
    }
}

/// The first lines, which say what is wrong; a stack trace follows them.
pub(super) fn shorten(message: &str) -> String {
    let lines: Vec<&str> = message
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("at "))
        .take(6)
        .collect();
    if lines.is_empty() {
        "it said nothing".to_owned()
    } else {
        Excerpt::new(&lines.join("\n"), 600).ending("").to_string()
    }
}

/// Whether the words mean that the device lacks the command.
pub(super) fn is_missing(message: &str) -> bool {
    [
        "No shell command implementation",
        "inaccessible or not found",
        ": not found",
        "Can't find service",
        "Unknown command",
        "unknown command",
    ]
    .iter()
    .any(|sign| message.contains(sign))
}
