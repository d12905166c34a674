//! Events for tests: any event at all, and runs as `run` tells them.

mod story;

use std::io::Write;
use std::sync::{Arc, Mutex};

pub(crate) use crate::run::testing::any_event;
pub(crate) use story::{every_ending, lent_device, one_flow};

/// A writer that keeps what it is given.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
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
