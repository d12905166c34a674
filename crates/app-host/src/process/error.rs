//! Errors of an app's process.

use std::time::Duration;

use camino::Utf8PathBuf;

use crate::client::FrameError;

/// Reason why an app's process did not start or answer. Only [`HostError::TimedOut`] may be the app's
/// failure.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error(
        "the folder of the app's process cannot be made: {0}; check that the folder of the run may be written"
    )]
    Folder(std::io::Error),
    #[error("no port of 127.0.0.1 can be had for the app's process: {0}")]
    Port(std::io::Error),
    #[error("the system gives no random bytes for a token: {0}")]
    Random(getrandom::Error),
    /// Missing prerequisite of the process; holds the whole message.
    #[error("{0}")]
    Launch(String),
    #[error("{java} could not be started: {source}; `runner doctor` says which JDK is used")]
    NotStarted {
        java: Utf8PathBuf,
        source: std::io::Error,
    },
    /// The process sent no hello in time.
    #[error("the app's process was not ready within {} s{}", limit.as_secs(), last_lines(last_words))]
    NotReady {
        limit: Duration,
        /// End of the JVM's output.
        last_words: String,
    },
    /// The process or its connection ended.
    #[error("the app's process ended: {why}{}", last_lines(last_words))]
    Ended {
        why: String,
        /// End of the JVM's output.
        last_words: String,
    },
    /// The process did not answer in time. It can still answer `threads`, and should be ended.
    #[error("the app did not answer `{op}` within {} ms", limit.as_millis())]
    TimedOut {
        /// Name of the request.
        op: String,
        limit: Duration,
    },
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("the app's process speaks another protocol: {0}")]
    Protocol(String),
}

/// Number of output lines in an error. Chosen: a Java stack trace's head.
const MAX_LINES: usize = 20;

/// Formats the last 20 lines of a process's output that are not blank, to be appended to a sentence. Without
/// any, says that it wrote nothing.
fn last_lines(words: &str) -> String {
    let lines: Vec<&str> = words
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    if lines.is_empty() {
        return ", and it wrote nothing".to_owned();
    }
    let last = &lines[lines.len().saturating_sub(MAX_LINES)..];
    format!("; it wrote last:\n{}", last.join("\n"))
}
