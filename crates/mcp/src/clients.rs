//! All clients of a toolbox, and whether they know that the device is lost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::{Client, Severity};

/// The clients of one toolbox.
#[derive(Debug, Default)]
pub(super) struct Clients {
    all: Mutex<Vec<Client>>,
    lost: AtomicBool,
}

impl Clients {
    /// One more; those that are gone are forgotten.
    pub fn add(&self, client: Client) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|client| !client.is_gone());
        all.push(client);
    }

    /// Sends a message to all.
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

    /// Reports to all that the device is lost, once.
    pub async fn lost(&self, why: &str) {
        if !self.lost.swap(true, Ordering::Relaxed) {
            self.log(
                Severity::Warning,
                json!({ "device": "lost", "message": why }),
            )
            .await;
        }
    }

    /// Reports to all that the device is back, if it was reported as lost.
    pub async fn found(&self, device: &str) {
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
