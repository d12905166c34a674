//! State of the server between requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::session::Session;
use super::settings::Settings;
use runner_virtual_device::automation::DeviceState;

/// Server that `am instrument` starts.
#[derive(Debug)]
pub(crate) struct UiAutomator2Server {
    pub(super) state: Arc<DeviceState>,
    pub(super) ended: CancellationToken,
    connected: AtomicBool,
    session: Mutex<Option<Session>>,
    settings: Mutex<Settings>,
    /// End of the last search if it found nothing.
    last_miss: Mutex<Option<Instant>>,
}

impl UiAutomator2Server {
    /// Creates a server with accessibility and default settings, but without a session. It ends with the device at
    /// the latest.
    pub(crate) fn new(state: Arc<DeviceState>) -> Arc<Self> {
        let ended = state.child_token();
        Arc::new(Self {
            state,
            ended,
            connected: AtomicBool::new(true),
            session: Mutex::default(),
            settings: Mutex::default(),
            last_miss: Mutex::default(),
        })
    }

    /// Returns a token that is cancelled when the server ends: shortly after its session was deleted, by a
    /// fault, or with the device.
    pub(crate) fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Cuts the connection to accessibility, as the end of `am instrument` does. The server keeps answering.
    pub(crate) fn disconnect_automation(&self) {
        self.connected.store(false, Ordering::SeqCst);
    }

    pub(super) fn is_connected(&self) -> bool {
        self.connected.load(Ordering::SeqCst)
    }

    pub(super) fn session(&self) -> MutexGuard<'_, Option<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn last_miss(&self) -> MutexGuard<'_, Option<Instant>> {
        self.last_miss
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn log(&self, priority: char, message: &str) {
        self.state.log_line(priority, "appium", message, 0);
    }
}
