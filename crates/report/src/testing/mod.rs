//! Events for tests: any event at all, and runs as `run` tells them.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "fixtures: a panic fails the test that uses them"
)]

mod story;

use std::io::Write;
use std::sync::{Arc, Mutex};

#[cfg(test)]
pub(crate) use runner_event::testing::any_event;
pub use story::{every_ending, lent_device, one_flow};

/// A writer that keeps what it is given.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    /// What was written.
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
