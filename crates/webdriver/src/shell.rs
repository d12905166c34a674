//! The device's shell, where the server lets it be used: `mobile: shell`.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::error::WebDriverError;
use crate::session::Session;
use crate::wire;
use runner_device::{DeviceError, Script, ShellOutput};

/// How long the server's own part of a command may take.
const GRACE: Duration = Duration::from_secs(5);
/// Longest output.
const MOST_OUTPUT: u64 = 64 << 20;
/// Why there is no shell.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum NoShell {
    #[error("its server has no `mobile: shell`")]
    NoCommand,
    #[error("its server allows some shell commands only, not those that are needed")]
    SomeCommands,
    /// How to allow it in Appium.
    #[error(
        "the server allows no shell; start Appium with `--allow-insecure uiautomator2:adb_shell` to allow it"
    )]
    NotAllowed,
    #[error("the server allows no shell: {0}")]
    Refused(String),
}

/// Whether there is a shell.
#[derive(Debug, Clone)]
pub(crate) enum ShellAccess {
    /// It is.
    Open,
    /// Why not.
    Closed(NoShell),
}

impl ShellAccess {
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }

    /// # Errors
    /// What cannot be done without, and how to allow it.
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

/// Why a server that refused has no shell.
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

/// Runs a script. The server returns no exit code, and an error where it is not 0: the script prints its own.
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
    let request = wire::mobile(session, "shell", &arguments, limit + GRACE)
        .at_most(MOST_OUTPUT)
        .called(format!("`{}`", script.label()));
    let output: Output = session.client.ask(request).await?;
    // Without its end nobody knows how the command ended, so it did not succeed.
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
