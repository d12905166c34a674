//! Why an app's process does not do.

use std::time::Duration;

use camino::Utf8PathBuf;

use crate::client::FrameError;

/// Why an app's process did not start, or did not answer. It is never the app's failure, but where the app did not answer in
/// time.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The folder of the run cannot be written.
    #[error(
        "the folder of the app's process cannot be made: {0}; check that the folder of the run may be written"
    )]
    Folder(std::io::Error),
    /// No port of the loopback interface can be had.
    #[error("no port of 127.0.0.1 can be had for the app's process: {0}")]
    Port(std::io::Error),
    /// The system has no random bytes.
    #[error("the system gives no random bytes for a token: {0}")]
    Random(getrandom::Error),
    /// What a process is made of is not there.
    #[error("{0}")]
    Launch(String),
    /// The JVM could not be started.
    #[error("{java} could not be started: {source}; `runner doctor` says which JDK is used")]
    NotStarted {
        /// The program.
        java: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It did not say hello in time.
    #[error("the app's process was not ready within {} s{}", limit.as_secs(), last_lines(last_words))]
    NotReady {
        /// How long it was waited for.
        limit: Duration,
        /// What the JVM wrote last.
        last_words: String,
    },
    /// It ended, or its connection did.
    #[error("the app's process ended: {why}{}", last_lines(last_words))]
    Ended {
        /// As far as it is known.
        why: String,
        /// What the JVM wrote last.
        last_words: String,
    },
    /// It did not answer in time. It can still be asked for `threads`, and is to be ended.
    #[error("the app did not answer `{op}` within {} ms", limit.as_millis())]
    TimedOut {
        /// What was asked.
        op: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// A frame that no host sends.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// An answer that no host gives.
    #[error("the app's process speaks another protocol: {0}")]
    Protocol(String),
}

/// How many of the last lines an error repeats.
const LINES: usize = 20;

/// The last lines of what a process wrote, to follow a sentence.
fn last_lines(words: &str) -> String {
    let lines: Vec<&str> = words
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    if lines.is_empty() {
        return ", and it wrote nothing".to_owned();
    }
    let last = &lines[lines.len().saturating_sub(LINES)..];
    format!("; it wrote last:\n{}", last.join("\n"))
}
