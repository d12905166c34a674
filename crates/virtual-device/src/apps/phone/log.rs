//! Log entries of apps and the system, until the device takes them.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// Process id of the system.
const SYSTEM: u32 = 1000;

/// Log entries that the device has not taken yet: priority, tag, message, process.
#[derive(Default)]
pub(super) struct PhoneLog {
    lines: Vec<(char, String, String, u32)>,
    /// Problems with drawing since the last report.
    pub problems: RefCell<BTreeSet<String>>,
    /// Messages that are logged only once.
    logged: BTreeSet<String>,
}

impl PhoneLog {
    /// Logs a line of a process, or of the system if `pid` is `None`.
    pub fn write(&mut self, level: char, tag: &str, message: String, pid: Option<u32>) {
        self.lines
            .push((level, tag.to_owned(), message, pid.unwrap_or(SYSTEM)));
    }

    /// Logs a line of the system with priority `I`.
    pub fn system(&mut self, tag: &str, message: String) {
        self.write('I', tag, message, None);
    }

    /// Returns true the first time that it gets a message.
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
