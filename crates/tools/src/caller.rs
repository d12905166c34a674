//! Callers of tools, and the state that tools keep for each.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use runner_engine::Extensions;

/// Pause after which a task of callers without an end counts as over. Chosen: an agent thinks for minutes at
/// most between its calls.
pub(super) const TIMEOUT: Duration = Duration::from_mins(10);

/// Caller of a tool: an attempt of a flow, a client's session, or all clients without a session together.
/// State kept for one is not visible to others.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    memory: Arc<Extensions>,
    calls: Arc<Mutex<Calls>>,
    has_an_end: bool,
}

/// Times of calls.
#[derive(Debug, Default)]
struct Calls {
    /// First call after the last long pause.
    since: Option<Instant>,
    last: Option<Instant>,
}

impl Caller {
    /// Creates a caller with an observable end: an attempt of a flow or a session. Other callers last as long as the
    /// server, so state of their tasks ends with the task. No call is recorded yet.
    pub fn that_ends() -> Self {
        Self {
            has_an_end: true,
            ..Self::default()
        }
    }

    /// Records a call of any tool. A task begins with the first call, or with the first after a pause of more than 10
    /// minutes. Only stores the times: nothing is forgotten here. Tools ask with [`paused_since`](Self::paused_since).
    pub fn calls(&self, now: Instant) {
        let mut calls = self.known();
        let paused = |last| now.saturating_duration_since(last) > TIMEOUT;
        if calls.last.is_none_or(paused) {
            calls.since = Some(now);
        }
        calls.last = Some(now);
    }

    /// Returns true if the caller made a long pause at any time since `then`.
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

    /// Returns the caller's value of this type, which tools keep for it. The first call for a type creates the default.
    pub fn remembered<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.memory.get()
    }

    /// Returns true if the caller ends before the server does.
    pub fn has_an_end(&self) -> bool {
        self.has_an_end
    }
}
