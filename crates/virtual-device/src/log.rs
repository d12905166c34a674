//! The log that `logcat` reads: a ring of lines with their times.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};

/// Lines that are kept.
const CAPACITY: usize = 20_000;
/// Bytes of the lines that are kept.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogLine {
    /// Counts up over the device's life.
    pub(crate) number: u64,
    /// When, by the device's clock.
    pub(crate) at: DateTime<Utc>,
    /// `V`, `D`, `I`, `W`, `E`, `F`.
    pub(crate) priority: char,
    pub(crate) tag: String,
    pub(crate) message: String,
    pub(crate) pid: u32,
}

/// The ring.
#[derive(Debug, Default)]
pub(crate) struct Log {
    lines: VecDeque<LogLine>,
    next: u64,
    bytes: usize,
}

impl Log {
    pub(crate) fn push(
        &mut self,
        at: DateTime<Utc>,
        (priority, tag, message, pid): (char, String, String, u32),
    ) {
        // A message of several lines is as many lines of the log.
        for message in message.split('\n') {
            self.bytes += tag.len() + message.len();
            while self.lines.len() == CAPACITY || self.bytes > MAX_BYTES {
                // The newest line is kept, however long.
                let Some(line) = self.lines.pop_front() else {
                    break;
                };
                self.bytes -= line.tag.len() + line.message.len();
            }
            self.lines.push_back(LogLine {
                number: self.next,
                at,
                priority,
                tag: tag.clone(),
                message: message.to_owned(),
                pid,
            });
            self.next += 1;
        }
    }

    /// Lines from a number on.
    pub(crate) fn since(&self, number: u64) -> impl Iterator<Item = &LogLine> {
        self.lines.iter().filter(move |line| line.number >= number)
    }

    /// The number that the next line gets.
    pub(crate) fn next_number(&self) -> u64 {
        self.next
    }

    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_holds_lines_and_bytes_of_a_limit() {
        let mut log = Log::default();
        let mut push = |message: String| {
            log.push(Utc::now(), ('I', "tag".to_owned(), message, 1));
            (log.lines.len(), log.bytes)
        };
        for _ in 0..CAPACITY + 5 {
            push("a".to_owned());
        }
        assert_eq!(push("a".to_owned()), (CAPACITY, 4 * CAPACITY));
        let long = "x".repeat(MAX_BYTES / 4);
        for _ in 0..10 {
            let (lines, bytes) = push(long.clone());
            assert!(lines > 0 && bytes <= MAX_BYTES);
        }
        assert_eq!(push("x".repeat(2 * MAX_BYTES)).0, 1);
        assert_eq!(push("a".to_owned()), (1, 4));
    }
}
