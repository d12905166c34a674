//! What a long call says while it goes on.

use std::sync::Arc;

/// Where a call says how far it is. Silent by default.
#[derive(Clone, Default)]
pub struct Progress {
    listener: Option<Arc<Listener>>,
}

/// Hears `(done, total, message)`; `total` where it is known.
type Listener = dyn Fn(f64, Option<f64>, &str) + Send + Sync;

impl Progress {
    /// Reports to `listener`: how much is done, of how much, and a line for people.
    pub fn new(listener: impl Fn(f64, Option<f64>, &str) + Send + Sync + 'static) -> Self {
        Self {
            listener: Some(Arc::new(listener)),
        }
    }

    /// Says how far the call is.
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
