//! Progress reports of long calls.

use std::sync::Arc;

/// Receiver of a call's progress. Silent by default.
#[derive(Clone, Default)]
pub struct Progress {
    listener: Option<Arc<Listener>>,
}

/// Receives `(done, total, message)`; `total` if it is known.
type Listener = dyn Fn(f64, Option<f64>, &str) + Send + Sync;

impl Progress {
    /// Reports to `listener`: the amount done, the total amount, and a line for people.
    pub fn new(listener: impl Fn(f64, Option<f64>, &str) + Send + Sync + 'static) -> Self {
        Self {
            listener: Some(Arc::new(listener)),
        }
    }

    /// Reports progress to the listener, on the caller's thread. Does nothing without one.
    pub fn say(&self, done: f64, total: Option<f64>, message: &str) {
        if let Some(listener) = &self.listener {
            listener(done, total, message);
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress")
            .field("heard", &self.listener.is_some())
            .finish()
    }
}
