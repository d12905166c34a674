//! Path of the log, with advice for words that are meant for something else.

use camino::Utf8PathBuf;

use super::table::{OFF, ON, lists};

/// Levels of a log as `RUNNER_LOG` takes them, each with words for it.
const LEVELS: [(&str, &str); 5] = [
    ("trace", "trace all silly"),
    ("debug", "debug verbose fine"),
    ("info", "info"),
    ("warn", "warn warning"),
    ("error", "error"),
];

/// Reason why a text names no log.
#[derive(Debug, thiserror::Error)]
pub(in super::super) enum LogPathError {
    #[error(
        "it is a level: write `--log runner.log`, and `RUNNER_LOG={0}` into the environment for the level"
    )]
    Level(&'static str),
    /// Word that switches something on or off.
    #[error("it names no file: write `--log runner.log`, or `--log ./{0}` for a file of this name")]
    Switch(String),
}

/// Reads the path of a log, which may not be there yet.
///
/// # Errors
/// Returns an error with advice for a level or a switch, in any case, in place of a path. All other texts are
/// paths.
pub(in super::super) fn log_path(text: &str) -> Result<Utf8PathBuf, LogPathError> {
    let word = text.to_lowercase();
    if let Some(&(level, _)) = LEVELS.iter().find(|(_, words)| lists(words, &word)) {
        return Err(LogPathError::Level(level));
    }
    if lists(ON, &word) || lists(OFF, &word) {
        return Err(LogPathError::Switch(text.to_owned()));
    }
    Ok(text.into())
}
