//! Reads traces while they are made.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use camino::{Utf8Path, Utf8PathBuf};

use super::TraceRecorder;
use runner_event::FlowId;
use runner_event::Trace;

/// Gives access to the traces of a run while they are made. Their files go into a folder of their own.
#[derive(Clone)]
pub struct TraceWatch {
    folder: Utf8PathBuf,
    now: Arc<Mutex<Option<Recording>>>,
}

/// Attempt that began last.
type Recording = (FlowId, Weak<TraceRecorder>);

impl TraceWatch {
    /// Creates a watch that puts traces into `folder` (absolute), one folder an attempt.
    pub fn new(folder: Utf8PathBuf) -> Self {
        let now = Arc::default();
        Self { folder, now }
    }

    pub(crate) fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    pub(crate) fn begins(&self, id: &FlowId, recorder: &Arc<TraceRecorder>) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = Some((id.clone(), Arc::downgrade(recorder)));
    }

    /// Returns the trace so far of the attempt that began last, while it goes on.
    pub fn so_far(&self) -> Option<(FlowId, Trace)> {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let (id, recorder) = now.as_ref()?;
        Some((id.clone(), recorder.upgrade()?.so_far()))
    }
}

impl fmt::Debug for TraceWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceWatch")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}
