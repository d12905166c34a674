//! Events for tests: arbitrary events, and example runs.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "fixtures: a panic fails the test that uses them"
)]

mod fixture;
#[cfg(test)]
mod strategy;

use std::io::Write;
use std::sync::{Arc, Mutex};

#[cfg(test)]
pub(crate) use fixture::{RunScript, id as flow_id};
pub use fixture::{cloud_device, every_ending, one_flow};
#[cfg(test)]
pub(crate) use runner_event::testing::any_event;
#[cfg(test)]
pub(crate) use strategy::any_run;

/// Writer into a shared buffer.
#[derive(Clone, Default)]
pub struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    /// Returns the text written so far.
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
