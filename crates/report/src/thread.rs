//! Runs the reports on their own thread, so that slow disks and terminals never hold up a run.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::{ReportError, Reports, Subscriber};
use runner_event::Event;

/// Pause without events after which reports do work that they put off. Chosen: as often as the JUnit file may
/// be rewritten; much less would keep the thread busy.
const IDLE_AFTER: Duration = Duration::from_millis(250);

/// Handle of the reports' thread. [`Self::finish`] waits until all is written. If it is dropped instead, the
/// last events may be lost.
#[derive(Debug)]
pub struct ReportThread {
    sender: Sender<Event>,
    thread: JoinHandle<Vec<ReportError>>,
}

impl Reports {
    /// Starts the thread. Its queue has no limit, so that a run never waits for its reports.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub fn spawn(self) -> Result<ReportThread, ReportError> {
        // Unbounded, so that a run never waits for its reports.
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new()
            .name("reports".into())
            .spawn(move || work(self, &receiver))?;
        Ok(ReportThread { sender, thread })
    }
}

/// Passes each event to the reports until all senders are gone, and lets reports write when no event came for
/// `IDLE_AFTER`. Returns all errors, in their order; none of them stops the work.
fn work(mut reports: Reports, events: &Receiver<Event>) -> Vec<ReportError> {
    let mut errors = Vec::new();
    loop {
        let reported = match events.recv_timeout(IDLE_AFTER) {
            Ok(event) => reports.on(&event),
            Err(RecvTimeoutError::Timeout) => reports.idle(),
            Err(RecvTimeoutError::Disconnected) => return errors,
        };
        errors.extend(reported.err());
    }
}

impl ReportThread {
    /// Sends the next event without waiting. Errors come with [`Self::finish`].
    pub fn send(&self, event: Event) {
        // It fails only when the thread panicked, which `finish` reports.
        let _ = self.sender.send(event);
    }

    /// Returns another sender of events. [`Self::finish`] returns only after all senders are dropped.
    pub fn sender(&self) -> Sender<Event> {
        self.sender.clone()
    }

    /// Waits, without a limit, until all senders are dropped and the last event is written. Returns the errors in the
    /// order in which they came, at most one of each report; empty if all were written. A panic of the thread goes on
    /// in the caller.
    pub fn finish(self) -> Vec<ReportError> {
        drop(self.sender);
        match self.thread.join() {
            Ok(errors) => errors,
            // A panic in the reports must not look like a successful run.
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JsonStream;
    use crate::testing::{SharedBuffer, one_flow};

    #[test]
    fn all_events_are_written_before_finish_returns() {
        let shared = SharedBuffer::default();
        let reports = Reports::new().with(JsonStream::new(Box::new(shared.clone())));
        let thread = reports.spawn().unwrap();
        let events = one_flow();
        for event in &events {
            thread.send(event.clone());
        }
        assert!(thread.finish().is_empty());
        assert_eq!(shared.text().lines().count(), events.len());
    }

    #[test]
    fn errors_come_back() {
        struct FullDisk;
        impl Subscriber for FullDisk {
            fn on(&mut self, _: &Event) -> Result<(), ReportError> {
                let error = std::io::Error::from(std::io::ErrorKind::StorageFull);
                Err(ReportError::Output(error))
            }
        }
        let thread = Reports::new().with(FullDisk).spawn().unwrap();
        for event in one_flow() {
            thread.send(event);
        }
        assert_eq!(thread.finish().len(), 1);
    }
}
