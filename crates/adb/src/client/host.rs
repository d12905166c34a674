//! This computer, as a device that asks who comes sees it.

use std::sync::Arc;
use std::time::Duration;

use crate::auth::HostKeys;

/// How long a device's owner has to allow this computer: to find the phone and unlock it.
pub const OWNER_LIMIT: Duration = Duration::from_mins(1);

/// Something that a person has to know while a device is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The device asks its owner whether this computer may debug it.
    AllowOnDevice {
        /// The device.
        serial: String,
        /// How long is waited.
        limit: Duration,
    },
}

impl std::fmt::Display for Notice {
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

/// A callback for each [`Notice`].
pub type Notifier = Arc<dyn Fn(&Notice) + Send + Sync>;

/// This computer: its keys, and how it speaks to the person at it.
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
    /// A host with these keys, which shows no notices.
    pub fn new(keys: HostKeys) -> Self {
        Self {
            keys,
            owner_limit: OWNER_LIMIT,
            notifiers: Vec::new(),
        }
    }

    /// The same host, with one more way to show a person what to do.
    #[must_use]
    pub fn with_notifier(mut self, notifier: Notifier) -> Self {
        self.notifiers.push(notifier);
        self
    }

    /// The same host, with another limit for a device's owner.
    #[must_use]
    pub fn waiting(mut self, limit: Duration) -> Self {
        self.owner_limit = limit;
        self
    }

    pub(super) fn notify(&self, notice: &Notice) {
        tracing::info!(target: "adb", %notice, "a person is asked");
        for notifier in &self.notifiers {
            notifier(notice);
        }
    }
}
