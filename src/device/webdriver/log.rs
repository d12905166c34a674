//! The device's log: a server gives each line once, so those that were given are kept.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::client::Request;
use super::device::WebDriverDevice;
use crate::device::DeviceError;

/// Longest log that one answer may have.
const MOST_LOG: u64 = 64 << 20;
/// Most of the log that is kept: what is older falls out, as on the device.
const MOST_KEPT: usize = 16 << 20;

/// The log so far: a server gives each line once.
#[derive(Default)]
pub(super) struct LogBuffer(pub(super) String);

impl LogBuffer {
    fn add(&mut self, lines: impl Iterator<Item = String>) {
        for line in lines {
            self.0.push_str(&line);
            self.0.push('\n');
        }
        let excess = self.0.len().saturating_sub(MOST_KEPT);
        if excess > 0 {
            let cut = self.0.ceil_char_boundary(excess);
            let end = self.0[cut..].find('\n').map_or(cut, |at| cut + at + 1);
            self.0.drain(..end);
        }
    }
}

#[derive(Deserialize)]
struct LogEntry {
    #[serde(default)]
    message: String,
}

impl WebDriverDevice {
    pub(super) fn log_so_far(&self) -> MutexGuard<'_, LogBuffer> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches what was logged since the last time.
    pub(super) async fn read_log(&self, limit: Duration) -> Result<(), DeviceError> {
        let body = json!({ "type": "logcat" });
        let request = Request::post(self.session.path("/se/log"), &body, limit)
            .at_most(MOST_LOG)
            .called("POST log");
        let entries: Vec<LogEntry> = self.asked(request).await?;
        self.log_so_far()
            .add(entries.into_iter().map(|entry| entry.message));
        Ok(())
    }
}
