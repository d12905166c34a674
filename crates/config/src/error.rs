//! Reason why settings cannot be resolved.

use camino::Utf8PathBuf;

use super::adb::AdbVariableError;
use runner_text::input_file::InputError;

/// Reason why settings cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// `runner.yaml` has errors. Holds the rendered diagnostics.
    #[error("runner.yaml does not read\n{0}")]
    File(String),
    /// A file with a name like `runner.yml`, which would be ignored.
    #[error("{0} is not read: settings stand in `runner.yaml`; rename it, or remove it")]
    Misnamed(Utf8PathBuf),
    #[error(transparent)]
    Io(#[from] InputError),
    /// Invalid line of `--env-file`.
    #[error("{path}:{line}:{column}: {message}")]
    EnvFile {
        path: Utf8PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        message: String,
    },
    /// Environment variable with an invalid value.
    #[error("{variable}={value}: {expected}")]
    Variable {
        variable: &'static str,
        value: String,
        /// Description of valid values, as the end of the message.
        expected: String,
    },
    /// Variable of adb with an invalid value.
    #[error(transparent)]
    Adb(#[from] AdbVariableError),
}
