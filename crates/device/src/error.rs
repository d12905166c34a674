//! Errors of devices.

use std::time::Duration;

use runner_adb::client::Refusal;
use runner_picture::PictureError;

use super::message::makers_switch;
use super::{DriverKind, ShellOutput};
use runner_screen::ScreenError;
use runner_text::secret::OutsideText;
use runner_text::units::RoundedDuration;

/// Error of a device or of the connection to it. Each message says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// No adb server listens at the address.
    #[error(
        "no adb server at {address}: {cause}. Install platform-tools or start one with `adb start-server`; `runner doctor` says more"
    )]
    NoServer {
        /// Host and port.
        address: String,
        cause: String,
    },
    #[error("device '{serial}' is not connected; `runner devices` lists what is")]
    NotFound { serial: String },
    /// No device at all, or several and none was named.
    #[error("{0}")]
    Ambiguous(String),
    /// The device is listed as `offline`, `unauthorized`, `no permissions` or the like.
    #[error("device '{serial}' is {state}: {advice}")]
    Unusable {
        serial: String,
        /// State in adb's words.
        state: String,
        advice: String,
    },
    /// The device does not admit this computer, so a person has to act.
    #[error("device '{serial}' is {}: {cause}", .cause.state())]
    Refused { serial: String, cause: Refusal },
    /// Another run or server uses the device.
    #[error(
        "device '{serial}' is in use: {holder}. Wait until that is done, or name another device"
    )]
    InUse {
        serial: String,
        /// Description of the process that uses it.
        holder: String,
    },
    /// The project's steps for preparing a device failed on it.
    #[error("device '{serial}' could not be set up: {cause}")]
    NotSetUp {
        /// Label of the device.
        serial: String,
        /// The failed step and its error.
        cause: String,
    },
    /// The connection ended, or the device stopped answering.
    #[error("device '{serial}' was lost: {cause}")]
    Lost { serial: String, cause: String },
    /// Time limit that ran out; the device may still answer.
    #[error("{what} took longer than {} on the device", RoundedDuration(*.limit))]
    Timeout {
        /// Action in progress, which begins the message.
        what: String,
        limit: Duration,
    },
    #[error("`input` failed on the device{}: {output}", .exit_code.map(|code| format!(" (exit {code})")).unwrap_or_default())]
    InputRefused {
        /// Exit code, if it is known.
        exit_code: Option<i32>,
        output: String,
    },
    /// Command that failed on the device, or was refused before it was sent.
    #[error("`{command}` failed on the device{}: {output}", .exit_code.map(|code| format!(" (exit {code})")).unwrap_or_default())]
    Command {
        /// Label of the command, without long or secret arguments.
        command: String,
        /// Exit code, if it is known.
        exit_code: Option<i32>,
        /// Beginning of its output, or the reason that it was not sent.
        output: String,
    },
    #[error("the screen could not be read: {cause}")]
    NoDump {
        /// Reason, and what to do.
        cause: String,
        kind: DumpFailure,
    },
    /// The dump cannot be parsed.
    #[error(transparent)]
    Dump(ScreenError),
    /// The device sent no usable screenshot.
    #[error("no screenshot: {0}")]
    NoPicture(String),
    /// The log cannot be read; holds the reason.
    #[error(
        "the device's log cannot be read: {0}. Some makers keep none until it is switched on in the developer options"
    )]
    NoLog(String),
    /// The device lacks an ability.
    #[error("this device cannot {what}: {missing}")]
    Unsupported {
        /// Verb and object that complete "this device cannot …".
        what: String,
        /// Missing part, and how to get it.
        missing: String,
    },
    /// The device did not answer a question that must be answered; holds the question and its output.
    #[error(
        "the device did not answer: {0}. It was asked again; unlock it or restart it, and see `runner doctor`"
    )]
    NotAnswered(String),
    /// The device refuses the service: no process listens at the port.
    #[error("nothing on the device answers at `{service}`")]
    NotListening {
        /// Service such as `tcp:6790`.
        service: String,
    },
    /// A driver's server on the device failed during an action, so it is unknown what was done.
    #[error("driver {driver}: {cause}")]
    Driver {
        driver: DriverKind,
        /// Failure, and what to do.
        cause: String,
    },
    /// The peer broke the protocol.
    #[error("adb protocol: {0}")]
    Protocol(String),
}

