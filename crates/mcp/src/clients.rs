//! Sends log messages to all clients of a toolbox, and tells them once that the device is lost or back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::{Client, Severity};

/// Clients of one toolbox.
#[derive(Debug, Default)]
pub(super) struct Clients {
    all: Mutex<Vec<Client>>,
    lost: AtomicBool,
}

impl Clients {
    /// Adds a client, and removes those that are disconnected.
    pub fn add(&self, client: Client) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|client| !client.is_gone());
        all.push(client);
    }

    /// Sends a message to all connected clients whose level it reaches, one after the other. A client that
    /// does not accept it holds the others up for half a second at most, and then gets no message for 10 s.
    /// Errors are ignored. Clients that connect later do not get it.
    pub async fn log(&self, severity: Severity, message: Value) {
        // A copy, used without the lock: others join while one client is slow.
        let all = self
            .all
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for client in all.iter().filter(|client| !client.is_gone()) {
            client.log(severity, message.clone()).await;
        }
    }

    /// Warns all clients that the device is lost, with the reason, unless they were told since it was last
    /// found.
    pub async fn report_lost(&self, why: &str) {
        if !self.lost.swap(true, Ordering::Relaxed) {
            self.log(
                Severity::Warning,
                json!({ "device": "lost", "message": why }),
            )
            .await;
        }
    }

    /// Tells all clients that the device of this name is back, if they were told that it is lost. Otherwise
    /// sends nothing.
    pub async fn report_found(&self, device: &str) {
        if self.lost.swap(false, Ordering::Relaxed) {
            let message = format!("device '{device}' is back");
            self.log(
                Severity::Notice,
                json!({ "device": "found", "message": message }),
            )
            .await;
        }
    }
}
