//! Buffer of the device's log. A server returns each line only once, so lines must be stored here.

use std::collections::VecDeque;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::client::Request;
use crate::device::WebDriverDevice;
use runner_device::DeviceError;

/// Limit for one answer with log lines, in bytes. Chosen: a busy device's whole log; more would only fill the
/// memory.
const MAX_ANSWER_BYTES: u64 = 64 << 20;
/// Limit for the stored log, in bytes. Older lines are dropped, as on a device. Chosen: as large as a
/// device's largest usual buffer.
const MAX_STORED_BYTES: usize = 16 << 20;

/// The log so far.
#[derive(Default)]
pub(crate) struct LogBuffer {
    lines: VecDeque<String>,
    bytes: usize,
}

impl LogBuffer {
    fn add(&mut self, lines: impl Iterator<Item = String>) {
        for line in lines {
            self.bytes += line.len();
            self.lines.push_back(line);
        }
        while self.bytes > MAX_STORED_BYTES
            && let Some(oldest) = self.lines.pop_front()
        {
            self.bytes -= oldest.len();
        }
    }

    /// Returns the stored log, one line each.
    pub(crate) fn text(&self) -> String {
        self.lines
            .iter()
            .flat_map(|line| [line.as_str(), "\n"])
            .collect()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

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
