//! Ends apps, and clears their data.

use super::check::{check_part, has_path, is_refused};
use crate::command::{QUICK, failed, no_effect, succeed};
use crate::{Device, DeviceError, Script, ShellOutput, quote};

/// Ends an app with all its processes. Returns true if a process of it ran before, if the device does not tell, and
/// always behind a server, which does it then. An app that does not run, or is not installed, gives false, and so does
/// every app on a device without `pidof`.
///
/// # Errors
/// Fails if the device refuses, or a process that ran before the command still runs after it. A process that the
/// system started anew is no error.
pub async fn stop(device: &dyn Device, package: &str) -> Result<bool, DeviceError> {
    if let Some(system) = device.system() {
        system.stop(package).await?;
        return Ok(true);
    }
    let command = Script::command(["am", "force-stop", package]);
    let output = device
        .shell(&with_processes(&command, package), QUICK)
        .await?;
    if is_refused(&output) || output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(&command, &output));
    }
    check_ended(&command, &output)?;
    let before = line_of("before=", &output.text()).map(|ids| !ids.trim().is_empty());
    Ok(before.unwrap_or(true))
}

/// Wraps a command that ends an app. The script prints the app's process ids before it as `before=…` and
/// after it as `after=…`, and exits with the command's exit code.
fn with_processes(command: &Script, package: &str) -> Script {
    let pidof = format!("pidof {} 2>/dev/null", quote(package));
    Script::raw(
        format!(
            "b=$({pidof}); {}; r=$?; echo \"before=$b\"; echo \"after=$({pidof})\"; (exit $r)",
            command.text()
        ),
        command.label().to_owned(),
    )
}

/// Returns what the command of [`with_processes`] printed: the output without the lines of the script.
fn without_processes(output: &str) -> String {
    let is_said = |line: &&str| {
        let line = line.trim();
        !line.starts_with("before=") && !line.starts_with("after=")
    };
    let said: Vec<&str> = output.lines().filter(is_said).collect();
    said.join("\n")
}

/// Fails with [`DeviceError::Command`] if a process listed before the command of [`with_processes`] still runs.
fn check_ended(command: &Script, output: &ShellOutput) -> Result<(), DeviceError> {
    still_running(&output.text()).map_or(Ok(()), |pid| {
        let what = format!("the app's process {pid} still runs");
        Err(no_effect(command, what))
    })
}

/// Returns the first process id of the line `before=` that the line `after=` has too; `None` if there is none
/// or a line is missing. A new process does not count: the system restarts some apps at once.
fn still_running(output: &str) -> Option<&str> {
    let after: Vec<&str> = line_of("after=", output)?.split_whitespace().collect();
    line_of("before=", output)?
        .split_whitespace()
        .find(|pid| after.contains(pid))
}

/// Returns the rest of the first line that begins with `name` (spaces before it do not count); `None` without one.
fn line_of<'o>(name: &str, output: &'o str) -> Option<&'o str> {
    let mut lines = output.lines();
    lines.find_map(|line| line.trim().strip_prefix(name))
}

/// Ends an app's background processes; an app in front keeps running. An app that does not run is no error, and
/// whether it has ended is not checked.
pub async fn kill_background(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    let script = Script::command(["am", "kill", package]);
    succeed(device, &script, QUICK).await.map(drop)
}

/// Clears an app's data and so ends the app. A device behind a server leaves this to the server.
///
/// # Errors
/// Fails if the device does not print `Success`, if the app is not installed, or if a process of before still
/// runs. Old releases report success for a missing app, so its path is asked for too.
pub async fn clear(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.clear(package).await;
    }
    let command = Script::command(["pm", "clear", package]);
    let processes = with_processes(&command, package);
    let script = Script::raw(
        format!("{}; pm path {}; true", processes.text(), quote(package)),
        processes.label().to_owned(),
    );
    let output = device.shell(&script, QUICK).await?;
    check_part(&command, &output, &without_processes(&output.text()))?;
    if !has_path(&output.text()) {
        return Err(no_effect(&command, "the app is not installed".to_owned()));
    }
    check_ended(&command, &output)
}
