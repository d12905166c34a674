//! Who watches what agents do, beside the server that serves them.

use std::fmt::Debug;

use runner_tools::{Effect, Failure};

/// Hears of each call of a tool by an agent, and may refuse it.
pub trait CallWatch: Debug + Send + Sync {
    /// A call is about to be made.
    ///
    /// # Errors
    /// Why it may not be.
    fn begins(&self, tool: &str, effect: Effect) -> Result<(), Failure>;

    /// The call is over: it was answered, failed, or its client is gone.
    fn ended(&self, tool: &str, effect: Effect);
}
