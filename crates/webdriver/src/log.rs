//! Fetches the lines of the device's log.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::client::Request;
use crate::device::WebDriverDevice;
use crate::log_buffer::LogBuffer;
use runner_device::DeviceError;

/// Limit for one answer with log lines, in bytes. Chosen: a busy device's whole log; more would only fill the
/// memory.
const MAX_ANSWER_BYTES: u64 = 64 << 20;

#[derive(Deserialize)]
struct LogEntry {
    #[serde(default)]
    message: String,
}

impl WebDriverDevice {
    pub(crate) fn log_so_far(&self) -> MutexGuard<'_, LogBuffer> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches the lines since the last call, and appends them to the log so far. The server gives each line
    /// once, so an answer that is lost loses its lines.
    pub(crate) async fn read_log(&self, limit: Duration) -> Result<(), DeviceError> {
        let body = json!({ "type": "logcat" });
        let request = Request::post(self.session.path("/se/log"), &body, limit)
            .at_most(MAX_ANSWER_BYTES)
            .called("POST log");
        let entries: Vec<LogEntry> = self.query(request).await?;
        self.log_so_far()
            .add(entries.into_iter().map(|entry| entry.message));
        Ok(())
    }
}
