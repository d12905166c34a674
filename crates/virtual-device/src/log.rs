//! The log that `logcat` reads: a ring of lines with their times.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};

/// Most bytes of all entries together: the default of each of Android's rings (`LOG_BUFFER_SIZE` of logd).
pub(crate) const MAX_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogLine {
    /// Number of the line since the device's start.
    pub(crate) number: u64,
    /// Time by the device's clock.
    pub(crate) at: DateTime<Utc>,
    /// `V`, `D`, `I`, `W`, `E`, `F`.
    pub(crate) priority: char,
    pub(crate) tag: String,
    pub(crate) message: String,
    pub(crate) pid: u32,
}

/// Form of a binary entry's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryHeader {
    /// 20 bytes: the first version in Android's kernel.
    First,
    /// 28 bytes: the version of `logcat -B` today, with its own length, the buffer and the user.
    Now,
}

/// Longest payload of an entry: `LOGGER_ENTRY_MAX_PAYLOAD` of Android's liblog.
const MAX_PAYLOAD: usize = 4068;
/// Bytes of an entry beside its texts: header, priority, and a NUL after each text.
const ENTRY_BYTES: usize = 28 + 3;

impl LogLine {
    /// Returns the bytes that the line takes in the ring.
    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.tag.len() + self.message.len()
    }

    /// Returns the line as a binary entry: header, priority, tag and message, each text with a NUL. All words
    /// are little-endian, and seconds have 32 bits. A tag or message that is too long is cut, and an unknown priority
    /// is that of `V`.
    pub(crate) fn entry(&self, header: EntryHeader) -> Vec<u8> {
        // `V` is 2.
        let priority = "VDIWEF".find(self.priority).unwrap_or(0) as u8 + 2;
        let tag = &self.tag.as_bytes()[..self.tag.len().min(MAX_PAYLOAD / 2)];
        let room = MAX_PAYLOAD - tag.len() - 3;
        let message = &self.message.as_bytes()[..self.message.len().min(room)];
        let length = (tag.len() + message.len() + 3) as u16;
        let size: u16 = match header {
            EntryHeader::First => 0,
            EntryHeader::Now => 28,
        };
        let mut bytes = Vec::with_capacity(usize::from(size.max(20) + length));
        bytes.extend(length.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        // The format has 32 bits for seconds, which end in 2038.
        let seconds = self.at.timestamp() as u32;
        for word in [
            self.pid,
            self.pid,
            seconds,
            self.at.timestamp_subsec_nanos(),
        ] {
            bytes.extend(word.to_le_bytes());
        }
        if header == EntryHeader::Now {
            // The buffer `main`, and the shell's user.
            for word in [0_u32, 2000] {
                bytes.extend(word.to_le_bytes());
            }
        }
        bytes.push(priority);
        for text in [tag, message] {
            bytes.extend(text);
            bytes.push(0);
        }
        bytes
    }
}

/// The ring of lines.
#[derive(Debug, Default)]
pub(crate) struct Log {
    lines: VecDeque<LogLine>,
    next: u64,
    bytes: usize,
}

impl Log {
    /// Adds a message, one log line for each of its lines, under the same time and tag. Drops the oldest lines
    /// beyond [`MAX_BYTES`]; the newest is kept, however long.
    pub(crate) fn push(
        &mut self,
        at: DateTime<Utc>,
        (priority, tag, message, pid): (char, String, String, u32),
    ) {
        // A message of several lines is as many lines of the log.
        for message in message.split('\n') {
            let line = LogLine {
                number: self.next,
                at,
                priority,
                tag: tag.clone(),
                message: message.to_owned(),
                pid,
            };
            self.next += 1;
            self.bytes += line.bytes();
            self.lines.push_back(line);
            // The newest line is kept, however long.
            while self.bytes > MAX_BYTES && self.lines.len() > 1 {
                let oldest = self.lines.pop_front();
                self.bytes -= oldest.map_or(0, |line| line.bytes());
            }
        }
    }

    /// Returns the lines from a number on, oldest first. Those that were dropped are missing.
    pub(crate) fn since(&self, number: u64) -> impl DoubleEndedIterator<Item = &LogLine> {
        let dropped = self.next - self.lines.len() as u64;
        let first = usize::try_from(number.saturating_sub(dropped)).unwrap_or(usize::MAX);
        self.lines.range(first.min(self.lines.len())..)
    }

    /// Returns the bytes that all lines take in the ring, headers included.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of the next line.
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
    fn an_entry_in_bytes_says_how_long_it_is() {
        let mut line = LogLine {
            number: 0,
            at: DateTime::from_timestamp(1, 5).unwrap(),
            priority: 'W',
            tag: "tag".to_owned(),
            message: "hello".to_owned(),
            pid: 7,
        };
        let first = line.entry(EntryHeader::First);
        let head = [11, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0];
        assert_eq!(first[..20], head);
        assert_eq!(&first[20..], b"\x05tag\0hello\0");
        let now = line.entry(EntryHeader::Now);
        assert_eq!((now[0], now[2], now.len()), (11, 28, 28 + 11));
        line.message = "x".repeat(100_000);
        line.tag = "t".repeat(100_000);
        assert_eq!(line.entry(EntryHeader::First).len(), 20 + MAX_PAYLOAD);
    }

    #[test]
    fn the_ring_drops_its_oldest_lines_and_keeps_their_numbers() {
        let mut log = Log::default();
        let push = |log: &mut Log, message: &str| {
            log.push(Utc::now(), ('I', "tag".to_owned(), message.to_owned(), 1));
        };
        let size = ENTRY_BYTES + "tag".len() + "12345".len();
        let most = MAX_BYTES / size;
        for number in 0..most + 5 {
            push(&mut log, &format!("{number:05}"));
        }
        assert_eq!((log.lines.len(), log.bytes()), (most, most * size));
        let messages = |number: usize| -> Vec<&str> {
            let lines = log.since(number as u64);
            lines.map(|line| line.message.as_str()).collect()
        };
        assert_eq!(messages(0)[0], "00005");
        assert_eq!(messages(4).len(), most);
        // A reader continues at the number at which it stopped, even if lines were dropped meanwhile.
        for number in 5..most + 5 {
            assert_eq!(messages(number)[0], format!("{number:05}"));
        }
        assert_eq!(messages(most + 5).len() + messages(most + 9).len(), 0);
        let next = log.next_number();
        push(&mut log, &"x".repeat(2 * MAX_BYTES));
        assert_eq!(log.lines.len(), 1, "the newest is kept");
        push(&mut log, "a");
        assert_eq!(log.lines.len(), 1);
        assert_eq!(log.since(next).count(), 1);
        log.clear();
        push(&mut log, "b");
        let line = log.since(0).next().unwrap();
        assert_eq!((line.number, log.next_number()), (next + 2, next + 3));
    }
}
