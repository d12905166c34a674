//! State of the server between requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use runner_virtual_device::automation::DeviceState;

/// Server that `app_process … com.wetest.uia2.Main` starts.
#[derive(Debug)]
pub(crate) struct Server {
    pub(super) state: Arc<DeviceState>,
    pub(super) ended: CancellationToken,
    memory: Mutex<Memory>,
}

/// State between requests.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Last toast that a request has met, also after it is gone; `None` once a client has cleared it.
    pub toast: Option<String>,
    /// Toast that was shown at the last look.
    displayed_toast: Option<String>,
    /// True while the client holds a finger down.
    pub is_finger_down: bool,
}

impl Server {
    /// Creates a server without a toast, which ends with the device at the latest.
    pub(crate) fn new(state: Arc<DeviceState>) -> Arc<Self> {
        let ended = state.child_token();
        Arc::new(Self {
            state,
            ended,
            memory: Mutex::default(),
        })
    }

    /// Returns a token that is cancelled when the server ends: with `/stop`, or with the device.
    pub(crate) fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    pub(super) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the toast that is shown now as the last one. A toast that is gone stays the last one until another
    /// comes. One that a client has cleared is not recorded again while it is shown.
    pub(super) fn record_toast(&self) {
        let toast = self.state.phone().toast();
        let mut memory = self.memory();
        if toast != memory.displayed_toast {
            memory.displayed_toast.clone_from(&toast);
            memory.toast = toast.or_else(|| memory.toast.take());
        }
    }
}
