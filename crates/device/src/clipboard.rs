//! Clipboard, if the device's shell can reach it; on most phones it needs a helper app.

use super::command::{QUICK, failed};
use super::message::is_missing;
use super::{Device, DeviceError, Feature, Script, ShellOutput};
use runner_text::secret::from_outside;

/// Returns the clipboard's text; `None` if it holds none. A device's own server is asked instead. Where `cmd
/// clipboard` reads it, an empty text and the text `null` count as none, and one line end is cut off.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if the shell has no command for it, and [`DeviceError::Command`] if the
/// command fails.
pub async fn get(device: &dyn Device) -> Result<Option<String>, DeviceError> {
    if let Some(system) = device.system() {
        return system.clipboard().await;
    }
    if device.info().offers(Feature::ShellClipboard) {
        let script = Script::command(["cmd", "runner", "clipboard", "get"]);
        let output = device.shell(&script, QUICK).await?;
        return match output.exit_code {
            // Nothing was ever copied.
            Some(1) => Ok(None),
            _ => check(&script, &output).map(|()| Some(output.text().into_owned())),
        };
    }
    let script = Script::command(["cmd", "clipboard", "get-text"]);
    let output = device.shell(&script, QUICK).await?;
    check(&script, &output)?;
    let text = output.text();
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok((!text.is_empty() && text != "null").then(|| text.to_owned()))
}

/// Sets the clipboard's text, by the device's own server if there is one. The text is not logged.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if the shell has no command for it, and [`DeviceError::Command`] if the
/// command fails.
pub async fn set(device: &dyn Device, text: &str) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.set_clipboard(text).await;
    }
    let script = if device.info().offers(Feature::ShellClipboard) {
        Script::command(["cmd", "runner", "clipboard", "set", text]).private()
    } else {
        Script::command(["cmd", "clipboard", "set-text", text]).private()
    };
    let output = device.shell(&script, QUICK).await?;
    check(&script, &output)
}

/// Detects refusals: most releases have the service without a command, and report that with any exit code. A missing
/// exit code counts as 0.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] for such a message: on standard error, anywhere beside an exit code other than
/// 0, or if it is the whole output, as a clipboard may contain these words. Returns [`DeviceError::Command`] for any
/// other exit code than 0.
fn check(script: &Script, output: &ShellOutput) -> Result<(), DeviceError> {
    let stderr = from_outside(&output.stderr);
    let code = output.exit_code.unwrap_or(0);
    if is_missing(&stderr) || (code != 0 && is_missing(&output.text())) || says_only_missing(output)
    {
        return Err(DeviceError::Unsupported {
            what: "reach the clipboard".to_owned(),
            missing: "its shell has no command for it (`cmd clipboard`), and no helper app that gives access is known here".to_owned(),
        });
    }
    if code != 0 {
        return Err(failed(script, output));
    }
    Ok(())
}

/// Returns true for the refusal on standard output, which comes with exit code 0. The whole output must be the
/// message, as a clipboard may contain these words.
fn says_only_missing(output: &ShellOutput) -> bool {
    output.text().trim() == "No shell command implementation."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_without_the_command_is_told_from_a_failure() {
        let script = Script::command(["cmd", "clipboard", "get-text"]);
        let output = |stdout: &str, stderr: &str, code| ShellOutput {
            stdout: stdout.as_bytes().to_vec(),
            stderr: stderr.as_bytes().to_vec(),
            exit_code: Some(code),
        };
        for lacking in [
            output("No shell command implementation.\n", "", 0),
            output("", "cmd: Can't find service: clipboard", 20),
            output("", "Unknown command: get-text", 255),
        ] {
            assert!(matches!(
                check(&script, &lacking),
                Err(DeviceError::Unsupported { .. })
            ));
        }
        check(&script, &output("a note on ls: not found", "", 0)).unwrap();
        assert!(matches!(
            check(&script, &output("", "SecurityException", 255)),
            Err(DeviceError::Command { .. })
        ));
    }
}
