//! The host of a connection, as a device sees it: keys of this computer, and notices to the person in front
//! of it.

use std::sync::Arc;
use std::time::Duration;

use crate::auth::HostKeys;

/// Default limit for a device's owner to allow this computer. Chosen: time to find the phone and unlock it;
/// half would be short, more would hold up a CI run that nobody watches.
pub const OWNER_LIMIT: Duration = Duration::from_mins(1);

/// Message to a person while the program waits for a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The device asks its owner whether this computer may debug it.
    AllowOnDevice {
        serial: String,
        /// Time that the owner has.
        limit: Duration,
    },
}

impl std::fmt::Display for Notice {
    /// Writes a sentence for the person: what to do on which device, and within how many seconds.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AllowOnDevice { serial, limit } => write!(
                f,
                "device '{serial}' asks whether this computer may debug it: unlock its screen and allow it within {} s",
                limit.as_secs()
            ),
        }
    }
}

pub type Notifier = Arc<dyn Fn(&Notice) + Send + Sync>;

/// Host of a connection: the keys of this computer, the limit for a device's owner, and the callbacks for
/// notices.
#[derive(Clone)]
pub struct Host {
    pub(super) keys: HostKeys,
    pub(super) owner_limit: Duration,
    notifiers: Vec<Notifier>,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

impl Host {
    /// Creates a host with these keys, the default time for a device's owner, and without callbacks.
    pub fn new(keys: HostKeys) -> Self {
        Self {
            keys,
            owner_limit: OWNER_LIMIT,
            notifiers: Vec::new(),
        }
    }

    /// Adds a callback for notices; those that were added before stay.
    #[must_use]
    pub fn with_notifier(mut self, notifier: Notifier) -> Self {
        self.notifiers.push(notifier);
        self
    }

    /// Sets the limit for a device's owner to allow this computer; [`OWNER_LIMIT`] by default.
    #[must_use]
    pub fn waiting(mut self, limit: Duration) -> Self {
        self.owner_limit = limit;
        self
    }

    /// Logs a notice and passes it to all callbacks, in the order in which they were added.
    pub(super) fn notify(&self, notice: &Notice) {
        tracing::info!(target: "adb", %notice, "a person is asked");
        for notifier in &self.notifiers {
            notifier(notice);
        }
    }
}
