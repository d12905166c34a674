//! Whom a call is made for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use runner_engine::Extensions;

/// What belongs to a task of callers without an end is over when nobody called for so long.
pub(super) const TIMEOUT: Duration = Duration::from_mins(10);

/// Whom a call is made for: a flow's attempt, a client's session, or clients that have none. What tools keep for one of
/// them is not another's.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    memory: Arc<Extensions>,
    calls: Arc<Mutex<Calls>>,
    has_an_end: bool,
}

/// When it called.
#[derive(Debug, Default)]
struct Calls {
    /// The first call after its last long pause.
    since: Option<Instant>,
    last: Option<Instant>,
}

impl Caller {
    /// One whose end everybody sees: an attempt of a flow, a session. Any other goes on as long as the server, so what
    /// belongs to one of its tasks ends with the task.
    pub fn that_ends() -> Self {
        Self {
            has_an_end: true,
            ..Self::default()
        }
    }

    /// It calls, whichever tool.
    pub fn calls(&self, now: Instant) {
        let mut calls = self.known();
        let paused = |last| now.saturating_duration_since(last) > TIMEOUT;
        if calls.last.is_none_or(paused) {
            calls.since = Some(now);
        }
        calls.last = Some(now);
    }

    /// Whether it called nothing for long at any time since `then`.
    pub fn paused_since(&self, then: Instant) -> bool {
        self.known().since.is_some_and(|since| since > then)
    }

    fn known(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if both are the same caller.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.memory, &other.memory)
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
