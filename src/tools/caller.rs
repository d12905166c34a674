//! Whom a call is made for.

use std::sync::Arc;

use crate::engine::Memory;

/// Whom a call is made for: a flow's attempt, a client's session, or clients that have none. What tools keep for one of
/// them is not another's.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    memory: Arc<Memory>,
    has_an_end: bool,
}

impl Caller {
    /// One whose end everybody sees: an attempt of a flow, a session. Any other goes on as long as the server, so what
    /// belongs to one of its tasks ends with the task.
    pub fn that_ends() -> Self {
        Self {
            memory: Arc::default(),
            has_an_end: true,
        }
    }

    /// What tools keep for it: one value of each type.
    pub fn remembered<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.memory.get()
    }

    /// Whether it ends before the server does.
    pub fn has_an_end(&self) -> bool {
        self.has_an_end
    }
}
