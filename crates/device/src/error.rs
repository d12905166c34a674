//! What can go wrong with a device.

use std::time::Duration;

use runner_adb::client::Refusal;
use runner_picture::PictureError;

use super::command::makers_switch;
use super::{DriverKind, ShellOutput};
use runner_screen::ScreenError;
use runner_text::units::RoundedDuration;

/// An error of the device or of the way to it. Each says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// Nothing answers where the adb server should be.
    #[error(
        "no adb server at {address}: {cause}. Install platform-tools or start one with `adb start-server`; `runner doctor` says more"
    )]
    NoServer {
        /// Host and port.
        address: String,
        /// The system's words.
        cause: String,
    },
    /// No such device.
    #[error("device '{serial}' is not connected; `runner devices` lists what is")]
    NotFound {
        /// The wanted serial.
        serial: String,
    },
    /// No device at all, or several and none named.
    #[error("{0}")]
    Ambiguous(String),
    /// The device is there but cannot be used: `offline`, `unauthorized`, `no permissions`.
    #[error("device '{serial}' is {state}: {advice}")]
    Unusable {
        /// Its serial.
        serial: String,
        /// What adb says.
        state: String,
        /// What to do.
        advice: String,
    },
    /// The device does not let this computer in: a person has to act.
    #[error("device '{serial}' is {}: {cause}", .cause.state())]
    Refused {
        /// Its serial.
        serial: String,
        /// Why, and what to do.
        cause: Refusal,
    },
    /// Another run or server uses the device.
    #[error(
        "device '{serial}' is in use: {holder}. Wait until that is done, or name another device"
    )]
    InUse {
        /// Its serial.
        serial: String,
        /// Who has it.
        holder: String,
    },
    /// The project's steps for a device failed on it.
    #[error("device '{serial}' could not be set up: {cause}")]
    NotSetUp {
        /// Its label.
        serial: String,
        /// Where and why.
        cause: String,
    },
    /// The device went away.
    #[error("device '{serial}' was lost: {cause}")]
    Lost {
        /// Its serial.
        serial: String,
        /// What was seen.
        cause: String,
    },
    /// A limit ran out.
    #[error("{what} took longer than {} on the device", RoundedDuration(*.limit))]
    Timeout {
        /// What was under way.
        what: String,
        /// The limit.
        limit: Duration,
    },
    /// The device took no input.
    #[error("`input` failed on the device{}: {output}", .exit_code.map(|code| format!(" (exit {code})")).unwrap_or_default())]
    InputRefused {
        /// Exit code where known.
        exit_code: Option<i32>,
        /// What it said.
        output: String,
    },
    /// A command failed on the device.
    #[error("`{command}` failed on the device{}: {output}", .exit_code.map(|code| format!(" (exit {code})")).unwrap_or_default())]
    Command {
        /// The command, scrubbed of long arguments.
        command: String,
        /// Exit code where known.
        exit_code: Option<i32>,
        /// What it printed.
        output: String,
    },
    /// No dump could be had.
    #[error("the screen could not be read: {cause}")]
    NoDump {
        /// Why, and what to do.
        cause: String,
        /// What kind of failure it was.
        kind: DumpFailure,
    },
    /// A dump that does not read.
    #[error(transparent)]
    Dump(ScreenError),
    /// No screenshot could be had.
    #[error("no screenshot: {0}")]
    NoPicture(String),
    /// The log cannot be read; says why.
    #[error(
        "the device's log cannot be read: {0}. Some makers keep none until it is switched on in the developer options"
    )]
    NoLog(String),
    /// The device cannot do it; says what is missing.
    #[error("this device cannot {what}: {missing}")]
    Unsupported {
        /// What was wanted.
        what: String,
        /// What is missing and how to get it.
        missing: String,
    },
    /// The device did not answer a question whose answer is needed; says which, and what came back.
    #[error(
        "the device did not answer: {0}. It was asked again; unlock it or restart it, and see `runner doctor`"
    )]
    NotAnswered(String),
    /// Nothing of the device takes what was asked of it: a port on which nothing listens.
    #[error("nothing on the device answers at `{service}`")]
    NotListening {
        /// The service, such as `tcp:6790`.
        service: String,
    },
    /// The server of a driver on the device failed while it was at work, so nobody knows what was done.
    #[error("driver {driver}: {cause}")]
    Driver {
        /// The driver.
        driver: DriverKind,
        /// What went wrong, and what to do.
        cause: String,
    },
    /// The peer broke the protocol.
    #[error("adb protocol: {0}")]
    Protocol(String),
}

/// A dump of the device.
impl From<ScreenError> for DeviceError {
    fn from(error: ScreenError) -> Self {
        match error {
            // Whichever driver read it, it is what `uiautomator` calls a null root node.
            ScreenError::Empty => Self::NoDump {
                cause: error.to_string(),
                kind: DumpFailure::NullRoot,
            },
            error => Self::Dump(error),
        }
    }
}

/// A picture from the device.
impl From<PictureError> for DeviceError {
    fn from(error: PictureError) -> Self {
        Self::NoPicture(match error {
            PictureError::Unreadable(why) => format!("the device sent no readable PNG: {why}"),
            error => error.to_string(),
        })
    }
}

/// Why there is no dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DumpFailure {
    /// The screen never stood still.
    NotIdle,
    /// No window had a root node.
    NullRoot,
    /// Another automation client holds the device's only slot.
    SlotTaken,
    /// A text on the screen has a character that the device's own tool cannot write.
    Unwritable,
    /// Anything else.
    Other,
}

/// The shell's exit code for a command that the system killed.
const KILLED: i32 = 137;

impl DeviceError {
    /// Refuses the output of a killed command: it is not an answer, and would suggest a false cause.
    ///
    /// # Errors
    /// [`DeviceError::Command`] where the system killed it.
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

    /// Whether the device or the way to it is at fault, not the app: reported as `error`, exit code 3. The device may
    /// still answer.
    ///
    /// A screen that never stands still is the app's, and so is what a command of a flow complains of.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Timeout { .. }
            | Self::InputRefused { .. }
            | Self::NotListening { .. }
            | Self::NotAnswered(_)
            | Self::Driver { .. }
            | Self::NoPicture(_)
            | Self::NoLog(_)
            // Whatever does not read or fit together, no app has written it.
            | Self::Dump(_) => true,
            // A screen in motion and a broken text are the app's.
            Self::NoDump { kind, .. } => {
                !matches!(kind, DumpFailure::NotIdle | DumpFailure::Unwritable)
            }
            // What was killed, and what the phone's maker lets nobody do.
            Self::Command {
                exit_code, output, ..
            } => *exit_code == Some(KILLED) || makers_switch(output).is_some(),
            _ => self.is_unreachable(),
        }
    }

    /// Whether there is no way to the device: it is not there, takes nobody, or went away.
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
