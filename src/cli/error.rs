//! Errors of subcommands, and the exit code of each.

use runner_base::output_file::OutputError;
use runner_base::own_folder::OwnFolderError;

use crate::config::ConfigError;
use crate::context::ContextError;
use crate::device::DeviceError;
use crate::exit_code::ExitCode;
use crate::git::GitError;
use crate::log::LogError;
use crate::report::ReportError;
#[cfg(feature = "review")]
use crate::review::ReviewError;
use crate::run::{ArtifactsError, EditError, GoldenUsesError, PlanError};
use crate::snapshot::SnapshotError;
use runner_text::input_file::InputError;

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error(transparent)]
    Context(#[from] ContextError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[cfg(feature = "review")]
    #[error(transparent)]
    Review(#[from] ReviewError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// An input file that cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A folder that cannot serve as artifact folder.
    #[error(transparent)]
    Artifacts(#[from] ArtifactsError),
    /// An output file that must not be replaced.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A request that cannot be met; the message says what to do. Its exit code is 2.
    #[error("{0}")]
    Usage(String),
    /// Any other failure, as the whole text to print. Its exit code is 1.
    #[error("{0}")]
    Failed(String),
}

impl From<GoldenUsesError> for CliError {
    /// Converts the error to that of its cause, with the same message.
    fn from(error: GoldenUsesError) -> Self {
        match error {
            GoldenUsesError::Plan(error) => Self::Plan(error),
            GoldenUsesError::Snapshot(error) => Self::Snapshot(error),
        }
    }
}

impl From<EditError> for CliError {
    /// Converts the error to that of its cause, with the same message.
    fn from(error: EditError) -> Self {
        match error {
            EditError::Io(error) => Self::Io(error),
            EditError::Snapshot(error) => Self::Snapshot(error),
        }
    }
}

impl CliError {
    /// Returns the exit code of the error: 2 if the person has to change the call, a setting, a flow or a file, 3
    /// if a device is the reason, else 1. An I/O error is 1.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Context(_)
            | Self::Log(_)
            | Self::Config(_)
            | Self::Plan(_)
            | Self::Git(_)
            | Self::Usage(_)
            | Self::Input(_)
            | Self::Artifacts(_)
            | Self::Output(_)
            | Self::Report(ReportError::Input(_))
            | Self::Snapshot(SnapshotError::NoSuchPending { .. })
            | Self::Report(ReportError::Folder(OwnFolderError::NotOwn { .. })) => ExitCode::Usage,
            Self::Device(_) => ExitCode::NoDevice,
            #[cfg(feature = "review")]
            Self::Review(
                ReviewError::Decisions { .. } | ReviewError::Folder(OwnFolderError::NotOwn { .. }),
            ) => ExitCode::Usage,
            #[cfg(feature = "review")]
            Self::Review(_) => ExitCode::Failed,
            Self::Snapshot(_) | Self::Report(_) | Self::Io(_) | Self::Failed(_) => ExitCode::Failed,
        }
    }
}