/// Converts a parser's error; a dump without elements counts as a null root node.
impl From<ScreenError> for DeviceError {
    fn from(error: ScreenError) -> Self {
        match error {
            // With every driver this is what `uiautomator` calls a null root node.
            ScreenError::Empty => Self::NoDump {
                cause: error.to_string(),
                kind: DumpFailure::NullRoot,
            },
            error => Self::Dump(error),
        }
    }
}

impl From<PictureError> for DeviceError {
    /// Converts any error into [`DeviceError::NoPicture`] with its reason.
    fn from(error: PictureError) -> Self {
        Self::NoPicture(match error {
            PictureError::Unreadable(why) => format!("the device sent no readable PNG: {why}"),
            error => error.to_string(),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DumpFailure {
    /// The screen never came to rest.
    NotIdle,
    /// No window had a root node.
    NullRoot,
    /// Another automation client holds the device's only slot.
    SlotTaken,
    /// A text on the screen has a character that the device's own tool cannot write.
    Unwritable,
    Other,
}

/// Exit code of the shell for a killed command: 128 + `SIGKILL`.
const KILLED: i32 = 137;

impl DeviceError {
    /// Refuses the output of a killed command (exit code 137): it is incomplete and would suggest a false
    /// cause. All other exit codes, and none, pass.
    ///
    /// # Errors
    /// Returns [`DeviceError::Command`] if the exit code is 137.
    pub fn refuse_killed(command: &str, output: &ShellOutput) -> Result<(), Self> {
        if output.exit_code != Some(KILLED) {
            return Ok(());
        }
        Err(Self::Command {
            command: command.to_owned(),
            exit_code: output.exit_code,
            output: "it was killed".to_owned(),
        })
    }

    /// Returns true if the device or the connection is at fault, not the app. Reports show such failures as
    /// `error`, with exit code 3. A screen that never comes to rest, or has a text that cannot be written, is the
    /// app's fault. A failed command is the flow's, unless it was killed or the phone's maker forbids it; a device
    /// that another run uses counts, an ability that it lacks does not.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::InUse { .. }
            | Self::Timeout { .. }
            | Self::InputRefused { .. }
            | Self::NotListening { .. }
            | Self::NotAnswered(_)
            | Self::Driver { .. }
            | Self::NoPicture(_)
            | Self::NoLog(_)
            // Output in a form that no app can cause.
            | Self::Dump(_) => true,
            // A restless screen and a text that cannot be written are the app's fault.
            Self::NoDump { kind, .. } => {
                !matches!(kind, DumpFailure::NotIdle | DumpFailure::Unwritable)
            }
            // A command that was killed, or that the phone's maker forbids.
            Self::Command {
                exit_code, output, ..
            } => *exit_code == Some(KILLED) || makers_switch(&OutsideText::new(output)).is_some(),
            _ => self.is_unreachable(),
        }
    }

    /// Returns true if no device can be reached: it is missing, ambiguous, not usable or not set up, refuses the
    /// connection, breaks the protocol, or was lost. A timeout is not counted, as the device still answers.
    /// Neither is a device that another run uses.
    pub fn is_unreachable(&self) -> bool {
        matches!(
            self,
            Self::NoServer { .. }
                | Self::NotFound { .. }
                | Self::Ambiguous(_)
                | Self::Unusable { .. }
                | Self::Refused { .. }
                | Self::NotSetUp { .. }
                | Self::Lost { .. }
                | Self::Protocol(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_another_run_uses_is_not_the_apps_fault() {
        let held = DeviceError::InUse {
            serial: "R58".to_owned(),
            holder: "runner test, process 7".to_owned(),
        };
        assert!(held.is_infrastructure() && !held.is_unreachable(), "{held}");
    }
}
