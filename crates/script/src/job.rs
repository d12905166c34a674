//! Job for the engine's thread: a script, when it must stop, and where its result goes.

use std::sync::Arc;
use std::time::Instant;

use indexmap::IndexMap;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::error::{ScriptError, ScriptFault};

#[derive(Debug)]
pub(super) enum Script {
    /// Content of a `${…}`.
    Expression {
        source: String,
        /// True if the caller needs the result as text.
        wants_result: bool,
    },
    /// File of `runScript`.
    File { name: String, source: String },
}

/// One script to run, with its variables.
pub(super) struct Job {
    pub(super) script: Script,
    pub(super) env: Arc<IndexMap<String, String>>,
    /// New value of `maestro.copiedText` if it changed since the last job.
    pub(super) copied_text: Option<String>,
}

/// Deadline and cancellation of a script.
#[derive(Clone)]
pub(super) struct Stop {
    pub(super) until: Instant,
    /// Cancelled when the run ends, or when the caller stops waiting.
    pub(super) token: CancellationToken,
}

impl Stop {
    pub(super) fn is_now(&self) -> bool {
        self.token.is_cancelled() || Instant::now() >= self.until
    }

    /// Returns the error for a stopped script: stopped with the run if the token is cancelled, else out of time,
    /// even before the deadline.
    pub(super) fn error(&self) -> ScriptError {
        if self.token.is_cancelled() {
            return ScriptError::new(ScriptFault::Stopped, "the script was ended with the run");
        }
        out_of_time()
    }
}

/// Creates the error for a script that did not end within its time.
pub(super) fn out_of_time() -> ScriptError {
    ScriptError::new(
        ScriptFault::Timeout,
        "the script did not end within its time; look for a loop without an end, or give the step more time",
    )
}

/// Job with the channel for its reply.
pub(super) struct Request {
    pub(super) job: Job,
    pub(super) stop: Stop,
    pub(super) reply: oneshot::Sender<Reply>,
}

/// Result of a job, and the lines that the script logged.
pub(super) type Reply = (Result<String, ScriptError>, Vec<String>);
