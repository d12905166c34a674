//! The device's log: a server gives each line once, so those that were given are kept.

use std::collections::VecDeque;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::client::Request;
use crate::device::WebDriverDevice;
use runner_device::DeviceError;

/// Longest log that one answer may have.
const MOST_LOG: u64 = 64 << 20;
/// Most of the log that is kept: what is older falls out, as on the device.
const MAX_STORED: usize = 16 << 20;

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
        while self.bytes > MAX_STORED
            && let Some(oldest) = self.lines.pop_front()
        {
            self.bytes -= oldest.len();
        }
    }

    /// All of it, a line each.
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

    /// Fetches what was logged since the last time.
    pub(crate) async fn read_log(&self, limit: Duration) -> Result<(), DeviceError> {
        let body = json!({ "type": "logcat" });
        let request = Request::post(self.session.path("/se/log"), &body, limit)
            .at_most(MOST_LOG)
            .called("POST log");
        let entries: Vec<LogEntry> = self.query(request).await?;
        self.log_so_far()
            .add(entries.into_iter().map(|entry| entry.message));
        Ok(())
    }
}
