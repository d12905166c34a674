//! The log that `logcat` reads: a ring of lines with their times.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};

/// Lines that are kept.
const CAPACITY: usize = 20_000;

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
}

impl Log {
    pub(crate) fn push(
        &mut self,
        at: DateTime<Utc>,
        (priority, tag, message, pid): (char, String, String, u32),
    ) {
        // A message of several lines is as many lines of the log.
        for message in message.split('\n') {
            if self.lines.len() == CAPACITY {
                self.lines.pop_front();
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
    }
}
