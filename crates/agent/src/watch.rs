//! Observer of agents' calls, beside the server that serves them.

use std::fmt::Debug;

use runner_tools::{Effect, Failure};

/// Observer that hears of each call of a tool by an agent, and may refuse it.
pub trait CallWatch: Debug + Send + Sync {
    /// Called before a call is made, with the tool's name as the client wrote it.
    ///
    /// # Errors
    /// The call is refused with this failure, and [`ended`](Self::ended) is not called for it.
    fn begins(&self, tool: &str, effect: Effect) -> Result<(), Failure>;

    /// Called when the call is over: answered, failed or cancelled.
    fn ended(&self, tool: &str, effect: Effect);
}
