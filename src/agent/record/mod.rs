//! What was done, kept so that it can become a flow.

use std::sync::Arc;

use serde_json::Value;

use crate::screen::Screen;
use crate::tools::{Entry, Failure, Outcome};

/// One call of a device tool, as it was made.
#[derive(Debug)]
pub struct Taken<'a> {
    /// The tool.
    pub entry: &'static Entry,
    /// Its arguments.
    pub args: &'a Value,
    /// What the session had last seen when the call began.
    pub before: Option<Arc<Screen>>,
    /// What it had last seen when the call ended.
    pub after: Option<Arc<Screen>>,
    /// What the call came to.
    pub outcome: &'a Result<Outcome, Failure>,
}

/// Keeps the calls of a server, of all its clients, in order.
#[derive(Debug, Default)]
pub struct Recorder {}

impl Recorder {
    /// Keeps a call.
    pub fn note(&self, taken: &Taken<'_>) {
        let _ = taken;
    }
}
