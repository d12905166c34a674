//! Runs shell commands on the device by `mobile: shell`, if the server allows it.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::error::WebDriverError;
use crate::session::Session;
use runner_device::{DeviceError, Script, ShellOutput};

/// Time added to a command's limit for the server's own work. Chosen: the server's timeout should fire first,
/// with the better message.
const GRACE: Duration = Duration::from_secs(5);
/// Limit for a command's output, in bytes. Chosen: the same as for a log.
const MAX_OUTPUT_BYTES: u64 = 64 << 20;
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum NoShell {
    #[error("its server has no `mobile: shell`")]
    NoCommand,
    #[error("its server allows some shell commands only, not those that are needed")]
    SomeCommands,
    /// Refused for lack of an Appium option.
    #[error(
        "the server allows no shell; start Appium with `--allow-insecure uiautomator2:adb_shell` to allow it"
    )]
    NotAllowed,
    #[error("the server allows no shell: {0}")]
    Refused(String),
}

/// Result of a test of `mobile: shell` at the session's begin: it works, or the reason why it does not.
#[derive(Debug, Clone)]
pub(crate) enum ShellAccess {
    Open,
    Closed(NoShell),
}

impl ShellAccess {
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }

    /// Checks that there is a shell. `what` describes the action that needs it, such as `press A + B`, and is
    /// called only for the error.
    ///
    /// # Errors
    ///
    /// Returns [`DeviceError::Unsupported`] with the reason if there is none.
    pub(crate) fn needed_for(&self, what: impl FnOnce() -> String) -> Result<(), DeviceError> {
        match self {
            Self::Open => Ok(()),
            Self::Closed(why) => Err(DeviceError::Unsupported {
                what: what(),
                missing: why.to_string(),
            }),
        }
    }
}

/// Derives the reason from the server's refusal: not allowed if it names `adb_shell`, Appium's switch for it;
/// else refused, with the server's words.
pub(crate) fn closed(error: &WebDriverError) -> NoShell {
    let words = error.to_string();
    if words.contains("adb_shell") {
        NoShell::NotAllowed
    } else {
        NoShell::Refused(words)
    }
}

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
}

/// Runs a script. The server returns no exit code, and an error if it is not 0, so the script prints its own.
/// An exit code other than 0 is no error here.
///
/// # Errors
///
/// Returns [`WebDriverError::Unexpected`] if the end of the output is missing. Fails for too much output, and
/// if the server refuses or does not answer within `limit` and a short grace.
pub(crate) async fn run(
    session: &Session,
    script: &Script,
    limit: Duration,
) -> Result<ShellOutput, WebDriverError> {
    let mark = format!("@runner-{:016x}@", fastrand::u64(..));
    let command = format!("({}\n); echo \"{mark}$?\"", script.text());
    let arguments = json!({
        "command": command,
        "includeStderr": true,
        "timeout": limit.as_millis() as u64,
    });
    let request = session
        .mobile("shell", &arguments, limit + GRACE)
        .at_most(MAX_OUTPUT_BYTES)
        .called(format!("`{}`", script.label()));
    let output: Output = session.client.send(request).await?;
    // Without the end of its output the exit code is unknown, so the command counts as failed.
    let ended = output.stdout.rsplit_once(&mark);
    let ended = ended.and_then(|(stdout, code)| Some((stdout, code.trim().parse().ok()?)));
    let (stdout, code) = ended.ok_or_else(|| WebDriverError::Unexpected {
        what: format!("`{}`: the command's end is missing", script.label()),
        column: None,
    })?;
    Ok(ShellOutput {
        stdout: stdout.as_bytes().to_vec(),
        stderr: output.stderr.into_bytes(),
        exit_code: Some(code),
    })
}
