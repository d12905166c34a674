//! Replacement for the engine if the program is built without the feature `maestro`.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use super::error::{ScriptError, ScriptFault};
use super::options::ScriptOptions;
use runner_flow::Limits;

#[derive(Debug)]
pub(super) enum Engine {}

#[derive(Debug)]
pub(super) enum Script {
    Expression { source: String, wants_result: bool },
    File { name: String, source: String },
}

pub(super) struct Job {
    pub(super) script: Script,
    pub(super) env: Arc<IndexMap<String, String>>,
    pub(super) copied_text: Option<String>,
}

impl Engine {
    /// Returns the error that this program has no JavaScript, always.
    pub(super) fn start(_: &ScriptOptions) -> Result<Self, ScriptError> {
        Err(ScriptError::new(
            ScriptFault::Unsupported,
            "this program was built without the feature `maestro`, which JavaScript needs",
        ))
    }

    pub(super) fn given(&self) -> usize {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "same signature as the real engine")]
    pub(super) async fn run(
        &mut self,
        _: Job,
        _: &Limits,
        _: Duration,
    ) -> (Result<String, ScriptError>, Vec<String>) {
        match *self {}
    }
}
