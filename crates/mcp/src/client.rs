//! A client, as a server's log reaches it.

#![expect(
    deprecated,
    reason = "only the newest revision of the protocol gives up logging"
)]

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RequestContext};
use serde_json::Value;
use tokio::time::{Instant, timeout};

/// How long a client may take to take a message.
const TIMEOUT: Duration = Duration::from_millis(500);
/// How long a client gets no messages after it did not take one.
const SILENCE: Duration = Duration::from_secs(10);

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Every call.
    Debug,
    /// What went wrong within a call.
    Info,
    /// What matters to everybody: the device is back.
    Notice,
    /// What hinders everybody: the device is lost.
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

/// The least level a client wants to hear of.
#[derive(Debug, Clone)]
pub(super) struct Threshold(Arc<AtomicU8>);

impl Default for Threshold {
    fn default() -> Self {
        Self::of(LoggingLevel::Info)
    }
}

impl Threshold {
    fn of(level: LoggingLevel) -> Self {
        Self(Arc::new(AtomicU8::new(level as u8)))
    }

    /// What the client asked for with `logging/setLevel`.
    pub fn set(&self, level: LoggingLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }
}

/// Whether a client listens. One that reads nothing must not hold up the call that notifies it, for the call may hold
/// what others wait for.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientChannel {
    deaf_until: Arc<Mutex<Option<Instant>>>,
}

impl ClientChannel {
    /// Sends a notification, unless the client is deaf.
    pub async fn notify<T>(&self, telling: impl Future<Output = T>) {
        let deaf = || {
            self.deaf_until
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if deaf().is_some_and(|until| Instant::now() < until) {
            return;
        }
        let reported = timeout(TIMEOUT, telling).await.is_ok();
        // Locked once more: no lock is held while a client is waited for.
        *deaf() = (!reported).then(|| Instant::now() + SILENCE);
    }
}

/// A client that takes messages.
#[derive(Debug, Clone)]
pub struct Client {
    peer: Peer<RoleServer>,
    threshold: Threshold,
    ear: ClientChannel,
}

impl Client {
    pub(super) fn new(peer: Peer<RoleServer>, threshold: Threshold) -> Self {
        Self {
            peer,
            threshold,
            ear: ClientChannel::default(),
        }
    }

    /// Whoever sent this request, if the request itself asks for log messages, as in the newest revision.
    pub fn of_request(context: &RequestContext<RoleServer>) -> Option<Self> {
        let level = context.meta.log_level()?;
        Some(Self::new(context.peer.clone(), Threshold::of(level)))
    }

    /// Whether nobody listens any more.
    pub fn is_gone(&self) -> bool {
        self.peer.is_transport_closed()
    }

    /// Sends a message, unless its severity is below the client's threshold.
    pub async fn log(&self, severity: Severity, data: Value) {
        let level = severity.level();
        if (level as u8) < self.threshold.0.load(Ordering::Relaxed) {
            return;
        }
        let message = LoggingMessageNotificationParam::new(level, data).with_logger("runner");
        // A client that is gone is noticed elsewhere.
        self.ear
            .notify(self.peer.notify_logging_message(message))
            .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_does_not_listen_is_told_nothing_for_a_while() {
        let ear = ClientChannel::default();
        ear.notify(std::future::pending::<()>()).await;
        let mut reported = false;
        ear.notify(async { reported = true }).await;
        assert!(!reported);
        let ear = ClientChannel::default();
        ear.notify(async { reported = true }).await;
        assert!(reported);
    }
}
