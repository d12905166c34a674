//! What apps and the system log, until the device takes it.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// The system's process.
const SYSTEM: u32 = 1000;

/// Lines that nobody has taken yet: priority, tag, message, process.
#[derive(Default)]
pub(super) struct PhoneLog {
    lines: Vec<(char, String, String, u32)>,
    /// What could not be shown, since the last look.
    pub problems: RefCell<BTreeSet<String>>,
    /// What was said and is not said again.
    logged: BTreeSet<String>,
}

impl PhoneLog {
    /// A line of a process; without one it is the system's.
    pub fn write(&mut self, level: char, tag: &str, message: String, pid: Option<u32>) {
        self.lines
            .push((level, tag.to_owned(), message, pid.unwrap_or(SYSTEM)));
    }

    /// A line of the system's, for people.
    pub fn system(&mut self, tag: &str, message: String) {
        self.write('I', tag, message, None);
    }

    /// Whether a message is said for the first time.
    pub fn is_new(&mut self, message: &str) -> bool {
        self.logged.insert(message.to_owned())
    }

    pub fn take_problems(&self) -> BTreeSet<String> {
        self.problems.take()
    }

    pub fn take(&mut self) -> Vec<(char, String, String, u32)> {
        std::mem::take(&mut self.lines)
    }
}
