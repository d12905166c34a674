//! Sends log messages to one client, above the level that it asked for.

#![expect(
    deprecated,
    reason = "only the newest revision of the protocol drops logging; clients of the others use it"
)]

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RequestContext};
use serde_json::Value;
use tokio::time::{Instant, timeout};

/// Time that a client may take to accept a message. Chosen: a client that reads accepts it at once; a call
/// waits this long for one that does not.
const SEND_TIMEOUT: Duration = Duration::from_millis(500);
/// Time without notifications for a client that accepted none. Chosen: at most a twentieth of a call's time
/// is lost on a client that reads nothing.
const MUTE_TIME: Duration = Duration::from_secs(10);

/// Severity of a log message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Each call without an error.
    Debug,
    /// Each call with an error.
    Info,
    /// News for all clients: the device is back.
    Notice,
    /// Problem for all clients: the device is lost.
    Warning,
}

impl Severity {
    fn level(self) -> LoggingLevel {
        match self {
            Self::Debug => LoggingLevel::Debug,
            Self::Info => LoggingLevel::Info,
            Self::Notice => LoggingLevel::Notice,
            Self::Warning => LoggingLevel::Warning,
        }
    }
}

/// Lowest level of messages that a client receives. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Threshold(Arc<AtomicU8>);

impl Default for Threshold {
    fn default() -> Self {
        Self::new(LoggingLevel::Info)
    }
}

impl Threshold {
    fn new(level: LoggingLevel) -> Self {
        Self(Arc::new(AtomicU8::new(level as u8)))
    }

    /// Sets the level that the client asked for with `logging/setLevel`.
    pub fn set(&self, level: LoggingLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }
}

/// Limits the time spent on notifications to one client. A client that reads nothing must not hold up a call,
/// which may hold the device.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientChannel {
    muted_until: Arc<Mutex<Option<Instant>>>,
}

impl ClientChannel {
    /// Sends a notification, unless the client is muted: then it is dropped. One that does not accept it
    /// within [`SEND_TIMEOUT`] is muted for [`MUTE_TIME`]. Errors of the connection are ignored.
    pub async fn notify<T>(&self, telling: impl Future<Output = T>) {
        let muted = || {
            self.muted_until
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if muted().is_some_and(|until| Instant::now() < until) {
            return;
        }
        let reported = timeout(SEND_TIMEOUT, telling).await.is_ok();
        // Locked once more: no lock is held while a client is waited for.
        *muted() = (!reported).then(|| Instant::now() + MUTE_TIME);
    }
}

/// Connected client that receives log messages.
#[derive(Debug, Clone)]
pub struct Client {
    peer: Peer<RoleServer>,
    threshold: Threshold,
    channel: ClientChannel,
}

impl Client {
    /// Creates a client that gets messages from its threshold on. Nothing is sent, and it is not muted.
    pub(super) fn new(peer: Peer<RoleServer>, threshold: Threshold) -> Self {
        Self {
            peer,
            threshold,
            channel: ClientChannel::default(),
        }
    }

    /// Returns the sender of a request, if the request itself asks for log messages, as in the newest
    /// revision of the protocol.
    pub fn from_request(context: &RequestContext<RoleServer>) -> Option<Self> {
        let level = context.meta.log_level()?;
        Some(Self::new(context.peer.clone(), Threshold::new(level)))
    }

    /// Returns true if the connection is closed.
    pub fn is_gone(&self) -> bool {
        self.peer.is_transport_closed()
    }

    /// Sends a message, unless its severity is below the client's level. Returns after half a second at the
    /// latest, also if the client did not accept it. Such a client gets no message for the next 10 s: they
    /// are dropped. Errors are ignored.
    pub async fn log(&self, severity: Severity, data: Value) {
        let level = severity.level();
        if (level as u8) < self.threshold.0.load(Ordering::Relaxed) {
            return;
        }
        let message = LoggingMessageNotificationParam::new(level, data).with_logger("runner");
        // A lost connection is handled elsewhere.
        self.channel
            .notify(self.peer.notify_logging_message(message))
            .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_does_not_listen_is_told_nothing_for_a_while() {
        let channel = ClientChannel::default();
        channel.notify(std::future::pending::<()>()).await;
        let mut reported = false;
        channel.notify(async { reported = true }).await;
        assert!(!reported);
        let channel = ClientChannel::default();
        channel.notify(async { reported = true }).await;
        assert!(reported);
    }
}
