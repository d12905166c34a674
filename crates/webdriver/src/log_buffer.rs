//! Buffer of the device's log. A server returns each line only once, so lines must be stored here.

use std::collections::VecDeque;

/// Limit for the stored log, in bytes. Older lines are dropped, as on a device. Chosen: as large as a
/// device's largest usual buffer.
const MAX_STORED_BYTES: usize = 16 << 20;

#[derive(Default)]
pub(crate) struct LogBuffer {
    lines: VecDeque<String>,
    bytes: usize,
}

impl LogBuffer {
    /// Appends lines. Beyond the limit, the oldest are dropped.
    pub(crate) fn add(&mut self, lines: impl Iterator<Item = String>) {
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
