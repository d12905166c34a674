//! Call of a device tool, as the recorder receives it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use runner_screen::Screen;
use runner_tools::{Entry, Failure, Outcome};

/// One call of a device tool, as the recorder receives it.
#[derive(Debug)]
pub struct CallRecord<'a> {
    pub entry: &'static Entry,
    pub args: &'a Value,
    /// Time limit, if the call set one.
    pub limit: Option<Duration>,
    /// Last screen that the session saw before the call.
    pub before: Option<Arc<Screen>>,
    /// Last screen that the session saw when the call ended.
    pub after: Option<Arc<Screen>>,
    pub outcome: &'a Result<Outcome, Failure>,
}

impl CallRecord<'_> {
    /// Returns a number among the arguments, truncated to whole pixels.
    pub(super) fn number(&self, name: &str) -> Option<i32> {
        let value = self.args.get(name)?.as_f64()?;
        Some(value.trunc() as i32)
    }
}
